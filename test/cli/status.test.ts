/** `status --require`: what holds of a whole daemon, and exit 2 for what does not. */
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

status('of the system are told to administrators alone, and unknown ones refused', async () => {
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  const alice = await daemon.root.users.create({ username: 'alice', password: 'a good password' });
  const token = 'a'.repeat(32);
  await database.stores.users.setAccessToken(alice.id, keyring.accessTokenHash(token), nowSeconds() + 1000);
  const own = { TOLLGATE_ACCESS_TOKEN: token };
  assert.equal(await required('ready,signed-in', own), [0, []]);
  assert.is((await required('ready,db', own))[0], 5);
  for (const list of ['weather', 'channels=many', 'ready,', 'toString']) {
    const [code, told] = await required(list);
    assert.is(code, 3, list);
    assert.match(String(told), /channels=5/);
  }
});

status.run();
