/** The database of another gateway taken over, as an operator types it, beside a daemon that serves. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../daemon/contract/client.ts';
import { expectSum } from '../../daemon/domain/import-work.ts';
import { importGateway } from '../../daemon/gateway-import.ts';
import { type Database, openDatabase, type Stores } from '../../daemon/store/database.ts';
import type { TableTotals } from '../../daemon/store/whole-tables.ts';
import { completion } from '../relay/wire.ts';
import { type Ended, runProgram } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { codeOf } from '../support/refusal-code.ts';
import { emptyDatabaseUrl, type TestDatabase, testDatabaseUrl } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { createWorkspace, type Workspace } from '../support/workspace.ts';
import { foreignKey, newApiTables, oneApiTables, veloeraTables, writeGateway } from './foreign-gateway.ts';
import { countsOf, rowsOf } from './import-report.ts';

interface World {
  daemon: TestDaemon;
  database: Database;
  upstream: FakeUpstream;
  workspace: Workspace;
  /** A database of New API. */
  file: string;
  empty: TestDatabase;
  /** For a gateway on the engine of this pass. */
  source: TestDatabase;
}

const test = suite<World>('import');

/** That of the daemons of tests. */
const secret = 'a root secret for tests of the whole daemon';

test.before(async (world) => {
  world.workspace = createWorkspace();
  world.upstream = await startFakeUpstream(jsonAnswer(completion()));
  world.daemon = await startTestDaemon({ options: { SystemName: 'The new gateway' } });
  world.database = await openDatabase({ url: world.daemon.databaseUrl, poolSize: 1 });
  world.file = world.workspace.path('one-api.db');
  await writeGateway(`sqlite:${world.file}`, newApiTables(world.upstream.url));
  world.empty = await testDatabaseUrl();
  world.source = await emptyDatabaseUrl();
});

test.after(async ({ daemon, database, upstream, workspace, empty, source }) => {
  await database.close();
  await daemon.stop();
  await upstream.close();
  await empty.drop();
  await source.drop();
  workspace.remove();
});

/** Types a command beside the daemon, whose configuration names this database. */
function type(world: World, args: readonly string[], databaseUrl = world.daemon.databaseUrl): Promise<Ended> {
  const environment = {
    TOLLGATE_DATABASE_URL: databaseUrl,
    TOLLGATE_DATA_DIR: world.workspace.path('data'),
    TOLLGATE_SECRET: secret,
    TOLLGATE_SECURITY_EGRESS_ALLOW: '127.0.0.0/8',
    ELSEWHERE: 'oracle://somewhere/oneapi',
  };
  return runProgram(args, { environment, local: { import: (wish) => importGateway(wish, environment) } });
}

async function ask(world: World, key: string): Promise<number> {
  const answer = await fetch(`${world.daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer sk-${key}` },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await answer.text();
  return answer.status;
}

function signIn({ daemon }: World, username: string): Promise<boolean> {
  const client = createClient({ baseUrl: daemon.url, retries: 0, credentials: () => ({}) });
  return client.account.login({ username, password: 'the old password' }).then(
    () => true,
    () => false,
  );
}

/** What an import writes; other tables change with a daemon that runs. */
const written = new Set([
  'abilities',
  'audit_logs',
  'channel_keys',
  'channels',
  'logs',
  'option_changes',
  'options',
  'price_versions',
  'redemption_logs',
  'redemptions',
  'tokens',
  'users',
]);

async function writtenRows({ wholeTables }: Stores): Promise<Record<string, TableTotals>> {
  const shapes = (await wholeTables.shapes()).filter(({ name }) => written.has(name));
  assert.is(shapes.length, written.size);
  const totals: Record<string, TableTotals> = {};
  for (const shape of shapes) totals[shape.name] = await wholeTables.totals(shape);
  return totals;
}

const wholeCounts = [
  'options 6 3 2 1 ',
  'users 9 3 3 3 300',
  'balances 6 2 4 0 999930',
  'tokens 7 3 2 2 500000',
  'channels 6 2 0 4 77',
  'redemptions 4 2 1 1 540',
];

