/**
 * The first schema. Conventions, for both engines:
 * - Text has no length limit in the database; limits apply on input. On PostgreSQL it is collated "C", so that it
 *   compares and sorts by bytes as on SQLite, on any server locale.
 * - Quota, unix times and counters are 64-bit. Dates are `timestamptz`, on SQLite unix milliseconds.
 * - Columns that the ledger updates all the time carry no index, so that PostgreSQL can update in place (HOT).
 */
import type { Knex } from 'knex';

type Engine = 'sqlite' | 'postgres';

export const initial = {
  name: '0001-initial',
  async up(db: Knex, engine: Engine): Promise<void> {
    await createAccounts(db, engine);
    await createChannels(db, engine);
    await createMoney(db, engine);
    await createLogs(db, engine);
    await createCredits(db, engine);
    await createTasks(db, engine);
    await createHousekeeping(db, engine);
    if (engine === 'postgres') await leaveRoomForUpdates(db);
  },
};

/** A text column; `""` by default, `null` when it may be absent. */
function textColumns(table: Knex.CreateTableBuilder, engine: Engine) {
  const type = engine === 'postgres' ? 'text collate "C"' : 'text';
  return {
    filled: (name: string) => table.specificType(name, type).notNullable(),
    empty: (name: string, value = '') => table.specificType(name, type).notNullable().defaultTo(value),
    optional: (name: string) => table.specificType(name, type).nullable(),
  };
}

async function createAccounts(db: Knex, engine: Engine): Promise<void> {
  await db.schema.createTable('users', (table) => {
    const text = textColumns(table, engine);
    table.increments('id');
    text.filled('username');
    // The name without case, folded by the program: lower() knows only ASCII on one of the engines.
    text.filled('username_key').unique();
    text.empty('password');
    text.empty('display_name');
    table.integer('role').notNullable().defaultTo(1);
    table.integer('status').notNullable().defaultTo(1);
    for (const identity of ['email', 'github_id', 'oidc_id', 'wechat_id', 'telegram_id', 'linux_do_id']) {
      text.optional(identity).unique();
    }
    text.optional('access_token_hash').unique();
    table.bigInteger('access_token_expires_at').notNullable().defaultTo(0);
    table.bigInteger('quota').notNullable().defaultTo(0);
    table.bigInteger('used_quota').notNullable().defaultTo(0);
    table.bigInteger('request_count').notNullable().defaultTo(0);
    text.empty('group', 'default').index();
    text.optional('aff_code').unique();
    table.integer('aff_count').notNullable().defaultTo(0);
    table.bigInteger('aff_quota').notNullable().defaultTo(0);
    table.bigInteger('aff_history').notNullable().defaultTo(0);
    table.integer('inviter_id').notNullable().defaultTo(0).index();
    text.empty('setting');
    table.timestamp('last_check_in_time').nullable();
    table.integer('auth_version').notNullable().defaultTo(1);
    table.bigInteger('created_at').notNullable().defaultTo(0);
    table.bigInteger('last_login_at').notNullable().defaultTo(0);
    table.timestamp('deleted_at').nullable();
  });
  // Names are searched only within one user's tokens, so `user_id` is all that needs an index.
  await db.schema.createTable('tokens', (table) => {
    const text = textColumns(table, engine);
    table.increments('id');
    table.integer('user_id').notNullable().index();
    text.filled('key_hash').unique();
    text.empty('key_sealed');
    text.empty('key_hint');
    table.integer('status').notNullable().defaultTo(1);
    text.empty('name');
    table.bigInteger('created_time').notNullable().defaultTo(0);
    table.bigInteger('accessed_time').notNullable().defaultTo(0);
    table.bigInteger('expired_time').notNullable().defaultTo(-1);
    table.bigInteger('remain_quota').notNullable().defaultTo(0);
    table.bigInteger('used_quota').notNullable().defaultTo(0);
    table.boolean('unlimited_quota').notNullable().defaultTo(false);
    table.boolean('model_limits_enabled').notNullable().defaultTo(false);
    text.empty('model_limits');
    text.optional('allow_ips').defaultTo('');
    text.empty('group');
    table.timestamp('deleted_at').nullable();
  });
  await db.schema.createTable('sessions', (table) => {
    const text = textColumns(table, engine);
    text.filled('id_hash').primary();
    table.integer('user_id').nullable().index();
    text.empty('data', '{}');
    table.integer('auth_version').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('last_seen_at').notNullable();
    table.bigInteger('expires_at').notNullable().index();
    text.empty('ip');
    text.empty('user_agent');
  });
  await db.schema.createTable('verification_codes', (table) => {
    const text = textColumns(table, engine);
    text.filled('purpose');
    text.filled('subject');
    text.filled('code_hash');
    table.integer('attempts').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('expires_at').notNullable().index();
    table.primary(['purpose', 'subject']);
  });
}

