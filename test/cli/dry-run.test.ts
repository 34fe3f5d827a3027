/** `--dry-run` of commands that write: everything is looked up and checked, the write itself is shown and not sent. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandPath } from '../../cli/command.ts';
import { localCommandsThat } from '../../cli/local-commands.ts';
import { buildProgram } from '../../cli/program.ts';
import { writeCalls } from '../../cli/write-calls.ts';
import { type Ended, runBuilt, runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';

const dry = suite('dry runs');

let daemon: TestDaemon;
let folder: string;
let environment: Record<string, string>;
let channel: number;

dry.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-dry-'));
  daemon = await startTestDaemon();
  environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
  };
  await daemon.addChannel({ base_url: 'http://127.0.0.1:9', name: 'main', models: 'gpt-4o' });
  await daemon.addKey({ name: 'laptop' });
  await daemon.root.users.create({ username: 'alice', password: 'a good password' });
  channel = (await daemon.root.channels.list({})).items[0]?.id ?? 0;
});
dry.after(async () => {
  await daemon?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (line: string, more: { environment?: Record<string, string>; input?: string } = {}): Promise<Ended> =>
  runProgram(wordsOf(line), { ...more, environment: { ...environment, ...more.environment } });

/** What the line would have sent, and what it said about that. */
async function shown(line: string, input = ''): Promise<unknown> {
  const ended = await run(`${line} --dry-run -o json`, { input });
  assert.is(ended.code, 0, `${line}: ${ended.stderr}`);
  assert.match(ended.stderr, /^dry run: nothing was sent/m, line);
  return JSON.parse(ended.stdout);
}

/** What no dry run may change. */
async function state(): Promise<unknown> {
  const { root } = daemon;
  const [users, tokens, channels, options, audits] = await Promise.all([
    root.users.list({}),
    root.tokens.list({}),
    root.channels.list({}),
    root.options.list({}),
    root.audits.list({}),
  ]);
  return { users, tokens, channels, options, audits: audits.total };
}

dry('are offered by every command that writes, and by no other', () => {
  const stream = new PassThrough();
  const elsewhere = () => Promise.reject(new Error('no command is run here'));
  const lacking: string[] = [];
  const needless: string[] = [];
  const withOwn = new Set(['migrate', 'restore', 'import']);
  const found: [path: string, offers: () => boolean, writes: boolean][] = [];
  buildProgram({
    environment: {},
    host: { stdin: stream, stdout: stream, stderr: stream },
    signal: new AbortController().signal,
    local: localCommandsThat(elsewhere),
    language: 'en',
    onCommand: (command, { calls = [], callsAny, isScreen }) => {
      // Asks before each call by itself.
      if (isScreen === true) return;
      const offers = () => command.options.some(({ long }) => long === '--dry-run');
      found.push([commandPath(command), offers, callsAny === true || calls.some((name) => writeCalls.has(name))]);
    },
  });
  for (const [path, offers, writes] of found) {
    if (writes && !offers()) lacking.push(path);
    if (!writes && offers() && !withOwn.has(path)) needless.push(path);
  }
  assert.equal([lacking, needless], [[], []]);
  assert.ok(found.filter(([, , writes]) => writes).length > 50);
});

dry('show the call that would have been made, and change nothing', async () => {
  const before = await state();
  const alice = (await daemon.root.users.search({ keyword: 'alice' })).items[0]?.id;
  assert.equal(await shown('user disable alice'), {
    method: 'POST',
    path: '/api/user/manage',
    body: { id: alice, action: 'disable' },
  });
  assert.equal(await shown('channel delete main'), {
    method: 'POST',
    path: '/api/channel/batch',
    body: { ids: [channel] },
  });
  assert.equal(await shown('option set RetryTimes 3'), {
    method: 'PUT',
    path: '/api/option/',
    body: { key: 'RetryTimes', value: '3' },
  });
  assert.equal(await shown('channel test main'), {
    method: 'GET',
    path: `/api/channel/test/${channel}?stream=auto&endpoint=auto`,
  });
  assert.equal(await shown('api DELETE /api/user/7 -f purge=true'), {
    method: 'DELETE',
    path: '/api/user/7?purge=true',
  });
  assert.match(JSON.stringify(await shown('user quota add alice 5usd')), /"mode":"add","value":2500000/);
  assert.equal(await state(), before);
});

