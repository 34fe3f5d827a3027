/** Backups and moves of a database with rows in every table. Runs once: it brings databases of both engines with it. */
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ArchiveReader } from '../../daemon/archive/archive-lines.ts';
import { type BackupWish, backUp, type Program, verifyBackup } from '../../daemon/archive/backup.ts';
import type { FileReport } from '../../daemon/archive/copy-report.ts';
import { withTarget } from '../../daemon/archive/database-place.ts';
import { moveTo } from '../../daemon/archive/move.ts';
import { type RestoreWish, restore } from '../../daemon/archive/restore.ts';
import { loadConfig } from '../../daemon/config/load.ts';
import type { Config } from '../../daemon/config/schema.ts';
import { TollgateError } from '../../daemon/errors.ts';
import { type Database, openDatabase } from '../../daemon/store/database.ts';
import { migrations } from '../../migrations/index.ts';
import { type TestDatabase, testEngines } from '../support/engines.ts';
import { createWorkspace } from '../support/workspace.ts';
import { everything, fillEveryTable, rowsOfEach } from './full-database.ts';

const test = suite('archive: round trip');

const workspace = createWorkspace();
const program: Program = { migrations, version: '0.0.0-test' };
const passphrase = 'a passphrase of tests';
/** Quick to try, as no real one is. */
const lock = { passphrase, workFactor: 10 };
const secret = 'the root secret of these tests, long enough';
const made: TestDatabase[] = [];
let full: TestDatabase;

/** What a copy leaves behind, and why it is not missed. */
const leftBehind = ['error_counts', 'node_messages', 'nodes', 'schema_migrations'];

test.before(async () => {
  full = await testEngines.sqlite.migrated();
  made.push(full);
  await fillEveryTable(full.url);
});

test.after(async () => {
  for (const database of made) await database.drop();
  workspace.remove();
});

function configOf(url: string, rootSecret = secret): Config {
  const overrides = { 'database.url': url, data_dir: workspace.path('data'), secret: rootSecret };
  return loadConfig({ env: {}, overrides });
}

const quietly = { onRows: () => undefined, signal: new AbortController().signal };

async function backUpTo(file: string, url: string, wish: Partial<BackupWish> = {}): Promise<FileReport> {
  const handle = await open(file, 'w');
  try {
    const write = (bytes: Uint8Array) => handle.writeFile(bytes);
    return await backUp(configOf(url), program, { ...quietly, excluded: [], lock, write, ...wish });
  } finally {
    await handle.close();
  }
}

function restoreFrom(file: string, url: string, wish: Partial<RestoreWish> = {}) {
  const usual = { into: undefined, replace: false, dryRun: false, confirm: () => Promise.resolve() };
  return restore(configOf(url), program, { ...quietly, ...usual, file, passphrase, ...wish });
}

async function empty(engine: 'sqlite' | 'postgres'): Promise<TestDatabase> {
  const database = await testEngines[engine].empty();
  made.push(database);
  return database;
}

/** All that a copy is expected to carry. */
async function contentOf(url: string): Promise<Record<string, string[]>> {
  const database = await openDatabase({ url });
  try {
    const found = await everything(database.stores);
    for (const name of leftBehind) delete found[name];
    return found;
  } finally {
    await database.close();
  }
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof TollgateError)) throw error;
  return error.code;
}

/** Rows that a restore adds itself are taken out again. */
function withoutRestoreRows(content: Record<string, string[]>): Record<string, string[]> {
  const { audit_logs: audits = [], ...rest } = content;
  return { ...rest, audit_head: [], audit_logs: audits.filter((row) => !row.includes('"action":"system.restore"')) };
}

