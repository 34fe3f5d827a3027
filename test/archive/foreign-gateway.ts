/** Databases as other gateways leave them behind: with their columns, and rows that have seen better days. */
import knexModule from 'knex';

type Cell = string | number | boolean | null;
type Row = Readonly<Record<string, Cell>>;

/** Of `the old password`. */
const oldHash = '$2a$04$KdlIS6wueM7NikXJebdr1usZABv4UNolo8fkJ0OXZfv514hCIlSfi';

/** A key of the family, told apart by its first letters. */
export function foreignKey(name: string): string {
  return `${name}A0b1C2d3E4f5G6h7I8j9K0l1M2n3O4p5Q6r7S8t9U0v1W2x3`.slice(0, 48);
}

const flags = new Set(['unlimited_quota', 'model_limits_enabled', 'is_gift']);

/** Makes these tables where there are none; each has the columns of its first row. */
export async function writeGateway(url: string, tables: Readonly<Record<string, readonly Row[]>>): Promise<void> {
  const db = url.startsWith('sqlite:')
    ? knexModule({ client: 'sqlite3', connection: { filename: url.slice('sqlite:'.length) }, useNullAsDefault: true })
    : knexModule({ client: 'pg', connection: url });
  try {
    for (const [name, rows] of Object.entries(tables)) {
      await db.schema.createTable(name, (table) => {
        for (const [column, cell] of Object.entries(rows[0] ?? {})) {
          if (flags.has(column)) table.boolean(column);
          else if (typeof cell === 'number') table.bigInteger(column);
          else table.text(column);
        }
      });
      await db.batchInsert(name, [...rows], 100);
    }
  } finally {
    await db.destroy();
  }
}

const user: Row = {
  id: 0,
  username: '',
  password: oldHash,
  display_name: '',
  role: 1,
  status: 1,
  email: '',
  github_id: '',
  access_token: 'a system token of theirs',
  quota: 0,
  used_quota: 0,
  request_count: 0,
  group: 'default',
  aff_code: '',
  inviter_id: 0,
  setting: '',
  stripe_customer: '',
  deleted_at: null,
};
const token: Row = {
  id: 0,
  user_id: 0,
  key: '',
  status: 1,
  name: 'key',
  created_time: 1_700_000_000,
  accessed_time: 1_700_000_500,
  expired_time: -1,
  remain_quota: 0,
  unlimited_quota: false,
  used_quota: 0,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  group: '',
  deleted_at: null,
};
const channel: Row = {
  id: 0,
  type: 1,
  key: 'sk-theirs',
  status: 1,
  name: '',
  weight: 3,
  created_time: 1_700_000_000,
  base_url: '',
  other: '',
  models: 'gpt-4o',
  group: 'default',
  used_quota: 0,
  model_mapping: '',
  priority: 7,
  auto_ban: 1,
  other_info: '',
  tag: null,
  setting: null,
  header_override: null,
  channel_info: null,
  settings: '',
};
const redemption: Row = {
  id: 0,
  user_id: 1,
  key: '',
  status: 1,
  name: 'spring',
  quota: 100,
  created_time: 1_700_000_000,
  redeemed_time: 0,
  used_user_id: 0,
  expired_time: 0,
  deleted_at: null,
};