dry('show several calls as a list, and none where nothing would be written', async () => {
  const calls = await shown('user disable alice root');
  assert.is(Array.isArray(calls) && calls.length, 2);
  const users = 'username,password\nbob,a good password\neve,another password\n';
  assert.match(JSON.stringify(await shown('user create --from -', users)), /^\[\{.*"bob".*\},\{.*"eve".*\}\]$/);
  const tests = await shown('channel test --all');
  assert.ok(tests);
  const status = await run('checkin --status --dry-run --columns open');
  assert.equal([status.code, status.stdout, status.stderr], [0, 'false\n', '']);
});

dry('mask what is secret', async () => {
  const created = await run('user create --username bob --password-stdin --dry-run -o json', { input: 'very secret' });
  assert.is(JSON.parse(created.stdout).body.password, '***');
  const secrets = [
    'channel create --name a --type openai --key hidden-1 --models m',
    'channel key add main --key hidden-1',
    'option set SMTPToken hidden-1',
    'wallet redeem hidden-1',
    'api POST /api/x -F access_token=hidden-1',
    'api DELETE /api/x?token=hidden-1',
  ];
  for (const line of secrets) {
    const text = JSON.stringify(await shown(line));
    assert.not.match(text, /hidden-1/, line);
    assert.match(text, /\*\*\*/, line);
  }
});

dry('refuse what the server would refuse to read, and names that are not there', async () => {
  const missing = await run('user disable nobody --dry-run');
  assert.is(missing.code, 6, missing.stderr);
  const bad = await run('api POST /nowhere --field x --dry-run');
  assert.is(bad.code, 3);
  const name = await run(`channel models main --off ${'x'.repeat(300)} --dry-run -o json`);
  assert.is(name.code, 3, name.stderr);
  assert.equal([name.stdout, JSON.parse(name.stderr).error.field], ['', 'model']);
});

dry('are told in either language and in the form asked for', async () => {
  const chinese = await run('token delete laptop --dry-run', { environment: { TOLLGATE_LANG: 'zh' } });
  assert.match(chinese.stderr, /^试运行：未发送任何内容/);
  assert.match(chinese.stdout, /^DELETE\t\/api\/token\/\d+\t\n$/);
  const built = await runBuilt(wordsOf('token delete laptop --dry-run -o yaml'), { environment });
  assert.is(built.code, 0, built.stderr);
  assert.match(built.stdout, /^method: DELETE\npath: \/api\/token\/\d+\n/);
  const jq = await run("token create --name x --dry-run --jq '.body.name'");
  assert.is(jq.stdout, 'x\n', jq.stderr);
});

dry('of signing in and out leave the profiles as they are', async () => {
  const path = join(folder, 'profiles.yaml');
  const own = { TOLLGATE_ACCESS_TOKEN: '' };
  const signIn = (more = '') => run(`login --with-token${more}`, { environment: own, input: daemon.accessToken });
  const tried = await signIn(' --dry-run --jq .user');
  assert.equal([tried.code, tried.stdout], [0, 'root\n'], tried.stderr);
  assert.match(tried.stderr, 'dry run: no profile was changed');
  assert.not(existsSync(path));
  assert.is((await signIn()).code, 0);
  const kept = readFileSync(path, 'utf8');
  const left = await run('logout --dry-run', { environment: own });
  assert.equal([left.code, left.stderr], [0, 'dry run: no profile was changed\n']);
  assert.is(readFileSync(path, 'utf8'), kept);
});

dry('leave the dry run of the server to the server', async () => {
  const file = 'channels:\n  - name: fresh\n    type: 1\n    key: k\n    models: m\n';
  const ended = await run('channel create --from - --dry-run -o json', { input: file });
  assert.not.match(ended.stdout, /"method"/, ended.stderr);
  assert.is((await run('channel get fresh')).code, 6);
});

dry.run();
