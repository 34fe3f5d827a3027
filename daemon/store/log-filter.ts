/** Conditions of log lists and figures (management-api.md 3.14). */
import type { Knex } from 'knex';

/** Absent members do not filter. */
export interface LogFilter {
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
  ['requestId', 'request_id'],
] as const;

/** Rows of `logs` within the filter. */
export function withinFilter(query: Knex.QueryBuilder, filter: LogFilter): Knex.QueryBuilder {
  for (const [field, column] of exactColumns) {
    const value = filter[field];
    if (value !== undefined) query.where(column, value);
  }
  if (filter.modelPrefix !== undefined) {
    const length = [...filter.modelPrefix].length;
    query.whereRaw('substr(??, 1, ?) = ?', ['model_name', length, filter.modelPrefix]);
  }
  if (filter.from !== undefined) query.where('created_at', '>=', filter.from);
  if (filter.until !== undefined) query.where('created_at', '<=', filter.until);
  return query;
}
