/** What differs between the two database engines, in one place: value forms, text matching, error numbers. */
import { TollgateError } from '../errors.ts';

export type Engine = 'sqlite' | 'postgres';

/** A record as the driver hands it over: booleans may be 0 and 1, dates may be unix milliseconds. */
export type Stored<Rec> = {
  [Field in keyof Rec]: Rec[Field] extends boolean
    ? boolean | number
    : Rec[Field] extends Date | null
      ? Date | number | Extract<Rec[Field], null>
      : Rec[Field];
};

/** A boolean column of either engine. */
export function readFlag(value: boolean | number): boolean {
  return value === true || value === 1;
}

/** A datetime column of either engine: SQLite keeps unix milliseconds. */
export function readDate(value: Date | number): Date {
  return value instanceof Date ? value : new Date(value);
}

/** A nullable datetime column of either engine. */
export function readDateOrNull(value: Date | number | null): Date | null {
  return value === null ? null : readDate(value);
}

/** What `raw` answers: on PostgreSQL the rows are in an object. */
export type RawResult<Row> = Row[] | { rows: Row[] };

export function rowsOf<Row>(result: RawResult<Row>): Row[] {
  return Array.isArray(result) ? result : result.rows;
}

/** How the driver's failure is to be treated. */
export type FailureKind =
  /** Another transaction stood in the way and this one was rolled back as a whole: run it again. */
  | 'contention'
  /** A unique index refused a write that had checked before: the check will see the other row when run again. */
  | 'duplicate'
  /** A pooler gave the connection to somebody else meanwhile: what was prepared on it is not there, or not ours. */
  | 'unprepared'
  /** The database cannot be reached, is full, takes no writes, or took too long. */
  | 'unavailable'
  /** Anything else is a mistake in the program. */
  | 'bug';

/** Codes of PostgreSQL's appendix A; a connection that breaks carries none of them and is judged by its session. */
export function postgresFailure(error: unknown): FailureKind {
  const code = codeOf(error);
  if (code === undefined) return 'bug';
  if (code === '40001' || code === '40P01') return 'contention';
  if (code === '23505') return 'duplicate';
  if (code === '26000' || code === '42P05') return 'unprepared';
  // 08 connection, 53 resources, 57 operator intervention (57014 is the statement timeout), 58 system error; a
  // transaction sat idle (25P03) or went on (25P04) for too long; a lock was not to be had (55P03); it may only be read
  // (25006), since another server took over, or since its provider saw the disk run full.
  const unavailable = /^(08|53|57|58)|^(25P0[34]|55P03|25006)$/.test(code) || code.startsWith('E');
  return unavailable ? 'unavailable' : 'bug';
}

/**
 * Whether tables (42P01), their schema (3F000) or columns (42703) of PostgreSQL are not there, as while a backup is put
 * back, or forbidden (42501), as behind it. To whoever can wait that is an outage; to anybody else it is a bug.
 */
export function isSchemaAway(error: unknown): boolean {
  return /^(42P01|3F000|42703|42501)$/.test(codeOf(error) ?? '');
}

const unavailableSqlite = new Set([
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_INTERRUPT',
  'SQLITE_IOERR',
  'SQLITE_FULL',
  'SQLITE_CANTOPEN',
  'SQLITE_READONLY',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_PROTOCOL',
]);

/** Result codes of SQLite. */
export function sqliteFailure(error: unknown): FailureKind {
  return unavailableSqlite.has(codeOf(error) ?? '') ? 'unavailable' : 'bug';
}

/** The failure that callers see when the database cannot serve. */
export function databaseUnavailable(cause: unknown): TollgateError {
  return new TollgateError('db_unavailable', {}, { cause, retryAfterSeconds: 5 });
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
