/** The terminal is given back however the screens end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const terminals = suite('the terminal of the screens');

const module = new URL('../../../cli/screens/terminal.ts', import.meta.url).href;

for (const signal of ['SIGHUP', 'SIGQUIT'] as const) {
  terminals(`is given back at ${signal}, which then ends the process`, async () => {
    const lines = [
      `import { ScreenTerminal } from '${module}';`,
      'new ScreenTerminal().enter();',
      `process.kill(process.pid, '${signal}');`,
      'setTimeout(() => undefined, 10_000);',
    ];
    const args = ['--import', 'tsx', '--input-type=module', '--eval', lines.join('\n')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [written, [, endedBy]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    assert.match(written, '\x1b[?1049h');
    assert.match(written, '\x1b[?2004h');
    assert.ok(written.endsWith('\x1b[?2004l\x1b[?25h\x1b[?1049l'), JSON.stringify(written));
    assert.is(endedBy, signal);
  });
}

terminals.run();