test('a dry run finds all that a real one would, says why rows stay behind, and changes nothing', async (world) => {
  const { database, workspace, file } = world;
  const before = await writtenRows(database.stores);
  const bytes = readFileSync(file);
  const unwritable = await type(world, ['import', file, '--dry-run', '--report', workspace.path('no/such.json')]);
  assert.is(unwritable.code, 12);
  assert.match(unwritable.stderr, /cannot write .* \(ENOENT\) \(local\)\n {2}--report\n/);
  const path = workspace.path('dry.json');
  const ended = await type(world, ['import', file, '--dry-run', '--report', path]);
  assert.is(ended.code, 11, ended.stderr);
  assert.equal(countsOf(ended), wholeCounts);
  assert.match(ended.stderr, 'dry run: nothing was kept');
  assert.match(ended.stderr, '1 column is not known here and was ignored');
  assert.equal(rowsOf(path), [
    'options RetryTimes failed option_invalid',
    'options SomethingElse skipped option_unknown',
    'options SystemName skipped option_set_here',
    'users 1 skipped username_taken',
    'users 3 skipped username_taken',
    'users 5 adjusted role_unknown role',
    'users 5 adjusted status_unknown status',
    'users 5 adjusted json_invalid setting',
    'users 5 adjusted taken_here email',
    'users 6 skipped deleted',
    'users 7 failed group_unknown group',
    'users 8 failed amount_invalid quota',
    'users 9 failed username_invalid username',
    'balances 1 skipped owner_not_taken',
    'balances 3 skipped owner_not_taken',
    'balances 6 skipped owner_not_taken',
    'balances 8 skipped owner_not_taken',
    'tokens 3 skipped owner_not_taken',
    'tokens 4 failed key_shape key',
    'tokens 5 skipped deleted',
    'tokens 6 failed token_ips_invalid allow_ips',
    'tokens 7 adjusted amount_negative remain_quota',
    'tokens 7 adjusted status_unknown status',
    'tokens 7 adjusted time_invalid expired_time',
    'channels 2 adjusted json_invalid header_override',
    'channels 2 adjusted status_unknown status',
    'channels 2 adjusted json_invalid other_info',
    'channels 3 failed channel_json_invalid model_mapping',
    'channels 4 failed channel_type_unknown type',
    'channels 5 failed channel_key_required key',
    'channels 6 failed channel_base_url_refused base_url',
    'redemptions 3 failed amount_invalid quota',
    'redemptions 4 skipped deleted',
  ]);
  const text = readFileSync(path, 'utf8');
  for (const hidden of ['plain text', 'a mail secret', 'sk-one', foreignKey('alice'), 'used-up-code', '$2a$']) {
    assert.not.match(text, hidden);
  }
  assert.is(statSync(path).mode & 0o777, 0o600);
  assert.equal(JSON.parse(text).ignored_columns, { users: ['stripe_customer'] });
  assert.equal(await writtenRows(database.stores), before);
  assert.equal(readFileSync(file), bytes);
});

test('where nothing may be here already, one such row keeps everything out', async (world) => {
  const before = await writtenRows(world.database.stores);
  const ended = await type(world, [
    'import',
    world.file,
    '--on-clash',
    'fail',
    '--only',
    'users,tokens',
    '--map-group',
    'gold=vip',
  ]);
  assert.is(ended.code, 11, ended.stderr);
  assert.equal(countsOf(ended), ['users 9 3 1 5 300', 'tokens 7 3 2 2 500000']);
  assert.match(ended.stderr, 'nothing was kept');
  assert.equal(await writtenRows(world.database.stores), before);
});

