/** Channels, their keys, and what is derived from them. */
import type { Knex } from 'knex';
import { type Engine, textColumns } from './text-columns.ts';

export async function createChannels(db: Knex, engine: Engine): Promise<void> {
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
