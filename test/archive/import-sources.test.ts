/**
 * How another gateway's database is read: in portions, beside the program that writes it, and on MySQL or MariaDB. What
 * MySQL says was recorded from MariaDB 10.11.19 (`mariadb/about.md`): a statement that was not asked then fails.
 * Runs once: what is written is tested on both engines in `import.test.ts`.
 */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { importGateway } from '../../daemon/gateway-import.ts';
import { openDatabase } from '../../daemon/store/database.ts';
import { readForeign } from '../../daemon/store/foreign-database.ts';
import { readMysqlAddress } from '../../daemon/store/mysql-address.ts';
import { type Ended, runProgram } from '../support/command-line.ts';
import { type Conversation, type ConversationServer, replayMysql } from '../support/mysql-conversation.ts';
import { codeOf } from '../support/refusal-code.ts';
import { type TestDatabase, testDatabaseUrl } from '../support/servers.ts';
import { createWorkspace, type Workspace } from '../support/workspace.ts';
import { newApiTables, veloeraTables, writeGateway } from './foreign-gateway.ts';
import { countsOf, rowsOf } from './import-report.ts';

interface World {
  server: ConversationServer;
  target: TestDatabase;
  workspace: Workspace;
}

const test = suite<World>('sources of import');

test.before(async (world) => {
  const conversation: Conversation = JSON.parse(
    readFileSync(new URL('./mariadb/conversation.json', import.meta.url), 'utf8'),
  );
  world.server = await replayMysql(conversation);
  world.target = await testDatabaseUrl();
  world.workspace = createWorkspace();
});

test.after(async ({ server, target, workspace }) => {
  await server.close();
  await target.drop();
  workspace.remove();
});

/** Types the command with the address in the environment, as an operator does. */
function type({ target, workspace }: World, address: string, ...args: string[]): Promise<Ended> {
  const environment = {
    TOLLGATE_DATABASE_URL: target.url,
    TOLLGATE_DATA_DIR: workspace.path('data'),
    TOLLGATE_SECRET: 'a root secret for tests of the whole daemon',
    SQL_DSN: address,
  };
  const local = { import: (wish: Parameters<typeof importGateway>[0]) => importGateway(wish, environment) };
  return runProgram(['import', 'env:SQL_DSN', ...args], { environment, local });
}

test('an import that is interrupted keeps nothing, and says so by its exit code', async ({ target, workspace }) => {
  const file = workspace.path('one-api.db');
  await writeGateway(`sqlite:${file}`, newApiTables('http://127.0.0.1:1'));
  const environment = { TOLLGATE_DATABASE_URL: target.url, TOLLGATE_DATA_DIR: workspace.path('interrupted') };
  const interruption = new AbortController();
  const { signal } = interruption;
  const local = {
    import: async (wish: Parameters<typeof importGateway>[0]) => {
      const onRows = (count: number) => {
        wish.onRows(count);
        interruption.abort('SIGTERM');
      };
      return importGateway({ ...wish, onRows }, environment);
    },
  };
  const ended = await runProgram(['import', file, '--only', 'users'], { environment, signal, local });
  assert.is(ended.code, 143, ended.stderr);
  assert.not.match(ended.stderr, 'taken over');
  const database = await openDatabase({ url: target.url, poolSize: 1 });
  try {
    assert.is((await database.stores.users.list({}, { offset: 0, limit: 1 })).total, 0);
  } finally {
    await database.close();
  }
});

test('a channel whose field its type could not read stays out by itself, with the field in the report', async (world) => {
  const file = world.workspace.path('odd-channel.db');
  const path = world.workspace.path('odd-channel.json');
  const tables = veloeraTables();
  const [sound] = tables.channels ?? [];
  await writeGateway(`sqlite:${file}`, {
    ...tables,
    channels: [{ ...sound, id: 2, type: 24, other: 'beta' }, { ...sound }],
  });
  const ended = await type(world, `sqlite:${file}`, '--only', 'options,channels', '--dry-run', '--report', path);
  assert.is(ended.code, 11, ended.stderr);
  assert.equal(rowsOf(path), ['channels 2 failed channel_rule_invalid other']);
  assert.match(String(countsOf(ended)), 'channels 2 1 0 1');
});

test('rows of every kind come over in one transaction that only reads, exact to the unit', async (world) => {
  const { server, target, workspace } = world;
  const path = workspace.path('report.json');
  const dsn = `reader:p@ss:w/rd?@tcp(127.0.0.1:${server.port})/newapi?charset=utf8mb4&parseTime=True&loc=Local`;
  const ended = await type(world, dsn, '--report', path);
  assert.is(ended.code, 11, ended.stderr);
  assert.equal(countsOf(ended), [
    'options 3 2 1 0 ',
    'users 5 3 1 1 300',
    'balances 5 3 2 0 9007199254741821',
    'tokens 3 2 1 0 500000',
    'channels 3 2 0 1 77',
    'redemptions 2 2 0 0 540',
  ]);
  assert.equal(rowsOf(path), [
    'options key skipped option_unknown',
    'users 1 noted role_root role',
    'users 3 skipped deleted',
    'users 4 failed amount_invalid quota',
    'users 5 noted role_admin role',
    'balances 3 skipped owner_not_taken',
    'balances 4 skipped owner_not_taken',
    'tokens 3 skipped deleted',
    'channels 3 failed channel_type_unknown type',
  ]);
  const [, , begun, ...rest] = server.asked;
  assert.is(begun, 'start transaction with consistent snapshot, read only');
  assert.ok(rest.every((statement) => statement.startsWith('select ')));

  const database = await openDatabase({ url: target.url, poolSize: 1 });
  try {
    const { users, tokens, channels, channelKeys, options } = database.stores;
    const alice = await users.findByUsername('爱丽丝🚀');
    assert.equal([alice?.quota, alice?.group], [Number.MAX_SAFE_INTEGER, '金牌']);
    assert.is((await users.findByUsername('manager'))?.inviterId, alice?.id);
    const { items } = await tokens.list(alice?.id ?? 0, { offset: 0, limit: 10 });
    assert.equal(items.map(({ name, unlimitedQuota, modelLimits }) => [name, unlimitedQuota, modelLimits]).sort(), [
      ['endless', true, ''],
      ['钥匙', false, 'gpt-4o,gpt-4'],
    ]);
    const [main] = (await channels.all()).filter(({ name }) => name === 'main 主');
    assert.equal(
      (await channelKeys.all([main?.id ?? 0])).map(({ status }) => status),
      [1, 3, 1],
    );
    assert.is((await options.find('SystemName'))?.value, '旧网关 🚀');
  } finally {
    await database.close();
  }
});

