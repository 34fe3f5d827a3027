/** Backup, restore, move and rescue as an operator types them, beside a daemon that serves. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../daemon/contract/client.ts';
import { rescueRoot } from '../../daemon/rescue.ts';
import { backUpDatabase, moveDatabase, restoreDatabase, verifyBackup } from '../../daemon/transfer.ts';
import { completion } from '../relay/wire.ts';
import { openBrowser } from '../support/api-browser.ts';
import { type Ended, runProgram } from '../support/command-line.ts';
import { rootPassword, startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { emptyDatabaseUrl, type TestDatabase, testEngine } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { createWorkspace, type Workspace } from '../support/workspace.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
  workspace: Workspace;
  made: TestDatabase[];
}

const test = suite<World>('beside a daemon');

const passphrase = { BK: 'a passphrase of tests' };
const locked = ['--passphrase', 'env:BK'];
/** What a guess costs has nothing to do with the engine: it is paid in one pass. */
const workFactor = testEngine() === 'sqlite' ? undefined : 10;
/** What root is given, with a row of the log. */
const givenAtSetup = 100_000_000n;
/** That of the daemons of tests. */
const secret = 'a root secret for tests of the whole daemon';

test.before(async (world) => {
  world.workspace = createWorkspace();
  world.made = [];
  world.upstream = await startFakeUpstream(jsonAnswer(completion()));
  world.daemon = await startTestDaemon();
  await world.daemon.addChannel({ base_url: world.upstream.url, models: 'gpt-4o' });
  world.key = await world.daemon.addKey();
});

test.after(async ({ daemon, upstream, workspace, made }) => {
  await daemon.stop();
  await upstream.close();
  for (const database of made) await database.drop();
  workspace.remove();
});

/** Types a command beside the daemon, whose configuration names this database. */
function type(world: World, args: readonly string[], databaseUrl = world.daemon.databaseUrl): Promise<Ended> {
  const environment = {
    TOLLGATE_DATABASE_URL: databaseUrl,
    TOLLGATE_DATA_DIR: world.workspace.path('data'),
    TOLLGATE_SECRET: secret,
    ...passphrase,
  };
  return runProgram(args, {
    environment,
    input: 'another root password\n',
    local: {
      backup: (wish) => backUpDatabase(wish, environment, workFactor),
      verifyBackup,
      restore: (wish) => restoreDatabase(wish, environment),
      moveTo: (wish) => moveDatabase(wish, environment),
      rescue: (wish) => rescueRoot(wish, environment),
    },
  });
}

async function ask(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await answer.text();
  return answer.status;
}

/** Calls one after the other, with a breath in between: the backup has work to do as well. Answers their statuses. */
async function keepAsking({ daemon, key }: World, signal: AbortSignal): Promise<number[]> {
  const statuses: number[] = [];
  while (!signal.aborted) {
    statuses.push(await ask(daemon.url, key));
    await sleep(20);
  }
  return statuses;
}

async function signIn(url: string, password: string): Promise<string | undefined> {
  const browser = openBrowser(url);
  return browser.client.account.login({ username: 'root', password }).then(
    () => browser.cookie,
    () => undefined,
  );
}

