/** Drawings and other long-running work. */
import type { Knex } from 'knex';
import { type Engine, textColumns } from './text-columns.ts';

export async function createTasks(db: Knex, engine: Engine): Promise<void> {
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
