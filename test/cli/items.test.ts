/** Commands that take several things: what they print of them, and nothing to do where nothing is named. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, runBuilt, runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';

const items = suite('several items');

let daemon: TestDaemon;
let folder: string;
let environment: Record<string, string>;

items.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-items-'));
  daemon = await startTestDaemon();
  environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
  };
  for (const name of ['gpt-9', 'gpt-10', 'gpt-2']) {
    await daemon.addChannel({ base_url: 'http://127.0.0.1:9', name, models: 'gpt-4o' });
  }
  for (const username of ['alice', 'bob']) await daemon.root.users.create({ username, password: 'a good password' });
});
items.after(async () => {
  await daemon?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (line: string, input = ''): Promise<Ended> => runProgram(wordsOf(line), { environment, input });
const json = async (line: string, input = ''): Promise<unknown> => {
  const ended = await run(`${line} --json`, input);
  assert.is(ended.code, 0, `${line}: ${ended.stderr}`);
  return JSON.parse(ended.stdout);
};

items('are printed as one list, a single one as an object', async () => {
  const users = (await daemon.root.users.search({})).items;
  const idOf = (name: string) => users.find(({ username }) => username === name)?.id;
  assert.equal(await json('user disable alice bob --yes'), [
    { id: idOf('alice'), role: 1, status: 2 },
    { id: idOf('bob'), role: 1, status: 2 },
  ]);
  assert.equal(await json('user enable alice'), { id: idOf('alice'), role: 1, status: 1 });
  assert.is((await run('user enable bob --columns status')).stdout, 'enabled\n');
  assert.equal(await json('user quota set alice bob 2000units --yes'), [
    { id: idOf('alice'), quota: 2000 },
    { id: idOf('bob'), quota: 2000 },
  ]);
  const edited = await run('channel edit gpt-2 gpt-9 --weight 5 --json=name,weight');
  assert.equal(JSON.parse(edited.stdout), [
    { name: 'gpt-2', weight: 5 },
    { name: 'gpt-9', weight: 5 },
  ]);
  const partly = await run('user disable alice nobody --yes --json=id');
  assert.equal([partly.code, JSON.parse(partly.stdout)], [11, [{ id: idOf('alice') }]]);
});

items('may be none: an empty standard input is nothing to do', async () => {
  const lines = [
    'user disable -',
    'user sign-out -',
    'user quota add - 5usd',
    'token delete -',
    'token disable -',
    'channel delete -',
    'channel test -',
    'channel balance -',
    'session revoke -',
  ];
  for (const line of lines) {
    const ended = await run(line, '\n');
    assert.equal([ended.code, ended.stdout, ended.stderr], [0, '', ''], line);
  }
});

items('are sorted as a whole by any field, in every form', async () => {
  const names = 'gpt-2\ngpt-9\ngpt-10\n';
  assert.is((await run('channel list --sort name --columns name')).stdout, names);
  assert.is(
    (await run('channel list --sort name --all -o csv --columns name --no-header')).stdout.replaceAll('\r', ''),
    names,
  );
  assert.is((await run("channel list --sort name:desc --jq '.[].name'")).stdout, 'gpt-10\ngpt-9\ngpt-2\n');
  assert.is(
    (await run('channel list --sort name -o ndjson --json=name')).stdout.match(/gpt-\d+/g)?.join(' '),
    'gpt-2 gpt-9 gpt-10',
  );
  assert.is((await run('channel list --sort id --limit 1 --columns name')).stdout, 'gpt-2\n', 'the server sorts');
  assert.is((await run('channel list --search gpt --limit 1 --sort id --columns name')).stdout, 'gpt-2\n');
  const built = await runBuilt(wordsOf('user list --sort username:desc -o table --columns name'), { environment });
  assert.is(built.stdout, 'NAME\nroot\nbob\nalice\n');
});

items('are said with the moment that a word for the future means', async () => {
  const created = await run('token create --name soon --expires 2030-01-01T00:00:00Z');
  assert.is(created.code, 0, created.stderr);
  assert.match(created.stderr, /^--expires: 2030-01-01T00:00:00Z$/m);
});

items('are not asked for in two forms at once', async () => {
  for (const line of ['user list -o csv --json', "user list -o table --jq '.[0]'", "user list -o yaml --jq '.[0]'"]) {
    const ended = await run(line);
    assert.is(ended.code, 3, line);
    assert.match(ended.stderr, /does not go with -o/);
  }
  assert.match((await run('user list -o yaml --json=username --sort username')).stdout, /^- username: alice\n/);
});

items('and everything else come from standard input once', async () => {
  const ended = await run('channel edit - --models - --json', 'gpt-2\n');
  assert.is(ended.code, 3, ended.stderr);
  assert.match(JSON.parse(ended.stderr).error.message, /read once/);
});

items('are told call by call where the environment says so', async () => {
  const told = await runProgram(wordsOf('user list -q'), { environment: { ...environment, TOLLGATE_DEBUG: '1' } });
  assert.match(told.stderr, /^GET \/api\/user\/\S* 200 \d+ ms /m);
});

items.run();