async function createChannels(db: Knex, engine: Engine): Promise<void> {
  // Thousands of rows at most, and routing reads them from memory: searches may scan.
  await db.schema.createTable('channels', (table) => {
    const text = textColumns(table, engine);
    table.increments('id');
    table.integer('type').notNullable().defaultTo(0);
    text.optional('openai_organization');
    text.optional('test_model');
    table.integer('status').notNullable().defaultTo(1);
    text.empty('name');
    table.integer('weight').nullable().defaultTo(0);
    table.bigInteger('created_time').notNullable().defaultTo(0);
    table.bigInteger('test_time').notNullable().defaultTo(0);
    table.integer('response_time').notNullable().defaultTo(0);
    text.optional('base_url').defaultTo('');
    text.empty('other');
    table.double('balance').notNullable().defaultTo(0);
    table.bigInteger('balance_updated_time').notNullable().defaultTo(0);
    text.empty('models');
    text.empty('group', 'default');
    table.bigInteger('used_quota').notNullable().defaultTo(0);
    text.optional('model_mapping');
    text.optional('status_code_mapping').defaultTo('');
    table.integer('max_input_tokens').nullable().defaultTo(0);
    table.bigInteger('priority').nullable().defaultTo(0);
    table.integer('auto_ban').nullable().defaultTo(1);
    text.empty('other_info');
    text.optional('tag').index();
    text.optional('setting');
    text.optional('param_override');
    text.optional('model_prefix').defaultTo('');
  });
  await db.schema.createTable('abilities', (table) => {
    const text = textColumns(table, engine);
    text.filled('group');
    text.filled('model');
    table.integer('channel_id').notNullable().index();
    table.boolean('enabled').notNullable();
    table.bigInteger('priority').notNullable().defaultTo(0);
    table.integer('weight').notNullable().defaultTo(0);
    text.optional('tag');
    table.primary(['group', 'model', 'channel_id']);
  });
  await db.schema.createTable('channel_keys', (table) => {
    const text = textColumns(table, engine);
    table.increments('id');
    table.integer('channel_id').notNullable();
    table.integer('position').notNullable();
    text.filled('key_hash').index();
    text.filled('key_sealed');
    table.integer('status').notNullable().defaultTo(1);
    text.empty('reason');
    table.bigInteger('status_time').notNullable().defaultTo(0);
    table.bigInteger('last_used').notNullable().defaultTo(0);
    text.empty('last_error');
    table.bigInteger('cap').notNullable().defaultTo(0);
    table.unique(['channel_id', 'key_hash']);
  });
  await db.schema.createTable('channel_tests', (table) => {
    const text = textColumns(table, engine);
    table.bigIncrements('id');
    table.integer('channel_id').notNullable();
    text.filled('model');
    table.bigInteger('created_at').notNullable();
    table.boolean('ok').notNullable();
    table.integer('time_ms').notNullable().defaultTo(0);
    table.integer('status').notNullable().defaultTo(0);
    text.empty('message');
    table.integer('actor_id').notNullable().defaultTo(0);
    table.index(['channel_id', 'created_at']);
  });
  await db.schema.createTable('response_affinity', (table) => {
    const text = textColumns(table, engine);
    text.filled('response_id').primary();
    table.integer('user_id').notNullable();
    table.integer('channel_id').notNullable();
    text.filled('key_hash');
    table.bigInteger('expires_at').notNullable().index();
  });
}

