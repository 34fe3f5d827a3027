/** What shells are offered that only a server knows: names that fit, kept for a minute, and silence when it cannot be asked. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { builtProgram, runProgram } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { until, untilPasses } from '../support/until.ts';

const completion = suite('completion of live values');

let daemon: TestDaemon;
let folder: string;
let environment: Record<string, string>;

completion.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-completion-'));
  daemon = await startTestDaemon({
    options: { UserUsableGroups: '{"default":"", "vip":""}', GroupRatio: '{"default":1,"vip":2,"hidden":1}' },
  });
  const { url, accessToken } = daemon;
  environment = {
    TOLLGATE_CONFIG_DIR: folder,
    XDG_CACHE_HOME: join(folder, 'cache'),
    TOLLGATE_URL: url,
    TOLLGATE_ACCESS_TOKEN: accessToken,
  };
  const base_url = 'http://127.0.0.1:9';
  await daemon.addChannel({ base_url, name: 'main', models: 'gpt-4o,qwen:7b' });
  await daemon.addChannel({ base_url, name: 'mail box', models: 'gpt-4o' });
  await daemon.addChannel({ base_url, name: '$(touch pwned)', models: 'claude-4', group: 'hidden' });
  await daemon.addChannel({ base_url, name: '2024', models: 'gpt-4o' });
  await daemon.addKey({ name: 'laptop' });
  await daemon.root.users.create({ username: 'alice', password: 'a good password' });
  await daemon.root.redemptions.create({ name: 'spring', count: 1, quota: 100 });
});
completion.before.each(() => rmSync(join(folder, 'cache'), { recursive: true, force: true }));
completion.after(async () => {
  await daemon?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Lines offered for the last of the words. */
async function offered(words: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const ended = await runProgram(['__complete', '--', ...words], { environment: { ...environment, ...more } });
  assert.equal([ended.code, ended.stderr], [0, '']);
  return ended.stdout.split('\n').filter((line) => line !== '');
}
const words = async (...given: string[]) => (await offered(given)).map((line) => line.split('\t')[0]);

/** Asks until it is offered: a server that is too busy to answer within 800 ms has nothing to offer. */
function offers(expected: readonly string[], ...given: string[]): Promise<void> {
  return untilPasses(async () => assert.equal((await words(...given)).sort(), [...expected].sort()));
}

completion('offers names of channels, and ids where a name is no plain word', async () => {
  const { items } = await daemon.root.channels.list({});
  const idOf = (name: string) => String(items.find((row) => row.name === name)?.id);
  await offers(['main', ...['mail box', '$(touch pwned)', '2024'].map(idOf)], 'channel', 'get', '');
  const all = await offered(['channel', 'get', '']);
  assert.equal(
    all.sort(),
    [
      `main\t#${idOf('main')}`,
      ...['mail box', '$(touch pwned)', '2024'].map((name) => `${idOf(name)}\t${name}`),
    ].sort(),
  );
  await offers(['main'], 'channel', 'get', 'ma');
  await offers(['main'], 'channel', 'disable', 'main', 'm'); // arguments that repeat
  assert.equal(await words('channel', 'get', 'main', ''), [], 'one is enough');
});

completion('offers groups, models, users, keys, options and codes by flag and by argument', async () => {
  await offers(['default', 'hidden', 'vip'], 'token', 'create', '--group', '');
  await offers(['--group=vip'], 'token', 'create', '--group=v');
  await offers(['qwen:7b'], 'chat', '--model', 'qw');
  await offers(['gpt-4o,claude-4'], 'token', 'create', '--models', 'gpt-4o,cl');
  await offers(['alice'], 'user', 'get', 'al');
  await offers(['alice'], 'log', 'list', '--user', 'al');
  await offers(['laptop'], 'token', 'get', 'lap');
  await offers(['SMTPSSLEnabled', 'SMTPServer'], 'option', 'get', 'SMTPS');
  await offers(['spring'], 'redemption', 'get', 'sp');
});

