/** How far long work is: on a terminal, in a pipe, and out of the way of everything else that is written. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import stringWidth from 'string-width';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Progress } from '../../cli/progress.ts';
import { runBuilt, wordsOf } from '../support/command-line.ts';
import { PseudoTerminal } from '../support/pseudo-terminal.ts';
import { startWebServer, type WebServer } from '../support/web-server.ts';

const progress = suite('how far long work is');

let site: WebServer;
let folder: string;
let environment: Record<string, string>;

const rowsOf = (page: number) =>
  Array.from({ length: 100 }, (_, index) => ({ id: (page - 1) * 100 + index, code: 'c', user_id: 1 }));

progress.before(async () => {
  site = await startWebServer(async ({ method, url }) => {
    await sleep(url.startsWith('/api/user/models') ? 1900 : 250);
    const { searchParams, pathname } = new URL(url, 'http://localhost');
    if (pathname.startsWith('/api/user/models')) return { success: true, message: '', data: ['gpt-4o'] };
    if (pathname.startsWith('/api/user/self')) return { success: true, message: '', data: { role: 100 } };
    if (pathname.startsWith('/api/status'))
      return {
        success: true,
        message: '',
        data: { quota_per_unit: 500_000, display_in_currency: true, time_zone: 'UTC' },
      };
    if (method !== 'GET') return { success: !url.includes('13'), message: 'no', data: null };
    const items = rowsOf(Number(searchParams.get('p') ?? 1));
    return { success: true, message: '', data: { items, total: 400, page: 1, page_size: 100 } };
  });
  folder = mkdtempSync(join(tmpdir(), 'tollgate-progress-'));
  environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: site.url,
    TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32),
    TOLLGATE_PAGER: 'cat',
  };
});
progress.after(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the built program on a terminal of its own; what it showed, with ␛ for the escape, and how it ended. */
async function onTerminal(line: string, more: Readonly<Record<string, string>> = {}) {
  const terminal = new PseudoTerminal(wordsOf(line), { ...environment, ...more });
  try {
    return { code: await terminal.ended(), text: terminal.text.replaceAll('\u001b', '␛') };
  } finally {
    terminal.kill();
  }
}

