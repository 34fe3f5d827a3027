import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram } from '../support/command-line.ts';

const leading = suite('common flags before the command');

const profile = (url: string) => ({ url, user: 'root' });
let folder: string;
let environment: Record<string, string>;

leading.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-leading-'));
  const profiles = {
    current: 'one',
    profiles: { one: profile('http://127.0.0.1:9'), two: profile('http://127.0.0.1:1') },
  };
  writeFileSync(join(folder, 'profiles.yaml'), JSON.stringify(profiles), { mode: 0o600 });
  environment = { TOLLGATE_CONFIG_DIR: folder, XDG_CACHE_HOME: folder };
});
leading.after(() => rmSync(folder, { recursive: true, force: true }));

const run = (...argv: string[]) => runProgram(argv, { environment });

leading('mean what they mean behind it, before the first word and between two', async () => {
  const plain = await run('profile', 'list', '-o', 'json');
  assert.is(plain.code, 0, plain.stderr);
  const ways = [
    ['-o', 'json', 'profile', 'list'],
    ['-ojson', 'profile', 'list'],
    ['--output=json', 'profile', 'ls'],
    ['--json', 'profile', 'list'],
    ['profile', '--json', 'list'],
    ['--no-pager', '--lang', 'zh', 'profile', '-o', 'json', 'list', '-y'],
    ['-o', 'csv', 'profile', 'list', '-o', 'json'], // the last one wins
  ];
  for (const way of ways) assert.equal(await run(...way), plain, way.join(' '));
  assert.is((await run('-q', 'profile', 'list')).stdout, 'one\ntwo\n');
  const file = join(folder, 'list.csv');
  assert.is((await run('--out', file, '--columns', 'name', 'profile', 'list')).code, 0);
  assert.is(readFileSync(file, 'utf8'), 'name\r\none\r\ntwo\r\n');
});

leading('choose the server and the language of the command', async () => {
  for (const flags of [['--profile', 'two'], ['--profile=two'], ['--url', 'http://127.0.0.1:1']]) {
    const { code, stderr } = await run(...flags, '--lang', 'zh', 'whoami', '--timeout', '5s');
    assert.match(stderr, /^错误：.*127\.0\.0\.1:1/s, flags.join(' '));
    assert.ok(code === 10 || code === 4, String(code));
  }
});

leading('of a command that has another meaning of them stay what they are everywhere', async () => {
  // A price to read, and no form to print it in.
  const ended = await run('--output', 'json', 'price', 'set', 'm', '--input', '1usd', '--output', 'nonsense');
  assert.is(ended.code, 3);
  assert.match(ended.stderr, /"message":"[^"]*nonsense/);
});

leading('stay with a command that has others below it', async () => {
  const ended = await run('-o', 'csv', 'migrate', '--columns=nope');
  assert.is(ended.code, 3);
  assert.match(ended.stderr, /nope/);
});

leading('ask for the help of the command', async () => {
  const own = await run('user', 'list', '--help');
  assert.match(own.stdout, /Usage: tollgate user list/);
  assert.equal(await run('--help', 'user', 'list'), own);
  assert.equal(await run('--profile', 'two', 'user', '--help', 'list'), own);
  assert.equal(await run('-h', 'user'), await run('user', '-h'));
  assert.equal(await run('--url', 'http://127.0.0.1:1', '--help'), await run('--help'));
});

leading('leave what is wrong to be told as ever', async () => {
  assert.match((await run('--nonsense', 'profile', 'list')).stderr, /unknown option '--nonsense'/);
  assert.match((await run('--limit', '3', 'user', 'list')).stderr, /unknown option '--limit'/);
  assert.match((await run('-q', 'profile', 'lsit')).stderr, /unknown command 'lsit'/);
  assert.match((await run('-o', 'nonsense', 'profile', 'list')).stderr, /nonsense/);
  const bare = await run('--profile', 'two');
  assert.is(bare.code, 3);
  assert.match(bare.stderr, /Usage: tollgate/);
  assert.is((await run('-o')).code, 3);
});

leading('are completed, and so is what stands behind them', async () => {
  const offered = async (...words: string[]) => {
    const { stdout } = await run('__complete', '--', ...words);
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0]]));
  };
  assert.equal(await offered('--pro'), ['--profile']);
  assert.equal(await offered('--profile', 't'), ['two']);
  assert.equal(await offered('-o', 'nd'), ['ndjson']);
  assert.equal(await offered('user', '--mon'), ['--money']);
  assert.equal(await offered('--profile', 'two', 'profi'), ['profile']);
  assert.equal(await offered('--json', '-o', 'json', 'profile', 'ren'), ['rename']);
  assert.equal(await offered('-q', 'profile', 'use', 'o'), ['one']);
});

leading.run();