completion('offers what a flag takes that takes few words', async () => {
  await offers(['user', 'admin', 'root'], 'user', 'list', '--role', '');
  await offers(['enabled', 'disabled', 'auto', 'cooling'], 'channel', 'test', '--status', '');
  await offers(['--format=ndjson'], 'log', 'export', '--format=n');
  await offers(['hour', 'day', 'week', 'month'], 'budget', 'set', '--per', '');
  await offers(['notice'], 'page', 'get', 'n');
  await offers(['deepseek'], 'channel', 'create', '--type', 'deep');
  await offers(['redemption:read', 'redemption:write'], 'machine-token', 'create', '--scope', 'redemp');
  await offers(['channel-disabled', 'channel-recovered', 'channel-balance'], 'alert', 'set', 'chan');
  await offers(['error-rate'], 'alert', 'test', '--kind', 'er');
  await offers(['error-rate,user-balance'], 'alert', 'target', 'set', 'ops', '--kinds', 'error-rate,us');
});

completion('offers behind help the commands of any depth, and the topics', async () => {
  assert.equal(await words('help', 'ex'), ['export', 'exit-codes']);
  assert.equal(await words('help', 'stat'), ['status', 'state'], 'a command that is a topic too stands once');
  assert.equal(await words('help', 'channel', 'k'), ['key']);
  assert.equal(await words('help', 'channel', 'key', 'imp'), []);
  assert.equal(await words('help', 'nothing', ''), []);
});

completion('offers to a normal user what that user may see', async () => {
  const { accessToken } = daemon;
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  const alice = await database.stores.users.findByUsername('alice');
  const token = 'b'.repeat(32);
  await database.stores.users.setAccessToken(alice?.id ?? 0, keyring.accessTokenHash(token), nowSeconds() + 1000);
  await offers(['main'], 'channel', 'get', 'ma'); // kept for root alone
  const own = { TOLLGATE_ACCESS_TOKEN: token };
  assert.is.not(token, accessToken);
  assert.equal(await offered(['channel', 'get', 'ma'], own), []);
  const offersOwn = (expected: readonly string[], ...given: string[]) =>
    untilPasses(async () => assert.equal((await offered(given, own)).sort(), expected));
  await offersOwn(['default\t', 'vip\t'], 'token', 'create', '--group', '');
  await offersOwn(['gpt-4o\t', 'qwen:7b\t'], 'chat', '-m', '');
  assert.equal(await offered(['token', 'get', ''], own), []);
});

completion('keeps what it learned for a minute, for the owner alone', async () => {
  await offers(['main'], 'channel', 'get', 'ma');
  assert.equal(await words('channel', 'get', 'ne'), []);
  await daemon.addChannel({ base_url: 'http://127.0.0.1:9', name: 'new', models: 'gpt-4o' });
  assert.equal(await words('channel', 'get', 'ne'), [], 'not asked again');
  const cache = join(folder, 'cache', 'tollgate');
  const [file = ''] = readdirSync(cache);
  assert.equal([statSync(cache).mode & 0o777, statSync(join(cache, file)).mode & 0o777], [0o700, 0o600]);
  assert.not.ok(readFileSync(join(cache, file), 'utf8').includes('sk-'));
  const old = new Date(Date.now() - 61_000);
  utimesSync(join(cache, file), old, old);
  await offers(['new'], 'channel', 'get', 'ne');
  const stray = join(cache, `${'0'.repeat(32)}.json`);
  writeFileSync(stray, '[]');
  utimesSync(stray, old, old);
  writeFileSync(join(cache, file), 'no JSON');
  await offers(['new'], 'channel', 'get', 'ne'); // what cannot be read is asked for
  assert.not.ok(readdirSync(cache).includes(`${'0'.repeat(32)}.json`), 'what is old is cleared away');
});

