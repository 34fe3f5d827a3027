/** `status --require`: what holds of a whole daemon, and exit 2 for what does not. */
import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runBuilt, runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';

const status = suite('requirements of the server');

let daemon: TestDaemon;
let environment: Record<string, string>;

status.before(async () => {
  daemon = await startTestDaemon();
  const { url, accessToken } = daemon;
  environment = { TOLLGATE_CONFIG_DIR: '/nonexistent', TOLLGATE_URL: url, TOLLGATE_ACCESS_TOKEN: accessToken };
});
status.after(() => daemon?.stop());

/** Exit code and the requirements that do not hold. */
async function required(
  list: string,
  more: Record<string, string> = {},
): Promise<[code: number | null, failed: unknown]> {
  const line = `status --require ${list} -o json`;
  const ended = await runProgram(wordsOf(line), { environment: { ...environment, ...more } });
  return [ended.code, ended.stdout === '' ? ended.stderr : JSON.parse(ended.stdout).failed];
}

status('are told one by one, with 2 where one does not hold', async () => {
  assert.equal(await required('ready,setup,signed-in,db,nodes,nodes=1'), [0, []]);
  const told = await runProgram(wordsOf('status --debug -q'), { environment });
  assert.match(told.stderr, /^GET \/readyz 200/m);
  assert.equal(await required('db,channels,nodes=2'), [2, ['channels', 'nodes=2']]);
  await daemon.addChannel({ base_url: 'http://127.0.0.1:9', name: 'main', models: 'gpt-4o' });
  assert.equal(await required('channels=1'), [0, []]);
  assert.equal(await required('channels=2,version=999'), [2, ['channels=2', 'version=999']]);
  const { items: nodes } = await daemon.root.system.nodes();
  const isConnected = nodes.every(({ redis }) => redis === 'connected');
  assert.equal(await required('redis'), isConnected ? [0, []] : [2, ['redis']]);
  const built = await runBuilt(wordsOf('status --require ready,channels=2 -q'), { environment });
  assert.is(built.code, 2, built.stderr);
});

status('are waited for until the time is over', async () => {
  const line = 'status --require channels=2 --wait --timeout 1s -o json';
  const ended = await runProgram(wordsOf(line), { environment });
  assert.equal([ended.code, JSON.parse(ended.stdout).failed], [8, ['channels=2']]);
});

status('are waited for no longer where the server takes the question and is silent', async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const began = Date.now();
  const ended = await runProgram(wordsOf('status --require ready --wait --timeout 1s -o json'), {
    environment: { ...environment, TOLLGATE_URL: url },
  });
  silent.close();
  assert.equal([ended.code, JSON.parse(ended.stdout).failed], [8, ['ready']], ended.stderr);
  assert.ok(Date.now() - began < 15_000, 'it waits for an answer for thirty seconds otherwise');
});

status('of the system are told to administrators alone, and unknown ones refused', async () => {
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  const alice = await daemon.root.users.create({ username: 'alice', password: 'a good password' });
  const token = 'a'.repeat(32);
  await database.stores.users.setAccessToken(alice.id, keyring.accessTokenHash(token), nowSeconds() + 1000);
  const own = { TOLLGATE_ACCESS_TOKEN: token };
  assert.equal(await required('ready,signed-in', own), [0, []]);
  assert.is((await required('ready,db', own))[0], 5);
  for (const list of [
    'weather',
    'channels=many',
    'ready,',
    'toString',
    'version=',
    'nodes=',
    'ready=no',
    'nodes=1=2',
  ]) {
    const [code, told] = await required(list);
    assert.is(code, 3, list);
    assert.match(String(told), /channels=5/);
  }
});

/** What `status` tells of the server to somebody. */
async function shown(more: Record<string, string>): Promise<Record<string, unknown>> {
  const ended = await runProgram(wordsOf('status --json'), { environment: { ...environment, ...more } });
  assert.is(ended.code, 0, ended.stderr);
  return JSON.parse(ended.stdout);
}

