/** What is pasted at the screens: a text for whoever writes, and no keys; and keys that come in one go. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyInput } from '../../../cli/screens/key-input.ts';
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts';
import { PseudoTerminal } from '../../support/pseudo-terminal.ts';
import { until } from '../../support/until.ts';

interface World {
  daemon: TestDaemon;
  folder: string;
}

const pasting = suite<World>('what is pasted at the screens');

pasting.before(async (world) => {
  world.daemon = await startTestDaemon();
  await world.daemon.addChannel({ name: 'main', base_url: 'http://127.0.0.1:1', models: 'gpt-4o-mini' });
  world.folder = mkdtempSync(join(tmpdir(), 'tollgate-paste-'));
});
pasting.after(async ({ daemon, folder }) => {
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true });
});

function open({ daemon, folder }: World, screen: string): PseudoTerminal {
  const environment = {
    TOLLGATE_CONFIG_DIR: folder,
    HOME: folder,
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
    NO_COLOR: '1',
  };
  return new PseudoTerminal(['ui', '--screen', screen], environment, {
    before: 'stty rows 24 cols 80',
    behind: 'echo "the shell goes on"',
  });
}

/** Types, and waits for what is then shown. */
async function typed(terminal: PseudoTerminal, text: string, shown: RegExp): Promise<void> {
  terminal.type(text);
  await terminal.until(shown);
}

/** As a terminal hands over what is pasted. */
const pasted = (text: string) => `\x1b[200~${text}\x1b[201~`;

pasting('is a text for the line that is written, and presses nothing where none is', async (world) => {
  const terminal = open(world, 'channels');
  const { root } = world.daemon;
  try {
    await terminal.until(/ 1 channel\b/);
    assert.ok(terminal.text.includes('\x1b[?2004h'), 'the terminal is asked to say what is pasted');
    terminal.type(pasted('x\rq'));
    await typed(terminal, '/', /filter \(text/);
    assert.is((await root.channels.list({})).items[0]?.status, 1, 'no letter of it switches a channel');
    await typed(terminal, pasted('ma\rin'), /ma in█/);
    await typed(terminal, '\x15', /: █/);
    terminal.type('\x1b[20');
    terminal.type('0~cut\x1b[2');
    await sleep(100);
    await typed(terminal, '01~ off', /cut off█/);
    await typed(terminal, '\r', /filter: cut off/);
    await typed(terminal, '\x1b', /filter: no filter .* 1 channel\b/);
    await typed(terminal, ':', /: █/);
    await typed(terminal, 'version', /version█/);
    await typed(terminal, '\x0f', /Enter goes back/);
    assert.ok(terminal.text.lastIndexOf('\x1b[?2004l') > terminal.text.lastIndexOf('\x1b[?2004h'));
    await typed(terminal, '\r', / 1 channel\b/);
    assert.ok(terminal.text.lastIndexOf('\x1b[?2004h') > terminal.text.lastIndexOf('\x1b[?2004l'));
    terminal.type('q');
    await terminal.until(/the shell goes on/);
    assert.ok(terminal.text.lastIndexOf('\x1b[?2004l') > terminal.text.lastIndexOf('\x1b[?2004h'));
  } finally {
    terminal.kill();
  }
});

pasting('keys that come in one go are pressed one by one in a form', async (world) => {
  const terminal = open(world, 'users');
  const { root } = world.daemon;
  try {
    await terminal.until(/ 1 user\b/);
    await typed(terminal, 'n', /New user[\s\S]*> {2}Name/);
    await typed(terminal, pasted('bob'), /> {2}Name +bob█/);
    await typed(terminal, '\x1b', /Leave without saving\?/);
    terminal.type(pasted('y'));
    await typed(terminal, 'n', /> {2}Name +bob█[\s\S]*nothing was changed/);
    await typed(terminal, '\x15', /> {2}Name +█/);
    await typed(terminal, 'carol\ta good password\x13', /carol can sign in/);
    assert.not.match(terminal.text, 'a good password');
    assert.is((await root.users.search({ keyword: 'carol' })).items[0]?.username, 'carol');
  } finally {
    terminal.kill();
  }
});

/** What is read of an input that comes in these chunks, pastes in parentheses. */
async function readOf(chunks: readonly string[], restMs = 60_000): Promise<readonly string[]> {
  const source = new PassThrough();
  source.setEncoding('utf8');
  const read: string[] = [];
  const input = new KeyInput(source, restMs);
  input.onPaste((text) => read.push(`(${text})`));
  input.stream.addListener('readable', () => {
    for (let piece = input.stream.read(); piece !== null; piece = input.stream.read()) read.push(piece);
  });
  for (const chunk of chunks) {
    source.write(chunk);
    await until(() => source.readableLength === 0);
  }
  if (restMs < 1000) await until(() => read.length > 0);
  input.end();
  return read;
}

pasting('marks are found however they are cut, and a text that looks like one is none', async () => {
  const whole = `a${pasted('b\tc\r\n渠道')}d`;
  const expected = ['a', '(b\tc\r\n渠道)', 'd'];
  assert.equal(await readOf([whole]), expected);
  for (let at = 1; at < whole.length; at += 1)
    assert.equal(await readOf([whole.slice(0, at), whole.slice(at)]), expected, String(at));
  assert.equal(await readOf([...whole]), expected);
  assert.equal(await readOf(['\x1b[200~a', '[201~', 'x\x1b[A', '\x1b[201~']), ['(a[201~x\x1b[A)']);
});

pasting('keys are read as they are pressed', async () => {
  assert.equal(await readOf(['\x1b[A\x1bx', '\x1b[', 'B']), ['\x1b[A', '\x1bx', '\x1b[B']);
  assert.equal(await readOf(['\x1b'], 30), ['\x1b'], 'Esc means something without what follows it');
  assert.equal(await readOf(['ab\t\rc\x7f']), ['ab', '\t', '\r', 'c', '\x7f']);
  assert.equal(await readOf(['\x1b[200~no end', '\x03', 'q']), ['\x03', 'q'], 'Ctrl-C is heard in a paste without end');
  assert.equal(await readOf(['\x1b[201~q']), ['q']);
});

pasting.run();
