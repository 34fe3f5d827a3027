/** Users, their relay keys and sessions. */
import type { Knex } from 'knex';
import { type Engine, textColumns } from './text-columns.ts';

export async function createAccounts(db: Knex, engine: Engine): Promise<void> {
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