test('a backup beside calls holds one moment: every charge with its row, and a daemon starts from it', async (world) => {
  const { daemon, key, workspace } = world;
  assert.is(await ask(daemon.url, key), 200);
  const stop = new AbortController();
  const callers = Promise.all(Array.from({ length: 2 }, () => keepAsking(world, stop.signal)));
  const file = workspace.path('nightly.tgb');
  const open = workspace.path('open.tgb');
  const rows: number[] = [];
  try {
    for (const args of [
      [open, '--secrets', 'none'],
      [open, '--secrets', 'none', '--force'],
      [file, ...locked],
    ]) {
      const ended = await type(world, ['backup', '--json', '--out', ...args]);
      assert.is(ended.code, 0, ended.stderr);
      const { file: written, sums, tables, bytes, sha256 } = JSON.parse(ended.stdout);
      assert.is(BigInt(sums['logs.quota']), BigInt(sums['users.used_quota']) + givenAtSetup);
      assert.is(statSync(written).size, bytes);
      assert.is(statSync(written).mode & 0o777, 0o600);
      rows.push(tables.logs);
      if (written === file) continue;
      const verified = await type(world, ['backup', 'verify', written, '--json']);
      assert.is(verified.code, 0, verified.stderr);
      assert.is(JSON.parse(verified.stdout).sha256, sha256);
    }
  } finally {
    stop.abort();
  }
  const refused = (await callers).flat().filter((status) => status !== 200);
  assert.equal(refused, []);
  assert.ok((rows[2] ?? 0) > (rows[0] ?? 0), `${rows} rows`);

  const target = await emptyDatabaseUrl();
  world.made.push(target);
  const name = target.url.split('/').at(-1) ?? '';
  const unasked = await type(world, ['restore', open, '--into', target.url]);
  assert.is(unasked.code, 3, unasked.stderr);
  const looked = await type(world, ['restore', open, '--into', target.url, '--dry-run']);
  assert.is(looked.code, 0, looked.stderr);
  const restored = await type(world, ['restore', file, '--into', target.url, '--confirm', name, ...locked]);
  assert.is(restored.code, 0, restored.stderr);
  const again = await startTestDaemon({ databaseUrl: target.url, dataDir: workspace.path('again') });
  try {
    assert.is(await ask(again.url, key), 200);
    assert.ok((await again.root.audits.verify({})).intact);
    assert.is((await type(world, ['migrate', '--to', 'sqlite:elsewhere.db'], target.url)).code, 7);
  } finally {
    await again.stop();
  }
  const elsewhere = workspace.path('elsewhere.db');
  const moved = await type(world, ['migrate', '--to', `sqlite:${elsewhere}`, '--json'], target.url);
  assert.is(moved.code, 0, moved.stderr);
  assert.is(JSON.parse(moved.stdout).database, 'elsewhere.db');
});

test('each refusal has the exit code of its kind, and none leaves a file', async (world) => {
  const { workspace, daemon } = world;
  const file = workspace.path('codes.tgb');
  const refused = async (code: number, reason: string, ...args: string[]) => {
    const ended = await type(world, args);
    assert.is(ended.code, code, ended.stderr + ended.stdout);
    assert.match(ended.stderr, reason);
  };
  await refused(3, '--out FILE', 'backup', ...locked);
  await refused(3, 'needs a passphrase', 'backup', '--out', file);
  await refused(3, 'not config', 'backup', '--out', file, '--exclude', 'config', ...locked);
  await refused(3, 'NONE is not set', 'backup', '--out', file, '--passphrase', 'env:NONE');
  assert.throws(() => statSync(file), /ENOENT/);
  const nightly = workspace.path('nightly.tgb');
  await refused(12, 'exists', 'backup', '--out', nightly, ...locked);
  await refused(3, 'backup_passphrase_missing', 'backup', 'verify', nightly);
  for (const words of [['backup', 'verify'], ['restore']]) {
    const gone = await type(world, [...words, 'gone.tgb', '--lang', 'zh']);
    assert.equal([gone.code, gone.stderr.split('\n')[0]], [12, '错误：无法读取 gone.tgb（ENOENT） (local)']);
    const folder = await type(world, [...words, '/tmp']);
    assert.match(folder.stderr, /cannot read \/tmp \(EISDIR\)[\s\S]*check the path/);
    assert.is(folder.code, 12);
  }
  await refused(3, 'backup_passphrase_wrong', 'backup', 'verify', nightly, '--passphrase', 'not the passphrase');
  await refused(12, 'ENOENT', 'backup', 'verify', workspace.path('nothing.tgb'), ...locked);
  const open = workspace.path('codes-open.tgb');
  await refused(0, '', 'backup', '--out', open, '--secrets', 'none', '-q');
  writeFileSync(workspace.path('cut.tgb'), readFileSync(open).subarray(0, -30));
  await refused(2, 'it ends too early; copy it once more', 'backup', 'verify', workspace.path('cut.tgb'));
  const name = daemon.databaseUrl.split('/').at(-1) ?? '';
  await refused(7, 'database_in_use', 'restore', open, '--confirm', name, '--replace');
  await refused(3, 'sqlite:PATH', 'migrate', '--to', 'mysql://somewhere');
  await refused(6, 'rescue_no_root', 'rescue', 'root-2fa', '--username', 'nobody', '--yes');
  await refused(3, 'needs an answer', 'rescue', 'password-login');
  const missing = await type(world, ['backup', '--out', workspace.path('no.tgb'), ...locked], 'sqlite:/nowhere/x.db');
  assert.is(missing.code, 12, missing.stderr);
  assert.throws(() => statSync(workspace.path('no.tgb')), /ENOENT/);
});

