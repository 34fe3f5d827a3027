/** What becomes of secrets in backups. Runs once: it brings its databases with it. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backUp, type Program } from '../../daemon/archive/backup.ts';
import { restore } from '../../daemon/archive/restore.ts';
import { secretColumns } from '../../daemon/archive/secret-tables.ts';
import { loadConfig } from '../../daemon/config/load.ts';
import { createKeyring } from '../../daemon/config/secrets.ts';
import { TollgateError } from '../../daemon/errors.ts';
import { openDatabase, type Stores } from '../../daemon/store/database.ts';
import type { TableRow } from '../../daemon/store/whole-tables.ts';
import { migrations } from '../../migrations/index.ts';
import { type TestDatabase, testEngines } from '../support/engines.ts';
import { readSources } from '../support/source-files.ts';
import { createWorkspace } from '../support/workspace.ts';

const test = suite('archive: secrets');

const workspace = createWorkspace();
const program: Program = { migrations, version: '0.0.0-test' };
const passphrase = 'a passphrase of tests';
const oldSecret = 'the secret under which all of this was made';
const newSecret = 'the secret of another machine, as long';
const plain = {
  token: 'the-relay-key-of-a-user',
  channelKey: 'sk-the-key-of-a-channel',
  option: 'the-password-of-the-mail-server',
  webhook: 'the-secret-of-a-webhook',
  totp: 'THESECRETOFANAPP',
  alert: '{"url":"https://example.com/the-address-of-an-alert"}',
  code: 'the-code-that-is-worth-money',
  password: '$argon2id$the-hash-of-a-password',
};
let source: TestDatabase;
const made: TestDatabase[] = [];

test.before(async () => {
  source = await testEngines.sqlite.migrated();
  made.push(source);
  await seal(source.url);
});

test.after(async () => {
  for (const database of made) await database.drop();
  workspace.remove();
});

/** Writes one of everything that is sealed or hashed under the old secret. */
async function seal(url: string): Promise<void> {
  const keyring = createKeyring(oldSecret);
  const sealed = (table: string, column: string, row: string, text: string) =>
    keyring.seal({ table, column, row }, text);
  const tokenHash = keyring.tokenHash(plain.token);
  const now = 1_700_000_000;
  const rows: Record<string, TableRow> = {
    users: {
      id: 1,
      username: 'ann',
      username_key: 'ann',
      password: plain.password,
      access_token_hash: 'a'.repeat(64),
      access_token_expires_at: now,
      setting: JSON.stringify({ notify_type: 'webhook', webhook_secret: plain.webhook }),
    },
    tokens: {
      id: 1,
      user_id: 1,
      key_hash: tokenHash,
      key_sealed: sealed('tokens', 'key_sealed', tokenHash, plain.token),
    },
    channel_keys: {
      id: 1,
      channel_id: 7,
      position: 0,
      key_hash: keyring.channelKeyHash(plain.channelKey),
      key_sealed: sealed(
        'channel_keys',
        'key_sealed',
        `7:${keyring.channelKeyHash(plain.channelKey)}`,
        plain.channelKey,
      ),
    },
    options: { key: 'SMTPToken', value: sealed('options', 'value', 'SMTPToken', plain.option) },
    alert_settings: { id: 1, sealed: sealed('alert_settings', 'sealed', '1', plain.alert), updated_at: now },
    user_totp: { user_id: 1, secret: sealed('user_totp', 'secret', '1', plain.totp), created_at: now },
    redemptions: { id: 1, user_id: 1, key: plain.code, quota: 500 },
    sessions: {
      id_hash: keyring.sessionHash('a session'),
      user_id: 1,
      created_at: now,
      last_seen_at: now,
      expires_at: now,
    },
  };
  const database = await openDatabase({ url });
  await database.transaction(async ({ wholeTables, options }) => {
    for (const shape of await wholeTables.shapes()) {
      const row = rows[shape.name];
      if (row === undefined) continue;
      const columns = shape.columns.filter(({ name }) => row[name] !== undefined);
      await wholeTables.insert({ ...shape, columns }, [row]);
    }
    await options.set('SystemName', 'The name of the site');
  });
  await database.close();
}

