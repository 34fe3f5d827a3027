/** Conditions of log lists and figures (management-api.md 3.14). */
import type { Knex } from 'knex';

/** What a row is about; absent members do not filter. The rollups know all of it. */
export interface LogFacts {
  readonly userId?: number | undefined;
  readonly tokenId?: number | undefined;
  readonly type?: number | undefined;
  readonly username?: string | undefined;
  readonly tokenName?: string | undefined;
  readonly modelName?: string | undefined;
  /** Start of the model name; letters like any other, wildcards included. */
  readonly modelPrefix?: string | undefined;
  readonly channelId?: number | undefined;
  readonly group?: string | undefined;
}

export interface LogFilter extends LogFacts {
  readonly requestId?: string | undefined;
  /** Unix seconds, included. */
  readonly from?: number | undefined;
  /** Unix seconds, included. */
  readonly until?: number | undefined;
}

const exactColumns = [
  ['userId', 'user_id'],
  ['tokenId', 'token_id'],
  ['type', 'type'],
  ['username', 'username'],
  ['tokenName', 'token_name'],
  ['modelName', 'model_name'],
  ['channelId', 'channel_id'],
  ['group', 'group'],
] as const;

/** Conditions on columns that `logs` and `log_rollups` share. */
export function withFacts(query: Knex.QueryBuilder, facts: LogFacts): Knex.QueryBuilder {
  for (const [field, column] of exactColumns) {
    const value = facts[field];
    if (value !== undefined) query.where(column, value);
  }
  if (facts.modelPrefix !== undefined) {
    const length = [...facts.modelPrefix].length;
    query.whereRaw('substr(??, 1, ?) = ?', ['model_name', length, facts.modelPrefix]);
  }
  return query;
}

/** Both ends included; undefined ends are open. */
export interface TimeRange {
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

/** Rows of `logs` within the range. */
export function withinTime(query: Knex.QueryBuilder, { from, until }: TimeRange): Knex.QueryBuilder {
  if (from !== undefined) query.where('created_at', '>=', from);
  if (until !== undefined) query.where('created_at', '<=', until);
  return query;
}
