import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startFailure } from '../../../daemon/composition/start-failure.ts';
import type { StartLine } from '../../../daemon/composition/start-lines.ts';
import { isDataFolderClaimed } from '../../../daemon/config/data-folder.ts';
import { loadConfig } from '../../../daemon/config/load.ts';
import { createKeyring } from '../../../daemon/config/secrets.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { startDaemon } from '../../../daemon/main.ts';
import { openDatabase } from '../../../daemon/store/database.ts';
import { SqliteConnection } from '../../../daemon/store/sqlite-connection.ts';
import { withForbiddenFile } from '../../../daemon/store/sqlite-files.ts';
import { createLogger } from '../../../daemon/telemetry/logger.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { createWorkspace } from '../../support/workspace.ts';

const test = suite('why a daemon cannot start');

/** What `tollgate serve` would say. */
async function whyNot(env: Record<string, string>, say: (line: StartLine) => void = () => undefined): Promise<string> {
  const config = loadConfig({ env });
  try {
    const daemon = await startDaemon(config, { log: createLogger({ level: 'silent' }), say });
    await daemon.stop();
    return 'it started';
  } catch (error) {
    return startFailure(error, config).en;
  }
}

test('names the database that does not answer, why, and the key, without its password', async () => {
  const workspace = createWorkspace();
  try {
    const said = await whyNot({
      TOLLGATE_DATA_DIR: workspace.path('data'),
      TOLLGATE_DATABASE_URL: 'postgres://ann:very-secret@127.0.0.1:1/tollgate?password=very-secret',
    });
    assert.is(
      said,
      'cannot start: postgres://127.0.0.1:1/tollgate?password=**** cannot be used: connect ECONNREFUSED 127.0.0.1:1 (database.url, TOLLGATE_DATABASE_URL)',
    );
  } finally {
    workspace.remove();
  }
});

test('says what a pooler is to ignore that refuses the limits of a session', async () => {
  // The answer of PgBouncer 1.18: an error of 08P01 to the first message, and the end.
  const fields = ['SFATAL', 'C08P01', 'Munsupported startup parameter: statement_timeout', ''].join('\0');
  const body = Buffer.from(`${fields}\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  const pooler = createServer((socket) => socket.once('data', () => socket.end(Buffer.concat([head, body]))));
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
  const bound = pooler.address();
  const port = typeof bound === 'object' ? bound?.port : undefined;
  const workspace = createWorkspace();
  try {
    const said = await whyNot({
      TOLLGATE_DATA_DIR: workspace.path('data'),
      TOLLGATE_DATABASE_URL: `postgres://ann@127.0.0.1:${port}/tollgate`,
    });
    assert.match(
      said,
      / unsupported startup parameter: statement_timeout; have the pooler ignore statement_timeout and idle_in_transaction_session_timeout \(ignore_startup_parameters\) \(database\.url,/,
    );
  } finally {
    pooler.close();
    workspace.remove();
  }
});

test('says how to trust a database, and what it does not let its user do', () => {
  const config = loadConfig({
    env: { TOLLGATE_DATABASE_URL: 'postgres://ann:very-secret@db/tollgate?sslmode=require' },
  });
  const cause = new Error('self-signed certificate in certificate chain');
  const place = 'cannot start: postgres://db/tollgate?sslmode=require cannot be used:';
  assert.is(
    startFailure(new TollgateError('db_unavailable', {}, { cause }), config).en,
    `${place} self-signed certificate in certificate chain; name its authority by sslrootcert=FILE in the address, or trust whatever certificate comes by sslmode=no-verify (database.url, TOLLGATE_DATABASE_URL)`,
  );
  const refused = new Error('create table "schema_migrations" ("name" text) - permission denied for schema public');
  assert.is(
    startFailure(Object.assign(refused, { code: '42501', severity: 'ERROR' }), config).en,
    `${place} permission denied for schema public (database.url, TOLLGATE_DATABASE_URL)`,
  );
});