/** A database of New API, with what an honest one holds and what a hostile one would. */
export function newApiTables(upstream: string): Record<string, Row[]> {
  return {
    options: [
      { key: 'GroupRatio', value: '{"default":1,"gold":0.5}' },
      { key: 'SystemName', value: 'The old gateway' },
      { key: 'checkin_setting.min_quota', value: '700' },
      { key: 'RetryTimes', value: 'many' },
      { key: 'SMTPToken', value: 'a mail secret' },
      { key: 'SomethingElse', value: 'x' },
    ],
    users: [
      { ...user, id: 1, username: 'root', role: 100, quota: 900, display_name: 'Root' },
      { ...user, id: 2, username: 'Alice', quota: 1_000_000, used_quota: 300, request_count: 4, group: 'gold' },
      { ...user, id: 3, username: 'alice', quota: 50 },
      { ...user, id: 4, username: 'debtor', quota: -70, email: 'Same@Example.org', inviter_id: 2, aff_code: 'dEbT' },
      { ...user, id: 5, username: 'second', email: 'same@example.org', role: 7, setting: '{broken', status: 9 },
      { ...user, id: 6, username: 'gone', quota: 5, deleted_at: '2024-01-01 00:00:00+00:00' },
      { ...user, id: 7, username: 'lo\u200bst', display_name: 'L\u2060ost', group: 'nowhere' },
      { ...user, id: 8, username: 'rich', quota: '9007199254740993' },
      { ...user, id: 9, username: 'by@mail', password: 'plain text' },
    ],
    tokens: [
      {
        ...token,
        id: 1,
        user_id: 2,
        key: foreignKey('alice'),
        remain_quota: 500_000,
        used_quota: 20,
        allow_ips: '127.0.0.1',
      },
      {
        ...token,
        id: 2,
        user_id: 2,
        key: foreignKey('endless'),
        unlimited_quota: true,
        remain_quota: -12,
        group: 'gold',
      },
      { ...token, id: 3, user_id: 3, key: foreignKey('other') },
      { ...token, id: 4, user_id: 2, key: 'short' },
      { ...token, id: 5, user_id: 2, key: foreignKey('deleted'), deleted_at: '2024-01-01 00:00:00+00:00' },
      { ...token, id: 6, user_id: 2, key: foreignKey('fenced'), allow_ips: 'everywhere' },
      { ...token, id: 7, user_id: 2, key: foreignKey('never'), expired_time: 'soon', status: 11, remain_quota: -3 },
    ],
    channels: [
      {
        ...channel,
        id: 1,
        name: 'main',
        key: 'sk-one\nsk-off\nsk-two\n',
        channel_info: '{"is_multi_key":true,"multi_key_status_list":{"1":2},"multi_key_mode":"random"}',
        header_override: '{"x-from":"there"}',
        settings: '{"allow_service_tier":true,"unknown_here":1}',
        base_url: upstream,
        group: 'default,gold',
        used_quota: 77,
      },
      { ...channel, id: 2, name: 'odd', other_info: '{"status_reason":', status: 4, header_override: '{"*":""}' },
      { ...channel, id: 3, name: 'mapped', model_mapping: '{broken' },
      { ...channel, id: 4, name: 'vendor', type: 57 },
      { ...channel, id: 5, name: 'keyless', key: '' },
      { ...channel, id: 6, name: 'metadata', base_url: 'http://169.254.169.254/' },
    ],
    redemptions: [
      { ...redemption, id: 1, key: '0123456789abcdef0123456789abcdef', quota: 500 },
      {
        ...redemption,
        id: 2,
        key: 'used-up-code',
        status: 3,
        used_user_id: 2,
        redeemed_time: 1_700_000_000,
        quota: 40,
      },
      { ...redemption, id: 3, key: 'negative', quota: -1 },
      { ...redemption, id: 4, key: 'removed', deleted_at: '2024-01-01 00:00:00+00:00' },
    ],
  };
}

/** A database of Veloera with a code that several may use. */
export function veloeraTables(): Record<string, Row[]> {
  const gift = { ...redemption, is_gift: true, max_uses: 3, used_count: 1, valid_from: 0, valid_until: 0 };
  return {
    options: [{ key: 'QuotaPerUnit', value: '1000' }],
    users: [{ ...user, id: 40, username: 'giver' }],
    tokens: [{ ...token, id: 1, user_id: 99, key: foreignKey('nobody') }],
    channels: [{ ...channel, id: 1, model_prefix: 'own-', name: 'prefixed' }],
    redemptions: [{ ...gift, id: 9, user_id: 40, key: 'gift-for-all' }],
    redemption_logs: [{ id: 1, redemption_id: 9, user_id: 40, used_time: 1_700_000_000, quota: 100 }],
  };
}

/** A database of One API, whose columns are fewer and whose keys are limited in another way. */
export function oneApiTables(upstream: string): Record<string, Row[]> {
  const { setting: _setting, github_id: _github, deleted_at: _deleted, ...plainUser } = user;
  const { allow_ips: _ips, model_limits: _limits, model_limits_enabled: _flag, group: _group, ...plainToken } = token;
  const { tag: _tag, setting: _channelSetting, auto_ban: _ban, other_info: _info, ...bare } = channel;
  const { header_override: _headers, channel_info: _keys, settings: _settings, ...withoutPrompt } = bare;
  const plainChannel = { ...withoutPrompt, system_prompt: null };
  return {
    options: [{ key: 'PasswordLoginEnabled', value: 'false' }],
    users: [
      { ...plainUser, id: 1, username: 'old root', role: 100, quota: 11 },
      { ...plainUser, id: 2, username: 'left', status: 3, quota: 22 },
    ],
    tokens: [
      { ...plainToken, id: 1, user_id: 1, key: foreignKey('one'), models: 'gpt-4o,gpt-4', subnet: '10.0.0.0/8,::1' },
      { ...plainToken, id: 2, user_id: 1, key: foreignKey('open'), models: '', subnet: 'everywhere' },
    ],
    channels: [
      { ...plainChannel, id: 1, name: 'shared number', type: 14, config: '{}' },
      { ...plainChannel, id: 2, name: 'another number', type: 36, config: '{}' },
      { ...plainChannel, id: 3, name: 'another vendor', type: 4, config: '{}' },
      {
        ...plainChannel,
        id: 4,
        name: 'own address',
        type: 8,
        config: '{}',
        base_url: upstream,
        system_prompt: 'Be kind',
      },
    ],
  };
}