/** What stays on the screen: every line as it was rewritten last. */
const screenOf = (text: string) => text.replaceAll(/[^\n]*\r␛\[K/g, '').replaceAll('\r', '');

progress('rewrites one line on a terminal, and clears it before anything else is written', async () => {
  const [{ code, text }, chinese] = await Promise.all([
    onTerminal('token delete 1 2 3 --yes --concurrency 1'),
    onTerminal('token delete 1 2 3 --yes --concurrency 1 --lang zh'),
  ]);
  assert.is(code, 0, text);
  assert.match(text, /\r0\/3␛\[K[\s\S]*\r1\/3 · \d\.\d\/s · \d s left␛\[K\r[\s\S]*\r2\/3 · /);
  // Cleared at once: whatever was on the line is gone when words follow.
  assert.not.match(text, /left␛\[K(?!\r)/);
  assert.not.match(screenOf(text), /left/);
  assert.is(screenOf(text).match(/is deleted\n/g)?.length, 3);
  assert.match(chinese.text, /\r1\/3 · \d\.\d\/秒 · 剩余 \d s/);
});

progress('says of long lists how many of how many rows have come, and leaves the rows alone', async () => {
  const [{ code, text }, onePage] = await Promise.all([
    onTerminal('user list --all --columns id'),
    onTerminal('user list --limit 20 --columns id'),
  ]);
  assert.is(code, 0, text);
  assert.match(text, /\r100\/400 · \d+\/s · \d s left/);
  const lines = screenOf(text).trim().split('\n');
  assert.equal([lines.length, lines[0]?.trim(), lines.at(-1)?.trim()], [401, '␛[1m ID␛[22m', '399']);
  assert.not.match(onePage.text, /left␛\[K/, 'one page is one call');
});

progress('says of one call that takes long for how long it has been waited for, and clears that', async () => {
  const lines = ['account models', 'api GET /api/user/models'];
  const [chinese, quiet, piped, ...shown] = await Promise.all([
    onTerminal('account models --lang zh'),
    onTerminal('account models -q'),
    runBuilt(wordsOf('account models'), { environment }),
    ...lines.map((line) => onTerminal(line)),
  ]);
  for (const [index, { code, text }] of shown.entries()) {
    const line = lines[index];
    assert.is(code, 0, text);
    assert.match(text, /\rwaiting · \d s␛\[K[\s\S]*\rwaiting · [12] s␛\[K/, line);
    assert.not.match(screenOf(text), /waiting/, line);
    assert.match(screenOf(text), /gpt-4o/, line);
  }
  assert.match(chinese.text, /\r等待中 · \d s␛\[K/);
  assert.not.match(quiet.text, /waiting|␛/);
  assert.equal([piped.code, piped.stderr], [0, '']);
});

progress(
  'says nothing with -q, to nobody within ten seconds, and no line twice where none can be rewritten',
  async () => {
    const [quiet, dumb, piped] = await Promise.all([
      onTerminal('user list --all -q'),
      onTerminal('user list --all --columns id', { TERM: 'dumb' }),
      runBuilt(wordsOf('user list --all --columns id'), { environment }),
    ]);
    assert.not.match(quiet.text, /left|␛/);
    assert.not.match(dumb.text, /left|␛\[K/);
    assert.equal([piped.code, piped.stderr], [0, '']);
  },
);

progress('writes a plain line each ten seconds where no terminal is', async () => {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  try {
    let said = '';
    const stderr = new Writable({
      write(chunk: Buffer, _encoding, done) {
        said += chunk;
        done();
      },
    });
    const facts = { stderr, unicode: false, language: 'en' } as const;
    const rows = new Progress({ ...facts, form: 'lines', unit: 'items' });
    const none = new Progress({ ...facts, form: 'none', unit: 'items' });
    mock.timers.tick(9_999);
    assert.is(said, '');
    rows.at(30, 120);
    mock.timers.tick(1);
    assert.match(said, /^30\/120, \d+\/s, \d+ s left\n$/);
    rows.end();
    said = '';
    const preparing = new Progress({ ...facts, form: 'lines', unit: 'items' });
    mock.timers.tick(10_000);
    assert.match(said, /^waiting, \d+ s\n$/, 'before the first of nobody knows how many');
    preparing.end();
    said = '';
    const bytes = new Progress({ ...facts, form: 'lines', unit: 'bytes' });
    bytes.at(2_500_000, undefined);
    mock.timers.tick(20_000);
    assert.match(said, /^(?:2\.5 MB, \d+\.\d MB\/s\n){2}$/);
    bytes.end();
    none.end();
    mock.timers.tick(60_000);
    assert.is(said.split('\n').length, 3);
    said = '';
    const waiting = new Progress({ ...facts, language: 'zh', form: 'lines', unit: 'seconds' });
    mock.timers.tick(20_000);
    assert.match(said, /^(?:等待中, \d+ s\n){2}$/);
    waiting.end();
  } finally {
    mock.timers.reset();
  }
});

progress('stays within one line of a narrow terminal, where Chinese takes two cells a character', () => {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  try {
    let said = '';
    const write = (text: string) => {
      said += text;
      return true;
    };
    const stderr = Object.assign(new Writable(), { columns: 10, write });
    const waiting = new Progress({ stderr, unicode: true, language: 'zh', form: 'rewritten', unit: 'seconds' });
    mock.timers.tick(400);
    const [, line = ''] = /^\r(等待.*)␛\[K$/.exec(said.replaceAll('\u001b', '␛')) ?? [];
    assert.ok(line !== '' && stringWidth(line) < 10, said);
    waiting.end();
  } finally {
    mock.timers.reset();
  }
});

progress.run();
