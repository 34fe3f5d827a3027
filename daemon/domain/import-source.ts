/**
 * The database of another gateway as it is read: which family made it, and its rows. Columns are facts that its users
 * see in the answers of its API; what is missing has its default, what is not known is named in the report.
 */
import { type ImportSource, importSources } from '../contract/gateway-import.ts';
import { TollgateError } from '../errors.ts';
import type { Stores } from '../store/database.ts';
import type { ForeignRow } from '../store/foreign-tables.ts';

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
    'model_prefix',
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
const tables = Object.keys(columns).filter((name): name is SourceTable => name in columns);

/** Amounts, which may be larger than a driver counts. */
const exact = new Set(['quota', 'used_quota', 'remain_quota', 'request_count', 'aff_quota', 'aff_history']);

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

export interface GatewaySource {
  readonly family: ImportSource;
  readonly rows: Readonly<Record<SourceTable, readonly ForeignRow[]>>;
  /** Columns that nothing here knows, by table. */
  readonly ignoredColumns: Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads a whole database. `from` says whose it is; undefined tells by its columns. Throws `import_source_own` for one of
 * this program, `import_source_unknown` for any other that is not understood.
 */
export async function readGateway(
  { foreignTables }: Pick<Stores, 'foreignTables'>,
  from: ImportSource | undefined,
): Promise<GatewaySource> {
  const found = new Map<string, readonly string[]>();
  for (const table of tables) found.set(table, await foreignTables.columns(table));
  const has = (table: string, column: string) => found.get(table)?.includes(column) === true;
  if (has('tokens', 'key_hash')) throw new TollgateError('import_source_own');
  const missing = needed.find(([table, column]) => !has(table, 'id') || !has(table, column));
  if (missing !== undefined) throw new TollgateError('import_source_unknown', { place: missing.join('.') });
  const rows: Record<SourceTable, readonly ForeignRow[]> = {
    options: [],
    users: [],
    tokens: [],
    channels: [],
    redemptions: [],
    redemption_logs: [],
  };
  const ignored: Record<string, readonly string[]> = {};
  for (const table of tables) {
    const known = new Set<string>(columns[table]);
    const there = found.get(table) ?? [];
    const key = table === 'options' ? 'key' : 'id';
    if (!there.includes(key)) continue;
    const taken = there.filter((column) => known.has(column));
    rows[table] = await foreignTables.all(table, { key, columns: taken, exact });
    const strange = there.filter((column) => !known.has(column) && !leftOut[table]?.includes(column));
    if (strange.length > 0) ignored[table] = strange;
  }
  return { family: from ?? familyOf(has), rows, ignoredColumns: ignored };
}

/** Whose database it is, by columns that one has and the others have not. */
function familyOf(has: (table: string, column: string) => boolean): ImportSource {
  if (has('redemptions', 'is_gift') || has('channels', 'model_prefix')) return 'veloera';
  return ['auto_ban', 'tag', 'setting'].some((column) => has('channels', column)) ? 'new-api' : 'one-api';
}

/** Whether a number means the same vendor in that gateway and here. */
export function sharesChannelType(family: ImportSource, type: number): boolean {
  return importSources.some(({ name, channelTypes }) => {
    const shared: readonly number[] = channelTypes;
    return name === family && shared.includes(type);
  });
}