test('every table goes from SQLite to PostgreSQL and back, by files, as it was', async () => {
  const before = await contentOf(full.url);
  const first = workspace.path('first.tgb');
  const report = await backUpTo(first, full.url);
  const carried = Object.keys(report.tables).sort();
  const shapes = Object.keys(before).sort();
  assert.equal(carried, shapes, 'a table is neither carried nor knowingly left behind');
  assert.ok(Object.values(report.tables).every((rows) => rows === rowsOfEach || rows === 1));
  // Beyond what a number can hold.
  assert.is(report.sums['users.quota'], String(3n * BigInt(Number.MAX_SAFE_INTEGER) - 3n));

  const postgres = await empty('postgres');
  await restoreFrom(first, postgres.url);
  assert.equal(withoutRestoreRows(await contentOf(postgres.url)), withoutRestoreRows(before));

  const second = workspace.path('second.tgb');
  const again = await backUpTo(second, postgres.url);
  assert.equal({ ...again.sums }, { ...report.sums });
  const sqlite = await empty('sqlite');
  await restoreFrom(second, sqlite.url);
  assert.equal(withoutRestoreRows(await contentOf(sqlite.url)), withoutRestoreRows(before));
});

test('numbers go on after those that were given out, on both engines', async () => {
  const file = workspace.path('numbers.tgb');
  await backUpTo(file, full.url);
  for (const engine of ['sqlite', 'postgres'] as const) {
    const target = await empty(engine);
    await restoreFrom(file, target.url);
    const database = await openDatabase({ url: target.url });
    const inserted = await database.stores.users.insert({ username: 'new', createdAt: 1 });
    await database.close();
    assert.ok(inserted.inserted && inserted.user.id === 1001, JSON.stringify(inserted));
  }
});

test('all data move straight from one engine to the other', async () => {
  const source = await empty('sqlite');
  const file = workspace.path('move.tgb');
  await backUpTo(file, full.url);
  await restoreFrom(file, source.url);
  const target = await empty('postgres');
  const preview = await moveTo(configOf(source.url), program, { ...quietly, to: target.url, dryRun: true });
  assert.is(preview.tables.users, rowsOfEach);
  const report = await moveTo(configOf(source.url), program, { ...quietly, to: target.url, dryRun: false });
  assert.equal(report.sums, preview.sums);
  assert.equal(await contentOf(target.url), await contentOf(source.url));
});

test('a text with a character that PostgreSQL refuses moves there without it', async () => {
  const source = await testEngines.sqlite.migrated();
  made.push(source);
  const database = await openDatabase({ url: source.url });
  await database.stores.channels.insert({ type: 1, name: 'one\u0000two \\u0000', createdTime: 1 });
  await database.close();
  const target = await empty('postgres');
  await moveTo(configOf(source.url), program, { ...quietly, to: target.url, dryRun: false });
  const moved = await openDatabase({ url: target.url });
  const names = (await moved.stores.channels.all()).map(({ name }) => name);
  await moved.close();
  assert.equal(names, ['onetwo \\u0000']);
});

test('a backup without logs or texts leaves just them out', async () => {
  const file = workspace.path('part.tgb');
  const bodies = await backUpTo(file, full.url, { excluded: ['bodies'] });
  assert.is(bodies.tables.log_bodies, undefined);
  assert.is(bodies.tables.logs, rowsOfEach);
  const logs = await backUpTo(file, full.url, { excluded: ['logs'] });
  for (const name of ['logs', 'log_bodies', 'log_hours', 'log_sum_state']) assert.is(logs.tables[name], undefined);
  const target = await empty('sqlite');
  await restoreFrom(file, target.url);
  const { logs: restored, users, log_sum_state: state } = await contentOf(target.url);
  assert.equal([restored?.length, users?.length, state?.length], [0, rowsOfEach, 1]);
});