test('a running daemon goes on with the accounts, keys, channels, codes and settings that came', async (world) => {
  const { daemon, database, file } = world;
  const { stores } = database;
  const ended = await type(world, ['import', file]);
  assert.is(ended.code, 11, ended.stderr);
  assert.equal(countsOf(ended), wholeCounts);

  const alice = await stores.users.findByUsername('ALICE');
  const { quota, usedQuota, requestCount, group, id = 0 } = alice ?? {};
  assert.equal(
    { quota, usedQuota, requestCount, group },
    { quota: 1e6, usedQuota: 300, requestCount: 4, group: 'gold' },
  );
  const debtor = await stores.users.findByUsername('debtor');
  assert.is(debtor?.quota, -70);
  assert.is(debtor?.inviterId, id);
  assert.is(debtor?.affCode, 'dEbT');
  assert.is(debtor?.email, 'same@example.org');
  const second = await stores.users.findByUsername('second');
  assert.equal([second?.role, second?.status, second?.email, second?.setting], [1, 2, null, '']);
  const { items } = await daemon.root.logs.list({ page: 1, page_size: 10, username: 'Alice' });
  assert.equal(
    items.map(({ type, quota: credited }) => [type, credited]),
    [[4, 1_000_000]],
  );

  // Calls that the old keys pay for are charged to what came along.
  await until(async () => (await ask(world, foreignKey('alice'))) === 200);
  assert.is(await ask(world, foreignKey('endless')), 200);
  const chargesOf = async () => {
    const { items } = await daemon.root.logs.list({ page: 1, page_size: 10, username: 'Alice', type: 2 });
    return items.map((row) => row.quota).filter((charge) => charge > 0);
  };
  await until(async () => (await chargesOf()).length === 2);
  const charged = (await chargesOf()).reduce((sum, charge) => sum + charge, 0);
  const payer = await stores.users.find(id);
  assert.equal([payer?.quota, payer?.usedQuota], [1_000_000 - charged, 300 + charged]);
  assert.is(await ask(world, foreignKey('never')), 401);
  assert.is(await ask(world, foreignKey('other')), 401);
  const asked = new Set(world.upstream.requests.map(({ headers }) => headers.authorization));
  for (const used of asked) assert.ok(['Bearer sk-one', 'Bearer sk-two'].includes(String(used)), String(used));

  assert.ok(await signIn(world, 'alice'));
  assert.match((await stores.users.findByUsername('alice'))?.password ?? '', /^\$argon2id\$/);
  assert.not(await signIn(world, 'second'));

  const [main] = (await stores.channels.all()).filter(({ name }) => name === 'main');
  assert.equal([main?.usedQuota !== undefined && main.usedQuota >= 77, main?.priority, main?.weight], [true, 7, 3]);
  const keys = await stores.channelKeys.all([main?.id ?? 0]);
  assert.equal(
    keys.map(({ status }) => status),
    [1, 2, 1],
  );
  assert.equal(JSON.parse(main?.setting ?? ''), {
    allow_service_tier: true,
    header_override: { 'x-from': 'there' },
    multi_key_mode: 'random',
  });
  assert.ok(world.upstream.requests.every(({ headers }) => headers['x-from'] === 'there'));
  const code = await stores.redemptions.findByKey('used-up-code');
  assert.equal([code?.status, code?.usedUserId, code?.quota], [3, id, 40]);
  assert.is((await stores.options.find('SystemName'))?.value, 'The new gateway');
  assert.is((await stores.options.find('CheckInQuota'))?.value, '700');
  assert.not.match((await stores.options.find('SMTPToken'))?.value ?? '', 'a mail secret');
  assert.ok((await daemon.root.audits.verify({})).intact);
});

test('sums that the database makes otherwise than what was read keep everything out', async ({ database }) => {
  const { id = 0 } = (await database.stores.users.findByUsername('debtor')) ?? {};
  const balance = { amount: 'quota', of: 'users', ids: [id] };
  assert.is(await expectSum(database.stores, { ...balance, amounts: [-70] }), -70n);
  assert.is(await codeOf(expectSum(database.stores, { ...balance, amounts: [70] })), 'copy_differs');
});

test('a second run takes nothing twice', async (world) => {
  const ended = await type(world, ['import', world.file, '--json']);
  assert.is(ended.code, 11, ended.stderr);
  const kinds: { kind: string; new: number; sum: string }[] = JSON.parse(ended.stdout);
  assert.equal(
    kinds.map((kind) => kind.new),
    [0, 0, 0, 0, 0, 0],
  );
  assert.not(kinds.some(({ sum }) => BigInt(sum) !== 0n));
});

test('rows get other names and groups where that is asked for', async (world) => {
  const { stores } = world.database;
  const path = world.workspace.path('renamed.json');
  const args = ['--on-clash', 'rename', '--map-group', 'gold=default,nowhere=gold', '--skip', 'balances,options'];
  const ended = await type(world, ['import', world.file, ...args, '--report', path]);
  assert.is(ended.code, 11, ended.stderr);
  assert.equal(countsOf(ended)[0], 'users 9 7 1 1 300');
  for (const [name, group, shown] of [
    ['alice-2', 'default', 'Alice'],
    ['alice-3', 'default', 'alice'],
    ['lost-2', 'gold', 'Lost'],
    ['by_mail-2', 'default', 'by@mail'],
  ]) {
    const found = await stores.users.findByUsername(name ?? '');
    assert.equal([found?.group, found?.quota, found?.displayName], [group, 0, shown], name);
  }
  assert.ok((await stores.channels.all()).some(({ name, group }) => name === 'main-2' && group === 'default'));
  assert.is((await stores.users.findByUsername('root-2'))?.role, 10);
  const told = rowsOf(path);
  assert.ok(told.includes('users 1 adjusted root_as_admin role'));
  assert.ok(told.includes('users 2 adjusted renamed username'));
  assert.ok(told.includes('users 9 adjusted password_unusable password'));
});