status(
  'is told beside them: to administrators whole, to users what is theirs, to nobody whether it is there',
  async () => {
    const { database, keyring, nowSeconds } = daemon.daemon.foundation;
    await daemon.addChannel({ base_url: 'http://127.0.0.1:9', name: 'off', models: 'gpt-4o', status: 2 });
    const channels = (await daemon.root.channels.list({ page_size: 100 })).items;
    const enabled = channels.filter((row) => row.status === 1).length;
    const own = await shown({});
    assert.equal(Object.keys(own), [
      ...['url', 'version', 'ready', 'setup', 'user', 'database', 'redis', 'nodes', 'channels', 'rpm', 'tpm'],
      ...['token_expires', 'failed'],
    ]);
    const counts = { enabled, disabled: channels.length - enabled, auto_disabled: 0, cooling: 0 };
    assert.equal(own.channels, counts);
    assert.match(JSON.stringify(own.database), /"engine":"(sqlite|postgres)","reachable":true/);
    assert.ok(own.redis === 'off' || own.redis === 'connected');
    assert.is(Array.isArray(own.nodes) && own.nodes.length, (await daemon.root.system.nodes()).items.length);
    assert.equal([own.user, own.rpm, own.tpm], ['root', 0, 0]);

    const table = await runBuilt(wordsOf('status -o table'), { environment });
    assert.match(table.stdout, new RegExp(`^channels +${enabled} enabled \\(0 cooling\\), 1 disabled, 0 auto$`, 'm'));
    assert.match(table.stdout, /^nodes +\d+ of \d+ running$/m);
    assert.not.match(table.stdout, /^failed/m);
    const unmet = await runBuilt(wordsOf('status -o table --require channels=99'), { environment });
    assert.match(unmet.stdout, /^failed +channels=99$/m);

    const bob = await daemon.root.users.create({ username: 'bob', password: 'a good password' });
    const token = 'b'.repeat(32);
    await database.stores.users.setAccessToken(bob.id, keyring.accessTokenHash(token), nowSeconds() + 1000);
    const hidden = { database: null, redis: null, nodes: null, channels: null };
    const users = await shown({ TOLLGATE_ACCESS_TOKEN: token });
    assert.equal({ ...users, ...hidden, user: 'bob', rpm: 0, tpm: 0 }, users);
    const anybodys = await shown({ TOLLGATE_ACCESS_TOKEN: '' });
    assert.equal({ ...anybodys, ...hidden, ready: true, setup: true, user: null, rpm: null, tpm: null }, anybodys);
  },
);

status('is told with the expiry of the token in use, as the server knows it', async () => {
  const { database, nowSeconds } = daemon.daemon.foundation;
  const root = await database.stores.users.findByUsername('root');
  const stored = new Date((root?.accessTokenExpiresAt ?? 0) * 1000).toISOString();
  assert.is((await shown({})).token_expires, stored.replace('.000Z', 'Z'));
  const expires_at = nowSeconds() + 3600;
  const wish = { name: 'ci', scopes: ['log:read' as const], expires_at };
  const { secret } = await daemon.root.machineTokens.create(wish);
  const narrow = await shown({ TOLLGATE_ACCESS_TOKEN: secret });
  const ends = new Date(expires_at * 1000).toISOString().replace('.000Z', 'Z');
  assert.equal([narrow.user, narrow.token_expires, narrow.rpm, narrow.nodes], ['root', ends, 0, null]);
  const strange = { ...environment, TOLLGATE_ACCESS_TOKEN: 'z'.repeat(32) };
  const nobody = await runProgram(wordsOf('status --json=user,token_expires'), { environment: strange });
  assert.equal([nobody.code, JSON.parse(nobody.stdout)], [0, { user: null, token_expires: null }]);
  assert.match(
    nobody.stderr,
    /\(access_token_invalid\)\n {2}try: tollgate login/,
    'a token that is refused is no missing one',
  );
});

status.run();
