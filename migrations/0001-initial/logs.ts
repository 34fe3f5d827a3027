/** The usage log, its texts, and the audit log. */
import type { Knex } from 'knex';
import { type Engine, textColumns } from './text-columns.ts';

export async function createLogs(db: Knex, engine: Engine): Promise<void> {
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
