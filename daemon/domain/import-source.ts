/**
 * The database of another gateway as it is read: which family made it, and its rows. Columns are facts that its users
 * see in the answers of its API; what is missing has its default, what is not known is named in the report.
 */
import { type ImportSource, importSources } from '../contract/gateway-import.ts';
import { TollgateError } from '../errors.ts';
import type { ForeignRow, ForeignTables } from '../store/foreign-tables.ts';

const columns = {
  options: ['key', 'value'],
  users: [
    'id',
    'username',
    'password',
    'display_name',
    'role',
    'status',
    'email',
    'github_id',
    'oidc_id',
    'wechat_id',
    'telegram_id',
    'linux_do_id',
    'quota',
    'used_quota',
    'request_count',
    'group',
    'aff_code',
    'aff_count',
    'aff_quota',
    'aff_history',
    'inviter_id',
    'setting',
    'deleted_at',
  ],
  tokens: [
    'id',
    'user_id',
    'key',
    'status',
    'name',
    'created_time',
    'accessed_time',
    'expired_time',
    'remain_quota',
    'used_quota',
    'unlimited_quota',
    'model_limits_enabled',
    'model_limits',
    'models',
    'allow_ips',
    'subnet',
    'group',
    'deleted_at',
  ],
  channels: [
    'id',
    'type',
    'key',
    'openai_organization',
    'open_ai_organization',
    'test_model',
    'status',
    'name',
    'weight',
    'created_time',
    'base_url',
    'other',
    'models',
    'group',
    'used_quota',
    'model_mapping',
    'status_code_mapping',
    'max_input_tokens',
    'priority',
    'auto_ban',
    'other_info',
    'tag',
    'setting',
    'param_override',
    'header_override',
    'channel_info',
    'settings',
    'model_prefix',
    'system_prompt',
  ],
  redemptions: [
    'id',
    'user_id',
    'key',
    'status',
    'name',
    'quota',
    'created_time',
    'redeemed_time',
    'used_user_id',
    'is_gift',
    'max_uses',
    'used_count',
    'valid_from',
    'valid_until',
    'expired_time',
    'deleted_at',
  ],
  redemption_logs: ['id', 'redemption_id', 'user_id', 'used_time', 'quota'],
} as const;

export type SourceTable = keyof typeof columns;
export const sourceTables = Object.keys(columns).filter((name): name is SourceTable => name in columns);

/** Amounts, which may be larger than a driver counts, and JSON. */
const exact = new Set([
  'quota',
  'used_quota',
  'remain_quota',
  'request_count',
  'aff_quota',
  'aff_history',
  'channel_info',
]);

/** Without these there is nothing to take over. */
const needed = [
  ['users', 'username'],
  ['tokens', 'user_id'],
  ['channels', 'type'],
] as const;

/** Kept on purpose: secrets of another kind, figures of its own, and what is made anew here. */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  users: ['access_token'],
  channels: ['test_time', 'response_time', 'balance', 'balance_updated_time'],
};

/** Who wants to know how far it is, and may end it. */
export interface Watch {
  /** Told how many rows were read since it was told before. */
  readonly onRows: (count: number) => void;
  readonly signal: AbortSignal;
}

/** Rows in the order of their keys, in portions: a large table does not fit in memory. */
export type ForeignPortions = AsyncIterable<readonly ForeignRow[]>;

export interface GatewaySource {
  readonly family: ImportSource;
  /** All of them: there are few. */
  readonly options: readonly ForeignRow[];
  /** Rows of a table; each call begins anew. */
  readonly portions: (table: SourceTable) => ForeignPortions;
  /** Columns that nothing here knows, by table. */
  readonly ignoredColumns: Readonly<Record<string, readonly string[]>>;
}

/**
 * Looks into a database. `from` says whose it is; undefined tells by its columns. Throws `import_source_own` for one of
 * this program, `import_source_unknown` for any other that is not understood, and the reason of the signal.
 */
export async function readGateway(
  source: ForeignTables,
  { from, onRows, signal }: Watch & { readonly from: ImportSource | undefined },
): Promise<GatewaySource> {
  const found = new Map<string, readonly string[]>();
  for (const table of sourceTables) found.set(table, await source.columns(table));
  const has = (table: string, column: string) => found.get(table)?.includes(column) === true;
  if (has('tokens', 'key_hash')) throw new TollgateError('import_source_own');
  const missing = needed.find(([table, column]) => !has(table, 'id') || !has(table, column));
  if (missing !== undefined) throw new TollgateError('import_source_unknown', { place: missing.join('.') });
  const ignored: Record<string, readonly string[]> = {};
  for (const table of sourceTables) {
    const known = new Set<string>(columns[table]);
    const strange = found.get(table)?.filter((column) => !known.has(column) && !leftOut[table]?.includes(column)) ?? [];
    if (strange.length > 0) ignored[table] = strange;
  }
  const portions = async function* (table: SourceTable) {
    const key = table === 'options' ? 'key' : 'id';
    if (!has(table, key)) return;
    const taken = columns[table].filter((column) => has(table, column));
    for await (const rows of source.portions(table, { key, columns: taken, exact })) {
      signal.throwIfAborted();
      onRows(rows.length);
      yield rows;
    }
    signal.throwIfAborted();
  };
  const options: ForeignRow[] = [];
  for await (const rows of portions('options')) options.push(...rows);
  return { family: from ?? familyOf(has), options, portions, ignoredColumns: ignored };
}

/** Whose database it is, by columns that one has and the others have not. */
function familyOf(has: (table: string, column: string) => boolean): ImportSource {
  if (has('redemptions', 'is_gift') || has('channels', 'model_prefix')) return 'veloera';
  return ['auto_ban', 'tag', 'setting'].some((column) => has('channels', column)) ? 'new-api' : 'one-api';
}

/** The number that a vendor of that gateway has here; undefined for one that is not known. */
export function channelTypeHere(family: ImportSource, there: number): number | undefined {
  return importSources.find(({ name }) => name === family)?.channelTypes.get(there);
}
