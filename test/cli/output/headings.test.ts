/** Columns of every command in both languages. */
import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandText, printedBy, type Runtime } from '../../../cli/command.ts';
import { CommandContext } from '../../../cli/context.ts';
import { localCommandsThat } from '../../../cli/local-commands.ts';
import { headingText } from '../../../cli/output/headings.ts';
import { buildProgram } from '../../../cli/program.ts';

const headings = suite('headings of tables');

/** The same in both languages. */
const names: ReadonlySet<string> = new Set(['REDIS', 'SHA256', 'WEBHOOK']);

headings('are Chinese in Chinese tables, for every column of every command', async () => {
  const stream = new PassThrough();
  const elsewhere = () => Promise.reject(new Error('no command is run here'));
  const runtime: Omit<Runtime, 'texts' | 'manuals'> = {
    environment: {},
    host: { stdin: stream, stdout: stream, stderr: stream },
    signal: new AbortController().signal,
    local: localCommandsThat(elsewhere),
    language: 'zh',
  };
  const texts: CommandText[] = [];
  buildProgram({ ...runtime, onCommand: (_command, text) => texts.push(text) });
  const missing = new Set<string>();
  for (const text of texts) {
    for (const column of (await printedBy(new CommandContext({}, runtime), {}, text)).columns) {
      if (headingText(column, 'zh') === column.heading && !names.has(column.heading)) missing.add(column.heading);
    }
  }
  assert.equal([...missing], []);
});

headings.run();
