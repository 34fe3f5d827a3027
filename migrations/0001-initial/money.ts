/** Holds, hourly figures, codes, orders and check-ins. */
import type { Knex } from 'knex';
import { type Engine, textColumns } from './text-columns.ts';

export async function createMoney(db: Knex, engine: Engine): Promise<void> {
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

export async function createCredits(db: Knex, engine: Engine): Promise<void> {
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