test('a backup goes to a pipe as it is made', async (world) => {
  const ended = await type(world, ['backup', '--out', '-', '--secrets', 'none', '--exclude', 'logs']);
  assert.is(ended.code, 0, ended.stderr);
  assert.match(ended.stderr, /rows in \d+ bytes, sha256 [0-9a-f]{64}/);
  assert.ok(ended.stdout.length > 100);
});

test('a backup leaves out all that it is told, in one flag or in several', async (world) => {
  for (const flags of [
    ['--exclude', 'logs,bodies'],
    ['--exclude', 'logs', '--exclude', 'bodies'],
  ]) {
    const file = world.workspace.path(`part-${flags.length}.tgb`);
    const ended = await type(world, ['backup', '--out', file, '--secrets', 'none', ...flags, '--json=excluded']);
    assert.equal(JSON.parse(ended.stdout).excluded, ['logs', 'bodies'], ended.stderr);
  }
});

test('a locked-out root gets back in while the daemon runs, and every session from before ends', async (world) => {
  const { daemon } = world;
  const cookie = await signIn(daemon.url, rootPassword);
  assert.ok(cookie);
  await daemon.root.options.set({ key: 'PasswordLoginEnabled', value: 'false' });
  assert.is(await signIn(daemon.url, rootPassword), undefined);

  assert.is((await type(world, ['rescue', 'password-login', '--yes'])).code, 0);
  await until(async () => (await signIn(daemon.url, rootPassword)) !== undefined);

  const rescued = await type(world, ['rescue', 'root-password', '--password-stdin', '--yes', '--json']);
  assert.is(rescued.code, 0, rescued.stderr);
  assert.is(JSON.parse(rescued.stdout).username, 'root');
  const isSignedIn = async () => {
    const answer = await fetch(`${daemon.url}/api/user/self`, { headers: { cookie, 'veloera-user': '1' } });
    return answer.status === 200 && (await answer.text()).includes('"success":true');
  };
  await until(async () => !(await isSignedIn()));
  assert.is(await signIn(daemon.url, rootPassword), undefined);
  assert.ok(await signIn(daemon.url, 'another root password'));

  assert.is((await type(world, ['rescue', 'root-2fa', '--yes'])).code, 0);
  let fresh = '';
  const client = createClient({
    baseUrl: daemon.url,
    retries: 0,
    credentials: () => ({ cookie: fresh, userId: 1 }),
  });
  fresh = (await signIn(daemon.url, 'another root password')) ?? '';
  const { items } = await client.audits.list({ page: 1, page_size: 10, actor: 'tollgate rescue' });
  assert.equal(
    items.map(({ action, target }) => `${action} ${target}`),
    ['two_factor.reset user:1', 'user.reset user:1', 'option.set option:PasswordLoginEnabled'],
  );
  assert.ok((await client.audits.verify({})).intact);
});

test.run();
