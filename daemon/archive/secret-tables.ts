/**
 * What in the tables is secret, or bound to the root secret of the installation. A copy without secrets loses it; where
 * the target has another root secret, sealed values are sealed anew, and what only the old secret can look up ends.
 */
import { randomBytes } from 'node:crypto';
import { type Keyring, SealBroken, type SealContext } from '../config/secrets.ts';
import { isOptionKey, optionTable } from '../contract/options.ts';
import type { CellValue, TableRow } from '../store/whole-tables.ts';

/** What becomes of a row: another row, or none. */
type Change = (row: TableRow) => TableRow | undefined;

interface SecretTable {
  /** Columns that hold something secret, or something that only the root secret can make. */
  readonly columns: readonly string[];
  /** Makes the row independent of the old secret; absent where it is. */
  readonly renew?: (row: TableRow, from: Keyring, to: Keyring) => TableRow | undefined;
  /** Takes the secrets out; absent where only the root secret could tell them. */
  readonly strip: Change;
}

const gone = (): undefined => undefined;

/** Their rows can be found with the old secret alone, and are nothing without it. */
const endsWithSecret = (...columns: string[]): SecretTable => ({ columns, renew: gone, strip: gone });

/** By table. */
const secretTables: Readonly<Record<string, SecretTable>> = {
  users: {
    columns: ['password', 'access_token_hash', 'setting'],
    strip: (row) => ({
      ...row,
      password: '',
      access_token_hash: null,
      access_token_expires_at: 0,
      setting: withoutWebhookSecret(row.setting),
    }),
  },
  tokens: {
    columns: ['key_hash', 'key_sealed'],
    renew: renewToken,
    // The row stays with its quota and limits; no key opens it.
    strip: (row) => ({ ...row, key_hash: randomBytes(32).toString('hex'), key_sealed: '' }),
  },
  channel_keys: {
    columns: ['key_sealed'],
    renew: (row, from, to) => reseal(row, 'key_sealed', channelKeyPlace(row), from, to),
    strip: gone,
  },
  options: { columns: ['value'], renew: renewOption, strip: (row) => (isSecretOption(row) ? undefined : row) },
  alert_settings: {
    columns: ['sealed'],
    renew: (row, from, to) => reseal(row, 'sealed', placeOf('alert_settings', 'sealed', row.id), from, to),
    strip: gone,
  },
  user_totp: {
    columns: ['secret'],
    renew: (row, from, to) => reseal(row, 'secret', placeOf('user_totp', 'secret', row.user_id), from, to),
    strip: gone,
  },
  // Codes are worth money to whoever knows them: the batches stay, with other codes.
  redemptions: { columns: ['key'], strip: (row) => ({ ...row, key: randomBytes(16).toString('hex') }) },
  sessions: endsWithSecret('id_hash', 'data'),
  verification_codes: endsWithSecret('code_hash'),
  idempotency_keys: endsWithSecret('request_hash', 'response'),
  machine_tokens: endsWithSecret('secret_hash', 'previous_hash'),
  recovery_codes: endsWithSecret('code_hash'),
};

/** Columns of secrets and of what depends on the root secret, as `table.column`; a test holds the schema against it. */
export const secretColumns: ReadonlySet<string> = new Set(
  Object.entries(secretTables).flatMap(([table, { columns }]) => columns.map((column) => `${table}.${column}`)),
);

/** Rows of the table without secrets. */
export function withoutSecrets(table: string): Change {
  return secretTables[table]?.strip ?? unchanged;
}

/** Rows of the table for another root secret. */
export function underOtherSecret(table: string, from: Keyring, to: Keyring): Change {
  const renew = secretTables[table]?.renew;
  return renew === undefined ? unchanged : (row) => renew(row, from, to);
}

function unchanged(row: TableRow): TableRow {
  return row;
}

/** A key that nobody may read again was not kept, so that its hash cannot be made anew: it stays as one of no use. */
function renewToken(row: TableRow, from: Keyring, to: Keyring): TableRow {
  const { key_hash: hash, key_sealed: sealed } = row;
  const key = opened(from, placeOf('tokens', 'key_sealed', hash), sealed);
  if (key === undefined) return row;
  const renewed = to.tokenHash(key);
  return { ...row, key_hash: renewed, key_sealed: to.seal(placeOf('tokens', 'key_sealed', renewed), key) };
}

function renewOption(row: TableRow, from: Keyring, to: Keyring): TableRow {
  return isSecretOption(row) ? reseal(row, 'value', placeOf('options', 'value', row.key), from, to) : row;
}

function isSecretOption({ key }: TableRow): boolean {
  return typeof key === 'string' && isOptionKey(key) && optionTable[key].secret;
}

function reseal(row: TableRow, column: string, place: SealContext, from: Keyring, to: Keyring): TableRow {
  const plain = opened(from, place, row[column]);
  return plain === undefined ? row : { ...row, [column]: to.seal(place, plain) };
}

/** Undefined where nothing is sealed, or what could not be opened where it came from either. */
function opened(from: Keyring, place: SealContext, sealed: CellValue | undefined): string | undefined {
  if (typeof sealed !== 'string' || sealed === '') return undefined;
  try {
    return from.open(place, sealed);
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
}

function channelKeyPlace(row: TableRow): SealContext {
  return placeOf('channel_keys', 'key_sealed', `${row.channel_id}:${row.key_hash}`);
}

function placeOf(table: string, column: string, row: CellValue | undefined): SealContext {
  return { table, column, row: String(row) };
}

/** Other members of the text are kept as they are; a text that nobody can read goes as a whole. */
function withoutWebhookSecret(setting: CellValue | undefined): CellValue {
  if (typeof setting !== 'string' || !setting.includes('webhook_secret')) return setting ?? '';
  try {
    return JSON.stringify(JSON.parse(setting), (name, value) => (name === 'webhook_secret' ? undefined : value));
  } catch {
    return '';
  }
}