const quietly = { onRows: () => undefined, signal: new AbortController().signal };

function configOf(url: string, secret: string, folder = 'data') {
  return loadConfig({ env: {}, overrides: { 'database.url': url, data_dir: workspace.path(folder), secret } });
}

async function backUpTo(file: string, lock: { passphrase: string; workFactor: number } | undefined): Promise<void> {
  const pieces: Uint8Array[] = [];
  const write = async (piece: Uint8Array) => {
    pieces.push(piece);
  };
  await backUp(configOf(source.url, oldSecret), program, { ...quietly, excluded: [], lock, write });
  writeFileSync(file, Buffer.concat(pieces));
}

async function restored<T>(
  config: ReturnType<typeof configOf>,
  file: string,
  look: (stores: Stores, state: string) => Promise<T>,
): Promise<T> {
  const target = await testEngines.sqlite.empty();
  made.push(target);
  const wish = { into: target.url, replace: false, dryRun: false, confirm: () => Promise.resolve() };
  const { secret } = await restore(config, program, { ...quietly, ...wish, file, passphrase });
  const database = await openDatabase({ url: target.url });
  try {
    return await look(database.stores, secret);
  } finally {
    await database.close();
  }
}

async function rowOf({ wholeTables }: Stores, table: string): Promise<TableRow | undefined> {
  const shape = (await wholeTables.shapes()).find(({ name }) => name === table);
  if (shape === undefined) throw new Error(`there is no table ${table}`);
  for await (const [row] of wholeTables.portions(shape)) return row;
  return undefined;
}

test('opens everything on a machine with another secret, and ends what only the old one could find', async () => {
  const file = workspace.path('sealed.tgb');
  await backUpTo(file, { passphrase, workFactor: 10 });
  await restored(configOf('sqlite:unused', newSecret), file, async (stores, state) => {
    assert.is(state, 'resealed');
    const keyring = createKeyring(newSecret);
    const opened = async (table: string, column: string, row: (found: TableRow) => string) => {
      const found = await rowOf(stores, table);
      if (found === undefined) throw new Error(`${table} is empty`);
      return keyring.open({ table, column, row: row(found) }, String(found[column]));
    };
    assert.ok(await stores.tokens.findByKeyHash(keyring.tokenHash(plain.token)));
    assert.is(await opened('tokens', 'key_sealed', ({ key_hash: hash }) => String(hash)), plain.token);
    assert.is(await opened('channel_keys', 'key_sealed', ({ key_hash: hash }) => `7:${hash}`), plain.channelKey);
    assert.is((await rowOf(stores, 'options'))?.key, 'SMTPToken');
    assert.is(await opened('options', 'value', ({ key }) => String(key)), plain.option);
    assert.is(await opened('alert_settings', 'sealed', () => '1'), plain.alert);
    assert.is(await opened('user_totp', 'secret', () => '1'), plain.totp);
    assert.is(await rowOf(stores, 'sessions'), undefined);
    assert.is((await rowOf(stores, 'users'))?.password, plain.password);
    assert.is((await rowOf(stores, 'redemptions'))?.key, plain.code);
  });
});

test('gives a machine without a secret that of the backup, and sessions live on', async () => {
  const file = workspace.path('adopted.tgb');
  await backUpTo(file, { passphrase, workFactor: 10 });
  await restored(configOf('sqlite:unused', '', 'new machine'), file, async (stores, state) => {
    assert.is(state, 'adopted');
    const kept = workspace.path('new machine/secret');
    assert.is(readFileSync(kept, 'utf8').trim(), oldSecret);
    assert.is(statSync(kept).mode & 0o777, 0o600);
    assert.ok(await stores.sessions.find(createKeyring(oldSecret).sessionHash('a session')));
  });
});

