/**
 * SQL for `log_hours` and `log_days`: sums of the log over everything a list can be filtered by. Whoever inserts or
 * removes log rows changes them in the same transaction, so that they are always the sums of the rows that are there.
 */
import type { Knex } from 'knex';
import type { Engine } from './dialect.ts';

export const HOUR_SECONDS = 3600;
export const DAY_SECONDS = 86_400;

export type SumTable = 'log_hours' | 'log_days';

/** Start, dimensions and figures in the order of the columns. */
type SumEntry = [
  startsAt: number,
  userId: number,
  type: number,
  failed: boolean,
  channelId: number,
  modelName: string,
  tokenName: string,
  group: string,
  username: string,
  rows: number,
  calls: number,
  quota: number,
  promptTokens: number,
  completionTokens: number,
  cachedTokens: number,
];

/** What a row tells the sums. */
export interface SummedRow {
  /** Unix seconds. */
  readonly createdAt: number;
  readonly userId: number;
  readonly type: number;
  readonly failed: boolean;
  readonly channelId: number;
  readonly modelName: string;
  readonly tokenName: string;
  readonly group: string;
  readonly username: string;
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** JSON text. */
  readonly other: string;
}

const columns =
  'starts_at, user_id, type, failed, channel_id, model_name, token_name, "group", username, row_count, calls, quota, ' +
  'prompt_tokens, completion_tokens, cached_tokens';
const key = 'starts_at, user_id, type, failed, channel_id, model_name, token_name, "group", username';

const merge = (table: SumTable) =>
  ['row_count', 'calls', 'quota', 'prompt_tokens', 'completion_tokens', 'cached_tokens']
    .map((figure) => `${figure} = ${table}.${figure} + excluded.${figure}`)
    .join(', ');

/** Adds a JSON list of entries; each start and combination of dimensions comes once. */
export const sqliteAddSums = (table: SumTable): string => `
    INSERT INTO ${table} (${columns})
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
      value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12, value ->> 13, value ->> 14
    FROM json_each(?) WHERE true
    ON CONFLICT (${key}) DO UPDATE SET ${merge(table)}`;

/** As `sqliteAddSums`. Rows are locked in the order of the list. */
export const postgresAddSums = (table: SumTable): string => `
    INSERT INTO ${table} (${columns})
    SELECT (v ->> 0)::bigint, (v ->> 1)::int, (v ->> 2)::int, (v ->> 3)::boolean, (v ->> 4)::int, v ->> 5, v ->> 6,
      v ->> 7, v ->> 8, (v ->> 9)::bigint, (v ->> 10)::bigint, (v ->> 11)::bigint, (v ->> 12)::bigint,
      (v ->> 13)::bigint, (v ->> 14)::bigint
    FROM jsonb_array_elements(?::jsonb) AS v
    ON CONFLICT (${key}) DO UPDATE SET ${merge(table)}`;

/**
 * What rows add to the sums of their hours or days, in an order that is the same for every writer.
 * @param sign -1 for rows that go
 */
export function sumEntries(rows: readonly SummedRow[], seconds: number, sign: 1 | -1 = 1): SumEntry[] {
  const entries = new Map<string, SumEntry>();
  for (const row of rows) {
    const { userId, type, failed, channelId, modelName, tokenName, group, username } = row;
    const startsAt = row.createdAt - (row.createdAt % seconds);
    const names = [modelName, tokenName, group, username] as const;
    const name = `${startsAt} ${userId} ${type} ${failed} ${channelId} ${names.join('\0')}`;
    let entry = entries.get(name);
    if (!entry) {
      entry = [startsAt, userId, type, failed, channelId, ...names, 0, 0, 0, 0, 0, 0];
      entries.set(name, entry);
    }
    entry[9] += sign;
    entry[10] += isCall(row) ? sign : 0;
    entry[11] += sign * row.quota;
    entry[12] += sign * row.promptTokens;
    entry[13] += sign * row.completionTokens;
    entry[14] += sign * cachedTokensOf(row.other);
  }
  // Writers that touch the same sums at once take them in the same order, so none waits for another in a circle.
  return [...entries].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, entry]) => entry);
}

const CONSUME = 2;

/** Whether the row is that of a call: neither of a tool within a call nor a test. */
function isCall({ type, other }: SummedRow): boolean {
  // A member of a JSON text can be recognised by its sign: within any string its quotes would be escaped.
  return type === CONSUME && !other.includes('"tool":{') && !other.includes('"is_test":true');
}

function cachedTokensOf(other: string): number {
  const [, digits] = /"cache_tokens":([0-9]{1,15})/.exec(other) ?? [];
  return digits === undefined ? 0 : Number(digits);
}

/** Adds rows to the sums of their hours and days. In the transaction that inserts them. */
export async function addToSums(db: Knex, engine: Engine, rows: readonly SummedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const add = engine === 'postgres' ? postgresAddSums : sqliteAddSums;
  for (const [table, seconds] of sumTables) {
    await db.raw(add(table), [JSON.stringify(sumEntries(rows, seconds))]);
  }
}

/** Takes rows out of the sums. In the transaction that removes them. */
export async function takeFromSums(db: Knex, engine: Engine, rows: readonly SummedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const add = engine === 'postgres' ? postgresAddSums : sqliteAddSums;
  for (const [table, seconds] of sumTables) {
    const entries = sumEntries(rows, seconds, -1);
    await db.raw(add(table), [JSON.stringify(entries)]);
    const starts = [...new Set(entries.map(([startsAt]) => startsAt))];
    await db(table).whereIn('starts_at', starts).where('row_count', '<=', 0).delete();
  }
}

const sumTables = [
  ['log_hours', HOUR_SECONDS],
  ['log_days', DAY_SECONDS],
] as const satisfies readonly (readonly [SumTable, number])[];
