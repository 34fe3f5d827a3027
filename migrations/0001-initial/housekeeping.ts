/** Options, and what nodes need to know of each other. */
import type { Knex } from 'knex';
import { type Engine, textColumns } from './text-columns.ts';

export async function createHousekeeping(db: Knex, engine: Engine): Promise<void> {
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