async function createMoney(db: Knex, engine: Engine): Promise<void> {
  // Written twice in every call. The one index beside the key serves both readers, the sweeper of abandoned holds
  // (state open) and retention (the closed states); open rows are so few that a user's own need no index.
  await db.schema.createTable('quota_reservations', (table) => {
    const text = textColumns(table, engine);
    text.filled('request_id').primary();
    table.integer('user_id').notNullable();
    table.integer('token_id').notNullable().defaultTo(0);
    text.empty('group');
    table.bigInteger('amount').notNullable();
    table.bigInteger('token_amount').notNullable().defaultTo(0);
    table.bigInteger('charged').nullable();
    text.filled('state');
    text.optional('reason');
    text.empty('node');
    table.bigInteger('created_at').notNullable();
    table.bigInteger('closed_at').nullable();
    table.index(['state', 'created_at']);
  });
  await db.schema.createTable('quota_data', (table) => {
    const text = textColumns(table, engine);
    table.bigIncrements('id');
    table.integer('user_id').notNullable();
    text.empty('username');
    text.empty('model_name');
    table.bigInteger('created_at').notNullable().index();
    table.bigInteger('token_used').notNullable().defaultTo(0);
    table.bigInteger('count').notNullable().defaultTo(0);
    table.bigInteger('quota').notNullable().defaultTo(0);
    table.unique(['user_id', 'model_name', 'created_at']);
  });
}

async function createLogs(db: Knex, engine: Engine): Promise<void> {
  // A row is inserted in every call, and each index is paid for by every call. An index on a name or a channel, whose
  // pages lie anywhere, costs 7 µs a row on SQLite (2 million rows) and 2.5 µs on PostgreSQL (3 million); one that grows
  // at its end, as times and request ids do, at most 2 µs and nothing measurable. So no filter has an index of its own:
  // one index by time carries all that lists are filtered and figures summed by. Questions are answered from it alone,
  // by reading a range of time or, at worst, the whole index, a fifth of the table. `(user_id, created_at)` makes the
  // lists of one user ranges of their own, and the rare rows that are not consumption have theirs.
  await db.schema.createTable('logs', (table) => {
    const text = textColumns(table, engine);
    table.bigIncrements('id');
    table.bigInteger('created_at').notNullable();
    table.bigInteger('quota').notNullable().defaultTo(0);
    table.integer('user_id').notNullable();
    table.integer('type').notNullable();
    table.integer('prompt_tokens').notNullable().defaultTo(0);
    table.integer('completion_tokens').notNullable().defaultTo(0);
    table.integer('use_time').notNullable().defaultTo(0);
    table.integer('channel_id').notNullable().defaultTo(0);
    table.integer('token_id').notNullable().defaultTo(0);
    table.boolean('is_stream').notNullable().defaultTo(false);
    table.boolean('failed').notNullable().defaultTo(false);
    text.empty('username');
    text.empty('token_name');
    text.empty('model_name');
    text.empty('group');
    text.empty('request_id').index();
    text.optional('ip');
    text.empty('content');
    text.empty('other');
    table.index(['user_id', 'created_at']);
  });
  await db.raw('create index logs_type_created_at_index on logs (type, created_at) where type <> 2');
  const carried = ['type', 'user_id', 'token_id', 'channel_id', 'quota', 'prompt_tokens', 'completion_tokens'];
  const names = ['username', 'token_name', 'model_name', 'group'];
  const columns = [...carried, ...names];
  const list = columns.map(() => '??').join(', ');
  if (engine === 'postgres') {
    await db.raw(`create index logs_figures_index on logs (created_at, id) include (${list})`, columns);
  } else {
    await db.raw(`create index logs_figures_index on logs (created_at, id, ${list})`, columns);
  }
  await db.schema.createTable('log_bodies', (table) => {
    const text = textColumns(table, engine);
    text.filled('request_id').primary();
    table.integer('user_id').notNullable();
    table.bigInteger('created_at').notNullable().index();
    text.optional('system_prompt');
    text.optional('context');
    text.optional('input_content');
    text.optional('output_content');
  });
  await db.schema.createTable('log_outbox', (table) => {
    const text = textColumns(table, engine);
    table.bigIncrements('id');
    table.bigInteger('created_at').notNullable();
    text.filled('row');
  });
  await db.schema.createTable('audit_logs', (table) => {
    const text = textColumns(table, engine);
    table.bigIncrements('id');
    table.bigInteger('created_at').notNullable().index();
    table.integer('actor_id').notNullable().defaultTo(0);
    text.empty('actor_name');
    text.empty('ip');
    text.filled('action');
    text.empty('target');
    text.empty('detail', '{}');
  });
}