completion(
  'says nothing, and waits 800 ms at most, when the server is away, silent or not to be told a token',
  async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    // Time stands still, so that what ends by itself has not waited.
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      for (const url of ['http://127.0.0.1:9', 'http://gateway.example']) {
        assert.equal(await offered(['channel', 'get', ''], { TOLLGATE_URL: url }), [], url);
      }
      const asked = once(silent, 'request');
      const offering = offered(['channel', 'get', ''], { TOLLGATE_URL: `http://127.0.0.1:${port}` });
      await asked;
      mock.timers.tick(800);
      assert.equal(await offering, []);
      assert.equal(await offered(['channel', 'get', ''], { TOLLGATE_ACCESS_TOKEN: '' }), [], 'nobody is signed in');
    } finally {
      mock.timers.reset();
      silent.closeAllConnections();
      silent.close();
    }
  },
);

completion('completes in bash: words with colons, spaces and what a shell would run', async () => {
  const { stdout: script } = await runProgram(['completion', 'bash'], { environment });
  const place = join(folder, 'shell');
  mkdirSync(place, { recursive: true });
  // The daemon lives in this process, which must not stand still.
  const complete = async (line: string) => {
    const shell = `cd '${place}'; tollgate() { '${process.execPath}' '${builtProgram}' "$@"; }
${script}
COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; _tollgate; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', ...environment };
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', shell], { env });
    assert.is(stderr, '');
    return stdout.trim().split('\n');
  };
  assert.equal(await complete('tollgate channel ex'), ['explain', 'export']);
  // Learnt before, so that a process that is slow to start and to ask still knows.
  await offers(['qwen:7b'], 'chat', '-m', 'qwen:');
  assert.equal(await complete('tollgate chat -m qwen:'), ['7b'], 'bash has taken the part before the colon');
  await offers(['--group=vip'], 'token', 'create', '--group=v');
  assert.equal(await complete('tollgate token create --group=v'), ['vip']);
  await offers(['main'], 'channel', 'get', 'ma');
  assert.equal(await complete('tollgate log list --search "two words" --mod'), ['--model']);
  assert.equal(await complete(`tollgate --url "${environment.TOLLGATE_URL}" channel get "ma`), ['main']);
  assert.equal(await complete('tollgate token create --group="v'), ['vip']);
  const channels = await complete('tollgate channel get ');
  assert.ok(channels.includes('main'));
  assert.not.ok(channels.some((word) => word.includes('$')));
  assert.equal(readdirSync(place), [], 'nothing was run');
});

completion('takes the word at the cursor apart from the others, as PowerShell hands it over', async () => {
  const { stdout: script } = await runProgram(['completion', 'powershell'], { environment });
  assert.match(script, /^Register-ArgumentCompleter -Native -CommandName tollgate/);
  assert.match(script, /__complete "--current=\$wordToComplete" @words/);
  const ask = async (...args: string[]) => {
    const { stdout } = await runProgram(['__complete', ...args], { environment });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t')[0]);
  };
  assert.equal((await ask('--current=ch')).sort(), ['channel', 'chat', 'checkin']);
  assert.equal(await ask('--current=', 'completion'), ['bash', 'zsh', 'fish', 'powershell']);
  assert.equal(await ask('--current=--ta', 'channel', 'list', '--by-tag'), ['--tag']);
  await untilPasses(async () => assert.equal(await ask('--current=v', 'token', 'create', '--group'), ['vip']));
});

completion('searches the server where there are more than a page', async () => {
  const base_url = 'http://127.0.0.1:9';
  await daemon.root.channels.create({ type: 1, name: 'a first', key: 'k', group: 'default', base_url, models: 'm' });
  for (let at = 0; at < 100; at += 1) await daemon.addChannel({ base_url, name: `many-${at}`, models: 'm' });
  await offers(['main'], 'channel', 'get', 'main');
  await until(async () => (await words('channel', 'get', 'many-')).length >= 100);
});

completion.run();
