/** Conditions of log lists and figures (management-api.md 3.14). */
import type { Knex } from 'knex';
import type { TimeRange } from './log-stretches.ts';

/** What a row is about; the sums know all of it. Absent members do not filter. */
export interface LogFacts {
  readonly userId?: number | undefined;
  readonly type?: number | undefined;
  readonly failed?: boolean | undefined;
  readonly username?: string | undefined;
  readonly tokenName?: string | undefined;
  readonly modelName?: string | undefined;
  /** Start of the model name; letters like any other, wildcards included. */
  readonly modelPrefix?: string | undefined;
  readonly channelId?: number | undefined;
  readonly group?: string | undefined;
}

/** What only the rows themselves know. */
interface LogRowFacts {
  readonly tokenId?: number | undefined;
  readonly requestId?: string | undefined;
  /** Rows written after the row of this id. */
  readonly afterId?: number | undefined;
}

/** Absent members do not filter. */
export interface LogFilter extends LogFacts, LogRowFacts {
  /** Unix seconds, included. */
  readonly from?: number | undefined;
  /** Unix seconds, included. */
  readonly until?: number | undefined;
}

const factColumns = [
  ['userId', 'user_id'],
  ['type', 'type'],
  ['failed', 'failed'],
  ['username', 'username'],
  ['tokenName', 'token_name'],
  ['modelName', 'model_name'],
  ['channelId', 'channel_id'],
  ['group', 'group'],
] as const;

/** Conditions on columns that `logs`, `log_hours` and `log_days` share. */
export function withFacts(query: Knex.QueryBuilder, facts: LogFacts): Knex.QueryBuilder {
  for (const [field, column] of factColumns) {
    const value = facts[field];
    if (value !== undefined) query.where(column, value);
  }
  if (facts.modelPrefix !== undefined) {
    const length = [...facts.modelPrefix].length;
    query.whereRaw('substr(??, 1, ?) = ?', ['model_name', length, facts.modelPrefix]);
  }
  return query;
}

/** Rows of `logs` within the filter. */
export function withinFilter(query: Knex.QueryBuilder, filter: LogFilter): Knex.QueryBuilder {
  withFacts(query, filter);
  if (filter.tokenId !== undefined) query.where('token_id', filter.tokenId);
  if (filter.requestId !== undefined) query.where('request_id', filter.requestId);
  if (filter.afterId !== undefined) query.where('id', '>', filter.afterId);
  return withinRange(query, 'created_at', rangeOf(filter));
}

/** What a filter looks at in a row. */
type FilteredRow = {
  readonly [Fact in Exclude<keyof LogFacts | keyof LogRowFacts, 'modelPrefix' | 'afterId'>]: NonNullable<
    LogFilter[Fact]
  >;
} & { readonly id: number; readonly createdAt: number };

/** Whether `withinFilter` finds the row: the same conditions for rows that are in memory already. */
export function isWithinFilter(row: FilteredRow, filter: LogFilter): boolean {
  const { modelPrefix, tokenId, requestId, afterId } = filter;
  const { from, until } = rangeOf(filter);
  return (
    factColumns.every(([field]) => filter[field] === undefined || filter[field] === row[field]) &&
    (modelPrefix === undefined || row.modelName.startsWith(modelPrefix)) &&
    (tokenId === undefined || tokenId === row.tokenId) &&
    (requestId === undefined || requestId === row.requestId) &&
    (afterId === undefined || row.id > afterId) &&
    row.createdAt >= from &&
    row.createdAt < until
  );
}

/** Whether the sums can answer for the filter. */
export function isSummed({ tokenId, requestId, afterId }: LogFilter): boolean {
  return tokenId === undefined && requestId === undefined && afterId === undefined;
}

/** The times of the filter. */
export function rangeOf({ from, until }: LogFilter): TimeRange {
  return {
    from: from ?? Number.NEGATIVE_INFINITY,
    until: until === undefined ? Number.POSITIVE_INFINITY : Math.floor(until) + 1,
  };
}

/** Rows whose time in that column is within the range. */
export function withinRange(query: Knex.QueryBuilder, column: string, { from, until }: TimeRange): Knex.QueryBuilder {
  if (from !== Number.NEGATIVE_INFINITY) query.where(column, '>=', from);
  if (until !== Number.POSITIVE_INFINITY) query.where(column, '<', until);
  return query;
}