async function createCredits(db: Knex, engine: Engine): Promise<void> {
  await db.schema.createTable('redemptions', (table) => {
    const text = textColumns(table, engine);
    table.increments('id');
    table.integer('user_id').notNullable();
    text.filled('key').unique();
    table.integer('status').notNullable().defaultTo(1);
    text.empty('name').index();
    table.bigInteger('quota').notNullable().defaultTo(100);
    table.bigInteger('created_time').notNullable().defaultTo(0);
    table.bigInteger('redeemed_time').notNullable().defaultTo(0);
    table.integer('used_user_id').notNullable().defaultTo(0);
    table.boolean('is_gift').notNullable().defaultTo(false);
    table.integer('max_uses').notNullable().defaultTo(-1);
    table.integer('used_count').notNullable().defaultTo(0);
    table.bigInteger('valid_from').notNullable().defaultTo(0);
    table.bigInteger('valid_until').notNullable().defaultTo(0);
    table.timestamp('deleted_at').nullable();
  });
  await db.schema.createTable('redemption_logs', (table) => {
    table.increments('id');
    table.integer('redemption_id').notNullable();
    table.integer('user_id').notNullable().index();
    table.bigInteger('used_time').notNullable();
    table.bigInteger('quota').notNullable();
    table.unique(['redemption_id', 'user_id']);
  });
  await db.schema.createTable('top_ups', (table) => {
    const text = textColumns(table, engine);
    table.increments('id');
    table.integer('user_id').notNullable().index();
    table.bigInteger('amount').notNullable();
    table.bigInteger('quota').notNullable();
    // Money is exact: SQLite would make a binary fraction of a decimal, so it keeps the text.
    if (engine === 'postgres') table.decimal('money', 18, 6).notNullable();
    else text.filled('money');
    text.filled('trade_no').unique();
    text.filled('provider');
    text.filled('currency');
    text.empty('payment_method');
    table.bigInteger('create_time').notNullable();
    table.bigInteger('complete_time').notNullable().defaultTo(0);
    text.filled('status');
    table.index(['status', 'create_time']);
  });
  await db.schema.createTable('payment_callbacks', (table) => {
    const text = textColumns(table, engine);
    table.bigIncrements('id');
    text.filled('trade_no').index();
    table.bigInteger('received_at').notNullable();
    text.empty('remote_ip');
    table.boolean('verified').notNullable();
    text.empty('reason');
    text.empty('fields', '{}');
  });
  await db.schema.createTable('checkins', (table) => {
    const text = textColumns(table, engine);
    table.increments('id');
    table.integer('user_id').notNullable();
    text.filled('checkin_date');
    table.bigInteger('quota_awarded').notNullable();
    table.bigInteger('created_at').notNullable();
    table.unique(['user_id', 'checkin_date']);
  });
}

