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

/** A sealed value in a row; undefined where this row has none. */
type Sealed = (row: TableRow) => { readonly column: string; readonly place: SealContext } | undefined;

interface SecretTable {
  /** Columns that hold something secret, or something that only the root secret can make. */
  readonly columns: readonly string[];
  readonly sealed?: Sealed;
  /** Makes the row independent of the old secret, where more than sealing anew has to be done. */
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
    sealed: (row) => sealedAt('tokens', 'key_sealed', row.key_hash),
    renew: renewToken,
    // The row stays with its quota and limits; no key opens it.
    strip: (row) => ({ ...row, key_hash: randomBytes(32).toString('hex'), key_sealed: '' }),
  },
  channel_keys: {
    columns: ['key_sealed'],
    sealed: (row) => sealedAt('channel_keys', 'key_sealed', `${row.channel_id}:${row.key_hash}`),
    strip: gone,
  },
  options: {
    columns: ['value'],
    sealed: (row) => (isSecretOption(row) ? sealedAt('options', 'value', row.key) : undefined),
    strip: (row) => (isSecretOption(row) ? undefined : row),
  },
  alert_settings: {
    columns: ['sealed'],
    sealed: (row) => sealedAt('alert_settings', 'sealed', row.id),
    strip: gone,
  },
  user_totp: {
    columns: ['secret'],
    sealed: (row) => sealedAt('user_totp', 'secret', row.user_id),
    strip: gone,
  },
  // Codes are worth money to whoever knows them: the batches stay, with other codes.
  redemptions: { columns: ['key'], strip: (row) => ({ ...row, key: randomBytes(16).toString('hex') }) },
  sessions: endsWithSecret('id_hash', 'data'),
  verification_codes: endsWithSecret('code_hash'),
  idempotency_keys: endsWithSecret('request_hash', 'response'),
  machine_tokens: endsWithSecret('secret_hash', 'previous_hash'),
  cli_sign_ins: endsWithSecret('exchange_hash', 'user_code_hash'),
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
  const { renew, sealed } = secretTables[table] ?? {};
  if (renew !== undefined) return (row) => renew(row, from, to);
  return sealed === undefined ? unchanged : (row) => resealed(row, sealed, { from, to });
}

/** Tables that hold sealed values. */
export const sealedTables: readonly string[] = Object.keys(secretTables).filter(
  (table) => secretTables[table]?.sealed !== undefined,
);

/** Whether the row's sealed value opens under the secret of this keyring; undefined where it has none. */
export function opensUnder(table: string, row: TableRow, keyring: Keyring): boolean | undefined {
  const found = secretTables[table]?.sealed?.(row);
  if (found === undefined || isBlank(row[found.column])) return undefined;
  return opened(keyring, found.place, row[found.column]) !== undefined;
}

function unchanged(row: TableRow): TableRow {
  return row;
}

/** A key that nobody may read again was not kept, so that its hash cannot be made anew: it stays as one of no use. */
function renewToken(row: TableRow, from: Keyring, to: Keyring): TableRow {
  const key = opened(from, sealedAt('tokens', 'key_sealed', row.key_hash).place, row.key_sealed);
  if (key === undefined) return row;
  const hash = to.tokenHash(key);
  return { ...row, key_hash: hash, key_sealed: to.seal(sealedAt('tokens', 'key_sealed', hash).place, key) };
}

function isSecretOption({ key }: TableRow): boolean {
  return typeof key === 'string' && isOptionKey(key) && optionTable[key].secret;
}

function resealed(row: TableRow, sealed: Sealed, { from, to }: { from: Keyring; to: Keyring }): TableRow {
  const found = sealed(row);
  if (found === undefined) return row;
  const plain = opened(from, found.place, row[found.column]);
  return plain === undefined ? row : { ...row, [found.column]: to.seal(found.place, plain) };
}

/** Undefined where nothing is sealed, or what could not be opened where it came from either. */
function opened(from: Keyring, place: SealContext, sealed: CellValue | undefined): string | undefined {
  if (isBlank(sealed)) return undefined;
  try {
    return from.open(place, String(sealed));
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
}

function isBlank(sealed: CellValue | undefined): boolean {
  return typeof sealed !== 'string' || sealed === '';
}

function sealedAt(table: string, column: string, row: CellValue | undefined): { column: string; place: SealContext } {
  return { column, place: { table, column, row: String(row) } };
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