test('a file that was cut or changed, or another passphrase, is found out and leaves no trace', async () => {
  const whole = workspace.path('whole.tgb');
  const { sha256, bytes, ...report } = await backUpTo(whole, full.url);
  const choice = { ...quietly, passphrase };
  assert.equal(await verifyBackup({ ...choice, file: whole }), { ...report, bytes, sha256 });
  const content = readFileSync(whole);
  assert.not.match(content.toString('latin1'), 'username');

  const cut = workspace.path('cut.tgb');
  writeFileSync(cut, content);
  truncateSync(cut, bytes - 1);
  const changed = workspace.path('changed.tgb');
  content[Math.floor(bytes / 2)] = (content[Math.floor(bytes / 2)] ?? 0) ^ 1;
  writeFileSync(changed, content);
  const stranger = workspace.path('stranger.tgb');
  writeFileSync(stranger, 'no backup at all');
  for (const [file, reason] of [
    [cut, 'it was cut or changed'],
    [changed, 'it was cut or changed'],
    [stranger, 'it does not begin as one'],
  ] as const) {
    const error: unknown = await verifyBackup({ ...choice, file }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof TollgateError && error.code === 'backup_damaged', String(error));
    assert.is(error.params.reason, reason);
    const target = workspace.path('never.db');
    assert.is(await codeOf(restoreFrom(file, `sqlite:${target}`)), 'backup_damaged');
    assert.throws(() => readFileSync(target), /ENOENT/);
  }
  // What was there before stays when its replacement fails on the way.
  for (const engine of ['sqlite', 'postgres'] as const) {
    const used = await empty(engine);
    await restoreFrom(whole, used.url);
    const before = await contentOf(used.url);
    assert.is(await codeOf(restoreFrom(cut, used.url, { replace: true })), 'backup_damaged');
    assert.equal(await contentOf(used.url), before);
  }
  assert.is(await codeOf(verifyBackup({ ...choice, file: whole, passphrase: 'another' })), 'backup_passphrase_wrong');
  assert.is(await codeOf(verifyBackup({ ...choice, file: whole, passphrase: undefined })), 'backup_passphrase_missing');
});

test('a new file goes when it cannot be filled, and stays where others have opened it meanwhile', async () => {
  const file = workspace.path('half-way.db');
  const url = `sqlite:${file}`;
  const broken = new Error('broken off');
  for (const isOpened of [false, true]) {
    let other: Database | undefined;
    const filling = withTarget({ url }, async () => {
      if (isOpened) other = await openDatabase({ url });
      throw broken;
    });
    assert.is(await filling.then(assert.unreachable, (error: unknown) => error), broken);
    assert.is(existsSync(file), isOpened);
    await other?.close();
  }
});

test('an interrupt ends a restore after the rows that are under way, and what was there stays', async () => {
  const file = workspace.path('interrupted.tgb');
  await backUpTo(file, full.url);
  const stop = new AbortController();
  let told = 0;
  const interrupted = {
    signal: stop.signal,
    onRows: () => {
      told += 1;
      stop.abort(new Error('interrupted'));
    },
  };
  const other = await empty('sqlite');
  await restoreFrom(file, other.url);
  const before = await contentOf(other.url);
  const restored = restoreFrom(file, other.url, { ...interrupted, replace: true });
  assert.is(await restored.then(String, String), 'Error: interrupted');
  assert.equal(await contentOf(other.url), before);
  assert.is(told, 1);
});

test('an address that is none is said to be, by the flag that named it', async () => {
  const file = workspace.path('addressed.tgb');
  await backUpTo(file, full.url);
  for (const url of ['postgres://user:word@host:99999/name', 'postgres://user:word@host/na%zzme']) {
    for (const [flag, work] of [
      ['--into', () => restoreFrom(file, full.url, { into: url })],
      ['--to', () => moveTo(configOf(full.url), program, { ...quietly, to: url, dryRun: false })],
    ] as const) {
      const error: unknown = await work().then(
        () => assert.unreachable('was taken'),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof TollgateError && error.code === 'db_unavailable', String(error));
      assert.is(error.field, flag);
    }
  }
});

test('a changed byte of a backup without secrets is found out', async () => {
  const file = workspace.path('open.tgb');
  const { bytes } = await backUpTo(file, full.url, { lock: undefined });
  const content = readFileSync(file);
  for (const at of [bytes - 12, Math.floor(bytes / 2), Math.floor(bytes / 3)]) {
    const changed = Buffer.from(content);
    changed[at] = (changed[at] ?? 0) ^ 1;
    writeFileSync(file, changed);
    assert.is(await codeOf(verifyBackup({ ...quietly, file, passphrase: undefined })), 'backup_damaged', `byte ${at}`);
  }
  writeFileSync(file, content.subarray(0, -9));
  assert.is(await codeOf(verifyBackup({ ...quietly, file, passphrase: undefined })), 'backup_damaged');
});