async function createTasks(db: Knex, engine: Engine): Promise<void> {
  await db.schema.createTable('midjourneys', (table) => {
    const text = textColumns(table, engine);
    table.bigIncrements('id');
    table.bigInteger('created_at').notNullable();
    table.integer('code').notNullable().defaultTo(0);
    table.integer('user_id').notNullable().index();
    table.integer('token_id').notNullable().defaultTo(0);
    text.empty('channel_key_hash');
    text.empty('request_id');
    text.empty('action');
    text.empty('mj_id').index();
    for (const name of ['prompt', 'prompt_en', 'description', 'state']) text.empty(name);
    table.bigInteger('submit_time').notNullable().defaultTo(0).index();
    table.bigInteger('start_time').notNullable().defaultTo(0);
    table.bigInteger('finish_time').notNullable().defaultTo(0);
    for (const name of ['image_url', 'status', 'progress', 'fail_reason']) text.empty(name);
    table.integer('channel_id').notNullable().defaultTo(0);
    table.bigInteger('quota').notNullable().defaultTo(0);
    for (const name of ['bot_type', 'custom_id', 'video_url', 'video_urls', 'buttons', 'properties']) text.empty(name);
  });
  await db.raw(`create index midjourneys_unfinished_index on midjourneys (id) where progress <> '100%'`);
  await db.schema.createTable('tasks', (table) => {
    const text = textColumns(table, engine);
    table.bigIncrements('id');
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    text.filled('task_id').index();
    text.filled('platform');
    table.integer('user_id').notNullable().index();
    table.integer('channel_id').notNullable().defaultTo(0);
    table.integer('token_id').notNullable().defaultTo(0);
    text.empty('channel_key_hash');
    text.empty('request_id');
    table.bigInteger('quota').notNullable().defaultTo(0);
    for (const name of ['action', 'status', 'fail_reason']) text.empty(name);
    table.bigInteger('submit_time').notNullable().defaultTo(0).index();
    table.bigInteger('start_time').notNullable().defaultTo(0);
    table.bigInteger('finish_time').notNullable().defaultTo(0);
    text.empty('progress');
    text.empty('properties', '{}');
    text.empty('data', 'null');
  });
  await db.raw(`create index tasks_unfinished_index on tasks (id) where status not in ('SUCCESS', 'FAILURE')`);
}

async function createHousekeeping(db: Knex, engine: Engine): Promise<void> {
  await db.schema.createTable('options', (table) => {
    const text = textColumns(table, engine);
    text.filled('key').primary();
    text.filled('value');
  });
  await db.schema.createTable('setups', (table) => {
    const text = textColumns(table, engine);
    table.integer('id').notNullable().primary();
    text.filled('version');
    table.bigInteger('initialized_at').notNullable();
  });
  await db.schema.createTable('revisions', (table) => {
    const text = textColumns(table, engine);
    text.filled('topic').primary();
    table.bigInteger('revision').notNullable();
  });
  await db.schema.createTable('idempotency_keys', (table) => {
    const text = textColumns(table, engine);
    table.integer('actor_id').notNullable();
    text.filled('key');
    text.filled('request_hash');
    text.optional('response');
    table.bigInteger('created_at').notNullable().index();
    table.primary(['actor_id', 'key']);
  });
  await db.schema.createTable('nodes', (table) => {
    const text = textColumns(table, engine);
    text.filled('id').primary();
    text.empty('address');
    text.empty('version');
    table.bigInteger('started_at').notNullable();
    table.bigInteger('heartbeat_at').notNullable();
  });
}

/** Pages of rows that are updated all the time keep free space, so that a new version fits beside the old one. */
async function leaveRoomForUpdates(db: Knex): Promise<void> {
  for (const name of ['users', 'tokens', 'channels', 'revisions', 'nodes']) {
    await db.raw('alter table ?? set (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05)', [name]);
  }
}