test('names the address that another program has, and the key, and has told the set-up token by then', async () => {
  const daemon = await startTestDaemon();
  const workspace = createWorkspace();
  const told: string[] = [];
  try {
    const { host } = new URL(daemon.url);
    const taken = { TOLLGATE_DATA_DIR: workspace.path('data'), TOLLGATE_LISTEN: host };
    assert.match(
      await whyNot(taken, (line) => told.push(line.en)),
      /EADDRINUSE.+; another program has this address already \(listen, TOLLGATE_LISTEN\)$/,
    );
    assert.match(told.join('\n'), /^setup: one-time setup token [\w-]{43}$/m);
    const metrics = { ...taken, TOLLGATE_LISTEN: '127.0.0.1:0', TOLLGATE_METRICS_LISTEN: host };
    assert.match(await whyNot(metrics), /EADDRINUSE.+ \(metrics\.listen, TOLLGATE_METRICS_LISTEN\)$/);
    const nowhere = 'nowhere.invalid:39000';
    assert.match(
      await whyNot({ ...taken, TOLLGATE_LISTEN: nowhere }),
      /^cannot start: getaddrinfo .+; listen on an address of this machine \(listen, TOLLGATE_LISTEN\)$/,
    );
    assert.match(
      await whyNot({ ...metrics, TOLLGATE_METRICS_LISTEN: nowhere }),
      /^cannot start: getaddrinfo .+ \(metrics\.listen, TOLLGATE_METRICS_LISTEN\)$/,
    );
  } finally {
    await daemon.stop();
    workspace.remove();
  }
});

test('leaves nothing open where a late step of the start fails, nor where the schema cannot be brought up to date', async () => {
  const workspace = createWorkspace();
  const folder = workspace.path('data');
  const path = workspace.path('data/tollgate.db');
  const env = { TOLLGATE_DATA_DIR: folder, TOLLGATE_LISTEN: '127.0.0.1:0' };
  const change = async (sql: string) => {
    const connection = await SqliteConnection.open({ path, pragmas: [] });
    await connection.execute(sql, []);
    await connection.close();
  };
  const isLeft = async () => (await isDataFolderClaimed(folder)) || existsSync(`${path}-wal`);
  try {
    assert.is(await whyNot(env), 'it started');
    await change("create trigger t before insert on nodes begin select raise(abort, 'no nodes'); end");
    assert.match(await whyNot(env), /no nodes$/);
    assert.is(await isLeft(), false);
    await change("insert into schema_migrations values ('9999-later', 0)");
    assert.match(await whyNot(env), /9999-later/);
    assert.is(await isLeft(), false);
  } finally {
    workspace.remove();
  }
});

test('says the text of a refusal, and of the system where a folder cannot be made', async () => {
  const config = loadConfig({ env: {} });
  assert.match(startFailure(new TollgateError('schema_newer', { migrations: '0099-later' }), config).en, '0099-later');
  const unmade = await whyNot({ TOLLGATE_DATA_DIR: '/dev/null/data' });
  assert.match(unmade, /^cannot start: E\w+: .+'\/dev\/null\/?.*' \(data_dir, TOLLGATE_DATA_DIR\)$/);
  const unclaimed = Object.assign(new Error('listen EROFS: read-only file system /srv/data/daemon.sock'), {
    code: 'EROFS',
    syscall: 'listen',
    address: '/srv/data/daemon.sock',
    port: -1,
  });
  const inFolder = loadConfig({ env: { TOLLGATE_DATA_DIR: '/srv/data' } });
  assert.is(
    startFailure(unclaimed, inFolder).en,
    'cannot start: listen EROFS: read-only file system /srv/data/daemon.sock (data_dir, TOLLGATE_DATA_DIR)',
  );
});