test('encryption that was asked for is not done without, unless it was only preferred', async (world) => {
  const address = `mysql://reader:reader@localhost:${world.server.port}/newapi`;
  for (const tls of ['tls=true', 'tls=skip-verify', 'ssl-mode=VERIFY_IDENTITY']) {
    const refused = await type(world, `${address}?${tls}`, '--dry-run');
    assert.is(refused.code, 12, refused.stderr);
    assert.match(refused.stderr, 'import_source_unreached');
    assert.not.match(refused.stderr, ':reader@');
  }
  const preferred = await type(world, `${address}?tls=preferred`, '--dry-run', '--only', 'options');
  assert.is(preferred.code, 0, preferred.stderr);
  // What became of the rows is said even where the disk is full when the report is to be written.
  const full = ['--dry-run', '--only', 'options', '--report', '/dev/full', '--force'];
  const unwritten = await type(world, `${address}?tls=preferred`, ...full);
  assert.is(unwritten.code, 12);
  assert.match(unwritten.stderr, /dry run: nothing was kept\nerror: cannot write \/dev\/full \(ENOSPC\)/);
  assert.equal(countsOf(unwritten), ['options 3 0 3 0']);
});

test('a file is read in portions, as it was, while its own program goes on writing', async ({ workspace }) => {
  const file = `sqlite:${workspace.path('journal.db')}`;
  const users = Array.from({ length: 1001 }, (_, index) => ({ id: index * 3 + 1, username: `user ${index}` }));
  await writeGateway(file, { users });
  const ids = await readForeign(file, ['users', 'tokens'], async (tables) => {
    assert.equal(await tables.columns('users'), ['id', 'username']);
    assert.equal(await tables.columns('tokens'), []);
    // The file has a journal that lets nobody write while somebody reads it.
    await writeGateway(file, { logs: [{ id: 1 }] });
    const found: unknown[][] = [];
    const selection = { key: 'id', columns: ['id'], exact: new Set<string>() };
    for await (const rows of tables.portions('users', selection)) found.push(rows.map(({ id }) => id));
    return found;
  });
  assert.ok(ids.length > 2);
  assert.equal(
    ids.flat(),
    users.map(({ id }) => id),
  );
});

test('an address is a URL, or what programs in Go are given', async () => {
  const local = { user: 'root', password: '123456', database: 'oneapi', tls: 'off' };
  const server = { host: 'localhost', port: 3306 };
  const known: [text: string, address: object][] = [
    ['root:123456@tcp(localhost:3306)/oneapi', { ...local, server }],
    ['root:123456@tcp(localhost)/oneapi?charset=utf8mb4', { ...local, server }],
    ['root:123456@tcp/oneapi', { ...local, server }],
    ['mysql://root:123456@localhost/oneapi', { ...local, server }],
    ['mariadb://root:123456@[::1]:33/oneapi', { ...local, server: { host: '::1', port: 33 } }],
    ['root:123456@tcp([::1]:33)/oneapi', { ...local, server: { host: '::1', port: 33 } }],
    ['root:123456@unix(/run/my.sock)/oneapi', { ...local, server: { socketPath: '/run/my.sock' } }],
    ['root:a@b:c/d?e@tcp(db:1)/oneapi', { ...local, password: 'a@b:c/d?e', server: { host: 'db', port: 1 } }],
    ['mysql://root:a%40b%2F@db:1/oneapi', { ...local, password: 'a@b/', server: { host: 'db', port: 1 } }],
    [
      'tcp(db:1)/oneapi?tls=true',
      { user: '', password: '', database: 'oneapi', tls: 'checked', server: { host: 'db', port: 1 } },
    ],
    ['mysql://root:123456@localhost/oneapi?ssl-mode=REQUIRED', { ...local, server, tls: 'unchecked' }],
  ];
  for (const [text, address] of known) assert.equal(readMysqlAddress(text), address, text);
  const strange = [
    'root:123456@cloudsql(place)/oneapi',
    'root@tcp(db:1)/',
    'root@tcp(a:b:1)/oneapi',
    'mysql://root:%zz@db/oneapi',
    'mysql://root@db/oneapi?tls=custom',
    // A certificate that names hosts says nothing of an address.
    'mysql://root@10.0.0.1/oneapi?tls=true',
  ];
  for (const text of strange) {
    assert.is(await codeOf(Promise.resolve(text).then(readMysqlAddress)), 'import_address_invalid', text);
  }
});

test.run();