test('refuses to write a backup with a secret that opens nothing of the database', async () => {
  const wish = { ...quietly, excluded: [], write: () => Promise.resolve() };
  const lock = { passphrase, workFactor: 10 };
  const work = backUp(configOf(source.url, newSecret), program, { ...wish, lock });
  const error: unknown = await work.then(
    () => 'it was written',
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof TollgateError && error.code === 'secret_differs', String(error));
  await backUp(configOf(source.url, newSecret), program, { ...wish, lock: undefined });
});

test('leaves every secret out of a backup without secrets, and keeps balances and names', async () => {
  const file = workspace.path('open.tgb');
  await backUpTo(file, undefined);
  const text = gunzipSync(readFileSync(file)).toString('utf8');
  for (const secret of [...Object.values(plain), oldSecret, 'a'.repeat(64)]) assert.not.match(text, secret);
  const keyring = createKeyring(oldSecret);
  for (const hash of [keyring.tokenHash(plain.token), keyring.sessionHash('a session')]) assert.not.match(text, hash);
  await restored(configOf('sqlite:unused', newSecret), file, async (stores, state) => {
    assert.is(state, 'same');
    assert.is((await rowOf(stores, 'options'))?.value, 'The name of the site');
    assert.is(await rowOf(stores, 'channel_keys'), undefined);
    assert.is((await rowOf(stores, 'redemptions'))?.quota, 500);
    const user = await stores.users.find(1);
    assert.equal([user?.username, user?.password, user?.setting], ['ann', '', '{"notify_type":"webhook"}']);
    assert.is((await rowOf(stores, 'tokens'))?.key_sealed, '');
  });
});

/** Columns that sound like secrets and are none: what is digested says nothing, or everybody may know it. */
const harmless = new Set([
  'audit_head.hash',
  'audit_logs.hash',
  'audit_logs.prev_hash',
  // The first half of a digest of a key that nobody can guess: it names a channel's key.
  'channel_keys.key_hash',
  'midjourneys.channel_key_hash',
  'response_affinity.key_hash',
  'tasks.channel_key_hash',
  // Of the id of an answer.
  'response_affinity.id_hash',
  // Names, not keys that open something.
  'idempotency_keys.key',
  'option_changes.key',
  'options.key',
  'state_objects.key',
  'price_version_texts.key',
  // A user's own invitation is given to everybody.
  'users.aff_code',
  'midjourneys.code',
  'users.username_key',
  'passkeys.public_key',
]);

test('a column that sounds like a secret is treated as one, or named as none', async () => {
  const database = await openDatabase({ url: source.url });
  const shapes = await database.stores.wholeTables.shapes();
  await database.close();
  const suspicious = shapes.flatMap(({ name: table, columns }) =>
    columns
      .filter(({ kind, name }) => kind === 'text' && /hash|seal|secret|password|key$|code$|credential$/.test(name))
      .map(({ name }) => `${table}.${name}`),
  );
  assert.ok(suspicious.includes('tokens.key_hash'));
  assert.equal(
    suspicious.filter((column) => !secretColumns.has(column) && !harmless.has(column)),
    [],
  );
});

test('every place that the program seals for is known to backups', () => {
  const places = readSources()
    .filter(({ path }) => path.startsWith('daemon/'))
    .flatMap(({ path }) => {
      const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
      return [...text.matchAll(/table: '(\w+)',\s*column: '(\w+)'/g)].map(([, table, column]) => `${table}.${column}`);
    });
  assert.ok(places.length > 4, 'seal places are written differently now');
  // A place in a list that a client keeps: it is not stored.
  const known = new Set([...secretColumns, 'logs.id']);
  assert.equal(
    places.filter((place) => !known.has(place)),
    [],
  );
});

test.run();
