/** Flags that take a list, as cli.md 1.3 has it: with commas or given again. */
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { localCommandsThat } from '../../cli/local-commands.ts';
import { buildProgram } from '../../cli/program.ts';

const test = suite('flags that take lists');

test('gather all that they are given, and do not forget the first for the last', () => {
  const stream = new PassThrough();
  const program = buildProgram({
    environment: {},
    host: { stdin: stream, stdout: stream, stderr: stream },
    signal: new AbortController().signal,
    local: localCommandsThat(() => Promise.reject(new Error('no command is run here'))),
    language: 'en',
  });
  const below = (command: Command): Command[] => [command, ...command.commands.flatMap(below)];
  const lists = below(program).flatMap((command) =>
    command.options
      .filter(({ flags, long }) => long !== '--json' && /<(?:parts|kinds|checks|pairs|fields|list|keys)>$/.test(flags))
      .map((option) => ({ name: `${command.name()} ${option.flags}`, option })),
  );
  assert.ok(lists.length >= 20);
  for (const { name, option } of lists) {
    assert.equal(option.parseArg?.('b', ['a']), ['a', 'b'], name);
  }
});

test.run();
