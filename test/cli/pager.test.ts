/** Results that are taller than the screen: who shows them, and that none is lost, in real processes and on a terminal. */
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTaller } from '../../cli/output/pager.ts';
import { describeTerminal } from '../../cli/terminal.ts';
import { type Ended, runBuilt, startBuilt, wordsOf } from '../support/command-line.ts';
import { PseudoTerminal } from '../support/pseudo-terminal.ts';
import { untilPasses } from '../support/until.ts';
import { startWebServer } from '../support/web-server.ts';

const pager = suite('the pager');

let folder: string;
let environment: Record<string, string>;

pager.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-pager-'));
  const profiles = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`site${index}`, { url: `http://127.0.0.1:${index + 1}` }]),
  );
  writeFileSync(join(folder, 'profiles.yaml'), JSON.stringify({ profiles }), { mode: 0o600 });
  environment = { TOLLGATE_CONFIG_DIR: folder, HOME: folder };
});
pager.after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the built program in a pipe that it takes for a terminal of 24 lines. */
const run = (line: string, more: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  runBuilt(wordsOf(line), { environment: { ...environment, TOLLGATE_FORCE_TTY: '100', ...more } });

pager('takes the usual size for a terminal that was never told its own', () => {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 0, rows: 0 });
  const host = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  const { columns, rows } = describeTerminal({}, {}, host);
  assert.equal([columns, rows], [80, 24]);
});

const marks = { TOLLGATE_PAGER: "sed 's/^/> /'" };

pager('shows tables and YAML that are taller than the screen, and nothing else', async () => {
  for (const line of ['profile list', 'profile list -o yaml']) {
    const plain = await run(`${line} --no-pager`, marks);
    const paged = await run(line, marks);
    assert.is(paged.code, 0, paged.stderr);
    assert.is(paged.stdout, plain.stdout.replace(/^(?=.)/gm, '> '), line);
    assert.not.match(plain.stdout, /^>/m);
  }
  const out = join(folder, 'list.yaml');
  for (const line of ['-o json', '-o ndjson', '-o csv', '-o tsv', '-q', '--columns help', `-o yaml --out ${out}`]) {
    const { code, stdout } = await run(`profile list ${line}`, marks);
    assert.is(code, 0);
    assert.not.match(stdout, /^>/m, line);
  }
  assert.ok(existsSync(out));
  assert.not.match((await run('profile list', { ...marks, TOLLGATE_FORCE_TTY: '' })).stdout, /^>/m, 'no terminal');
});

pager('leaves alone what fits, counting lines that the screen wraps', async () => {
  assert.not.match((await run('profile get site1', marks)).stdout, /^>/m);
  const texts = [
    'a\nb\nc\n',
    'a\nb\nc\nd\n',
    `${'b'.repeat(10)}\n\nc\n`,
    `${'b'.repeat(11)}\n\nc\n`,
    '中文中文中文\n\nc',
  ];
  assert.equal(
    texts.map((text) => isTaller(text, { columns: 10, rows: 4 })),
    [false, true, false, true, true],
  );
});

pager('asks TOLLGATE_PAGER before PAGER, and none for cat and for nothing', async () => {
  const plain = (await run('profile list --no-pager')).stdout;
  const PAGER = "sed 's/^/> /'";
  assert.match((await run('profile list', { PAGER })).stdout, /^> /);
  assert.match((await run('profile list', { PAGER: 'false', ...marks })).stdout, /^> /);
  for (const TOLLGATE_PAGER of ['', 'cat']) {
    assert.is((await run('profile list', { PAGER, TOLLGATE_PAGER })).stdout, plain);
  }
});

pager('prints what a pager could not show, and is content with one that is left early', async () => {
  const plain = (await run('profile list --no-pager')).stdout;
  for (const more of [
    { TOLLGATE_PAGER: '/nonexistent/pager' },
    { TOLLGATE_PAGER: join(folder, 'profiles.yaml') },
    { TOLLGATE_PAGER: 'less --no-such-flag' },
    // Not even less is found.
    { PATH: folder },
  ]) {
    const { code, stdout, stderr } = await run('profile list', more);
    assert.equal([code, stdout], [0, plain], JSON.stringify(more));
    assert.not.match(stderr, /EPIPE|at .*\.js/);
  }
  assert.equal(await run('profile list', { TOLLGATE_PAGER: 'head -2' }), {
    code: 0,
    stdout: plain.split('\n').slice(0, 2).join('\n').concat('\n'),
    stderr: '',
  });
  const left = await run('profile list', { TOLLGATE_PAGER: 'true' });
  assert.equal(left, { code: 0, stdout: '', stderr: '' });
});

pager('ends with the program', async () => {
  const child = startBuilt(['profile', 'list'], {
    ...environment,
    TOLLGATE_FORCE_TTY: '1',
    TOLLGATE_PAGER: `exec ${process.execPath} -e 'console.log(process.pid); setInterval(() => {}, 1000)'`,
  });
  const [shown] = await once(child.stdout ?? child, 'data');
  child.kill('SIGTERM');
  assert.equal(await once(child, 'exit'), [143, null]);
  assert.throws(() => process.kill(Number(shown), 0), /ESRCH/);
});

pager('lets a person read for longer than --timeout', async () => {
  const items = Array.from({ length: 30 }, (_, index) => ({ id: index + 1, username: 'somebody' }));
  const site = await startWebServer(() => ({ success: true, message: '', data: { items, total: 30 } }));
  try {
    const signedIn = { TOLLGATE_URL: site.url, TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32) };
    // Measured anew where the machine was held up in between.
    await untilPasses(async () => {
      const began = performance.now();
      assert.is((await run('user list -o yaml --no-pager', signedIn)).code, 0);
      // Three times what the command takes on this machine by itself.
      const seconds = Math.ceil((3 * (performance.now() - began)) / 1000);
      const { code, stdout, stderr } = await run(`user list -o yaml --timeout ${seconds}s`, {
        ...signedIn,
        TOLLGATE_PAGER: `sleep ${seconds + 1}; cat`,
      });
      assert.is(code, 0, stderr);
      assert.is(stdout.match(/username: somebody/g)?.length, 30);
    });
  } finally {
    await site.stop();
  }
});

pager('is less, to which Ctrl-C belongs, on a terminal', async () => {
  const terminal = new PseudoTerminal(
    ['profile', 'list'],
    { ...environment, LESS: '' },
    { before: 'trap : INT; stty rows 10 cols 60', behind: 'echo "the shell goes on"' },
  );
  try {
    await terminal.until(/site7/);
    // What less shows of Ctrl-C, and whether it takes the key behind it, depends on what it is at: painting or waiting.
    for (const _ of [1, 2]) {
      terminal.type('\x03');
      await setTimeout(200);
    }
    await terminal.until(/site59/, () => terminal.type('G'));
    assert.not.match(terminal.text, /the shell goes on/);
    terminal.type('q');
    await terminal.until(/the shell goes on/);
    assert.is(await terminal.ended(), 0);
  } finally {
    terminal.kill();
  }
});

pager.run();