test('a line without an end is given up before it fills the memory', async () => {
  let read = 0;
  // Always the same megabyte, so that this test does not do what it is about.
  const megabyte = new Uint8Array(2 ** 20).fill(0x20);
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (; read < 2000; read += 1) yield megabyte;
  }
  assert.is(await codeOf(new ArchiveReader(endless()).open()), 'backup_damaged');
  assert.is(read, 512);
});

test('a disk that fills up in the middle of a backup is what is said to be wrong', async () => {
  const source = await testEngines.sqlite.migrated();
  made.push(source);
  const database = await openDatabase({ url: source.url });
  await database.transaction(async ({ users }) => {
    // More rows than are read ahead of what is written.
    for (let at = 0; at < 3000; at += 1) await users.insert({ username: `user ${at}`, createdAt: at });
  });
  await database.close();
  const write = () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  for (const open of [undefined, lock]) {
    const wish = { ...quietly, excluded: [], lock: open, write };
    const failure = await backUp(configOf(source.url), program, wish).catch(String);
    assert.match(String(failure), /no space left/);
  }
});

test('a database in use is filled by nobody who does not say so, and by nobody at all while a daemon lives on it', async () => {
  const file = workspace.path('in-use.tgb');
  await backUpTo(file, full.url);
  for (const engine of ['sqlite', 'postgres'] as const) {
    const target = await empty(engine);
    await restoreFrom(file, target.url);
    assert.is(await codeOf(restoreFrom(file, target.url)), 'database_not_empty');
    assert.is(await codeOf(restoreFrom(file, target.url, { dryRun: true })), 'database_not_empty');
    await restoreFrom(file, target.url, { replace: true });

    const database = await openDatabase({ url: target.url });
    const now = Math.floor(Date.now() / 1000);
    await database.stores.nodes.beat({ id: 'alive', address: '', version: '', startedAt: now, heartbeatAt: now });
    await database.close();
    assert.is(await codeOf(restoreFrom(file, target.url, { replace: true })), 'database_in_use');
    const elsewhere = workspace.path(`${engine}.db`);
    const move = { ...quietly, to: `sqlite:${elsewhere}`, dryRun: false };
    assert.is(await codeOf(moveTo(configOf(target.url), program, move)), 'database_in_use');
  }
});

test('a database of an older program is carried as it is and migrated where it arrives', async () => {
  const old = await empty('sqlite');
  const database = await openDatabase({ url: old.url });
  const { migrate } = await import('../../daemon/store/migrate.ts');
  await migrate(database, migrations.slice(0, 3));
  await database.stores.users.insert({ username: 'early', createdAt: 1 }).catch(() => undefined);
  await database.close();
  const file = workspace.path('old.tgb');
  await backUpTo(file, old.url);
  const target = await empty('postgres');
  await restoreFrom(file, target.url);
  const opened = await openDatabase({ url: target.url });
  const applied = await opened.stores.schemaMigrations.applied();
  await opened.close();
  assert.equal(
    applied?.map(({ name }) => name),
    migrations.map(({ name }) => name),
  );
  const newer = { ...program, migrations: migrations.slice(0, 3) };
  const wish = { ...quietly, excluded: [], lock, write: () => Promise.resolve() };
  assert.is(await codeOf(backUp(configOf(target.url), newer, wish)), 'schema_newer');
  const current = workspace.path('current.tgb');
  await backUpTo(current, target.url);
  const confirm = async () => assert.unreachable();
  const usual = { ...quietly, passphrase, into: undefined, replace: false, confirm };
  for (const dryRun of [true, false]) {
    const restored = restore(configOf(`sqlite:${workspace.path('no.db')}`), newer, { ...usual, file: current, dryRun });
    assert.is(await codeOf(restored), 'schema_newer');
  }
});

test.run();