test('tells who reads Chinese the same, and what the system says as it says it', () => {
  const config = loadConfig({ env: { TOLLGATE_DATABASE_URL: 'postgres://ann:very-secret@db/tollgate' } });
  const away = new TollgateError('db_unavailable', {}, { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
  assert.is(
    startFailure(away, config).zh,
    '无法启动：无法使用 postgres://db/tollgate：connect ECONNREFUSED 127.0.0.1:1（database.url, TOLLGATE_DATABASE_URL）',
  );
  const inUse = Object.assign(new Error('listen EADDRINUSE: address already in use 0.0.0.0:3000'), {
    code: 'EADDRINUSE',
    syscall: 'listen',
    port: 3000,
  });
  assert.is(
    startFailure(inUse, config).zh,
    '无法启动：listen EADDRINUSE: address already in use 0.0.0.0:3000；此地址已被另一个程序占用（listen, TOLLGATE_LISTEN）',
  );
  const elsewhere = new TollgateError('secret_not_shared', { nodes: 'first' });
  assert.match(startFailure(elsewhere, config).zh, /^无法启动：此数据库上有其他存活节点使用不同的根密钥：first；/);
});

test('names the key of the folder where the disk is full, and the file that another user has', async () => {
  const config = loadConfig({ env: {} });
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  assert.is(startFailure(full, config).en, `cannot start: ${full.message} (data_dir, TOLLGATE_DATA_DIR)`);
  const reason = 'SQLITE_CANTOPEN: unable to open database file';
  const url = 'sqlite:/srv/data/tollgate.db';
  const allBut = (path: string) => withForbiddenFile(reason, url, (place) => place !== path);
  assert.match(
    allBut('/srv/data/tollgate.db-shm'),
    /^SQLITE_CANTOPEN: .+ \(\d+\) may not write \/srv\/data\/tollgate.db-shm$/,
  );
  assert.match(allBut('/srv/data'), /may not write \/srv\/data$/);
  assert.is(allBut('/elsewhere'), reason);
  assert.is(
    withForbiddenFile('SQLITE_FULL: disk is full', url, () => false),
    'SQLITE_FULL: disk is full',
  );
});

test('refuses a secret that opens nothing of the database, and starts with the old one', async () => {
  const workspace = createWorkspace();
  const env = { TOLLGATE_DATA_DIR: workspace.path('data'), TOLLGATE_LISTEN: '127.0.0.1:0' };
  try {
    assert.is(await whyNot({ ...env, TOLLGATE_SECRET: 'the secret of the first start' }), 'it started');
    const database = await openDatabase({ url: `sqlite:${workspace.path('data/tollgate.db')}` });
    const context = { table: 'options', column: 'value', row: 'SMTPToken' };
    const sealed = createKeyring('the secret of the first start').seal(context, 'a password');
    await database.stores.options.set('SMTPToken', sealed);
    await database.close();
    assert.is(
      await whyNot({ ...env, TOLLGATE_SECRET: 'a secret of somewhere else' }),
      'cannot start: The root secret of this configuration opens none of the 1 sealed values of the database (secret, TOLLGATE_SECRET; lost: docs/backup.md)',
    );
    // Where the file of the data folder is lost, the start leaves none in its place that would look like it.
    assert.match(await whyNot(env), /opens none of the 1 sealed values/);
    assert.not.ok(existsSync(workspace.path('data/secret')));
    assert.is(await whyNot({ ...env, TOLLGATE_SECRET: 'the secret of the first start' }), 'it started');
  } finally {
    workspace.remove();
  }
});

test('refuses a second node with a secret of its own, before anything is sealed, for as long as the first is alive', async () => {
  const workspace = createWorkspace();
  const place = (folder: string) => ({
    TOLLGATE_DATA_DIR: workspace.path(folder),
    TOLLGATE_DATABASE_URL: `sqlite:${workspace.path('shared.db')}`,
    TOLLGATE_LISTEN: '127.0.0.1:0',
    TOLLGATE_NODE_ID: folder,
  });
  const config = loadConfig({ env: place('first') });
  const first = await startDaemon(config, { log: createLogger({ level: 'silent' }) });
  try {
    const refused =
      'cannot start: Other nodes of this database are alive with another root secret: first; give all nodes the same (secret, TOLLGATE_SECRET), or wait two minutes where those are gone';
    assert.is(await whyNot(place('second')), refused);
  } finally {
    await first.stop();
  }
  try {
    assert.is(await whyNot(place('second')), 'it started');
  } finally {
    workspace.remove();
  }
});

test.run();