test('an installation that was never set up takes over One API, whose numbers of vendors are others', async (world) => {
  await writeGateway(world.source.url, oneApiTables(world.upstream.url));
  const path = world.workspace.path('one.json');
  const asUsers = ['--roles', 'users', '--only', 'users', '--dry-run', '--report', path];
  await type(world, ['import', world.source.url, ...asUsers], world.empty.url);
  assert.equal(rowsOf(path), ['users 1 adjusted role_user role', 'users 2 skipped deleted']);
  const ended = await type(world, ['import', world.source.url, '--report', path, '--force'], world.empty.url);
  assert.is(ended.code, 11, ended.stderr);
  assert.match(ended.stderr, '1 account comes as an administrator; --roles users takes it in as a user');
  assert.match(ended.stderr, 'tollgate rescue password-login switches it on');
  assert.equal(countsOf(ended).slice(1, 5), [
    'users 2 1 1 0 0',
    'balances 2 1 1 0 11',
    'tokens 2 1 0 1 0',
    'channels 4 3 0 1 0',
  ]);
  assert.equal(rowsOf(path), [
    'options PasswordLoginEnabled noted root_locked_out value',
    'users 1 noted role_root role',
    'users 2 skipped deleted',
    'balances 2 skipped owner_not_taken',
    'tokens 2 failed token_ips_invalid subnet',
    'channels 3 failed channel_type_unknown type',
  ]);
  const database = await openDatabase({ url: world.empty.url, poolSize: 1 });
  try {
    const { users, tokens, channels } = database.stores;
    const root = await users.findFirstOfRole(100);
    assert.is(root?.username, 'old root');
    const [token] = (await tokens.list(root?.id ?? 0, { offset: 0, limit: 10 })).items;
    assert.equal(
      [token?.modelLimitsEnabled, token?.modelLimits, token?.allowIps],
      [true, 'gpt-4o,gpt-4', '10.0.0.0/8\n::1'],
    );
    assert.equal(
      (await channels.all()).map(({ name, type, setting }) => [name, type, setting]),
      [
        ['shared number', 14, ''],
        ['another number', 43, ''],
        ['own address', 1, '{"system_prompt":"Be kind","system_prompt_override":true}'],
      ],
    );
  } finally {
    await database.close();
  }
});

test('amounts that would be worth something else stay out, and a gift stays used by whoever had it', async (world) => {
  const file = world.workspace.path('veloera.db');
  await writeGateway(`sqlite:${file}`, veloeraTables());
  const other = await type(world, ['import', file, '--skip', 'options'], world.empty.url);
  assert.is(other.code, 7, other.stderr);
  assert.match(other.stderr, '1000 units of quota there and 500000 here');
  const taken = await type(world, ['import', file], world.empty.url);
  assert.is(taken.code, 0, taken.stderr);
  assert.match(taken.stderr, 'taken over from veloera');
  const database = await openDatabase({ url: world.empty.url, poolSize: 1 });
  try {
    const { users, redemptions, channels } = database.stores;
    const code = await redemptions.findByKey('gift-for-all');
    assert.equal([code?.isGift, code?.maxUses, code?.usedCount], [true, 3, 1]);
    const { id: redemptionId = 0 } = code ?? {};
    const { id: userId = 0 } = (await users.findByUsername('giver')) ?? {};
    assert.not(await redemptions.insertUse({ redemptionId, userId, usedTime: 1, quota: 100 }));
    assert.ok((await channels.all()).some(({ modelPrefix }) => modelPrefix === 'own-'));
  } finally {
    await database.close();
  }
});

test('each refusal has the exit code of its kind', async (world) => {
  const { workspace, file, daemon } = world;
  const refused = async (code: number, reason: string | RegExp, ...args: string[]) => {
    const ended = await type(world, ['import', ...args]);
    assert.is(ended.code, code, ended.stderr + ended.stdout);
    assert.match(ended.stderr, reason);
  };
  await refused(3, 'the database is a SQLite file', 'env:ELSEWHERE');
  await refused(3, 'import_address_invalid', 'mysql://somewhere/');
  await refused(3, '--only takes', file, '--only', 'logs');
  await refused(3, '--map-group takes', file, '--map-group', 'gold');
  await refused(3, 'balances come with users', file, '--only', 'balances');
  await refused(3, '--from takes', file, '--from', 'elsewhere');
  await refused(12, /ECONNREFUSED.*\n.*see that its server runs/, 'postgres://u:p@127.0.0.1:1/old');
  await refused(12, 'no such file', workspace.path('nothing.db'));
  writeFileSync(workspace.path('text.db'), 'this is no database, but long enough to be taken for one'.repeat(20));
  await refused(12, /import_source_unreadable[\s\S]*with its -wal/, workspace.path('text.db'));
  await writeGateway(`sqlite:${workspace.path('other.db')}`, { users: [{ id: 1, name: 'x' }] });
  await refused(12, 'import_source_unknown', workspace.path('other.db'));
  await refused(12, 'migrate --to', daemon.databaseUrl);
  const list = await type(world, ['import', 'sources', '-q']);
  assert.equal(list.stdout.trim().split('\n'), ['one-api', 'new-api', 'veloera']);
});

test.run();
