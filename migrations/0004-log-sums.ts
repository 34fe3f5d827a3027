/**
 * Sums of the log by hour and by day over everything a list can be filtered by, so that totals, chips and reports read
 * next to nothing of the log itself, and a page is found without counting up to it.
 */
import type { Knex } from 'knex';

type Engine = 'sqlite' | 'postgres';

export const logSums = {
  name: '0004-log-sums',
  async up(db: Knex, engine: Engine): Promise<void> {
    await createSums(db, engine, { name: 'log_hours', seconds: 3600 });
    await createSums(db, engine, { name: 'log_days', seconds: 86_400 });
    await createState(db);
    await carryFailed(db, engine);
  },
};

async function createSums(db: Knex, engine: Engine, sums: { name: string; seconds: number }): Promise<void> {
  // The current hour and day are updated all the time and are the last pages of the table: on SQLite because the table is
  // its own index, on PostgreSQL with room left for the new version of a row beside the old one.
  await db.raw(engine === 'postgres' ? postgresTable : sqliteTable, [sums.name]);
  await db.schema.alterTable(sums.name, (table) => table.index(['user_id', 'starts_at']));
  await db.raw(engine === 'postgres' ? postgresSums : sqliteSums, [sums.name, sums.seconds]);
}

/** The index that carries all that lists filter by carries whether the request failed, too. */
async function carryFailed(db: Knex, engine: Engine): Promise<void> {
  await db.raw('drop index logs_figures_index');
  await db.raw(engine === 'postgres' ? postgresIndex : sqliteIndex);
}

const sqliteIndex = `
  create index logs_figures_index on logs (
    created_at, id, type, user_id, token_id, channel_id, quota, prompt_tokens, completion_tokens, failed, username,
    token_name, model_name, "group")`;

const postgresIndex = `
  create index logs_figures_index on logs (created_at, id) include (
    type, user_id, token_id, channel_id, quota, prompt_tokens, completion_tokens, failed, username, token_name,
    model_name, "group")`;

/** Rows are folded into the sums behind their settlement; this says how far that is. */
async function createState(db: Knex): Promise<void> {
  await db.schema.createTable('log_sum_state', (table) => {
    table.integer('id').notNullable().primary();
    table.bigInteger('folded_to').notNullable();
    table.bigInteger('mark_id').notNullable();
    table.bigInteger('marked_at').notNullable();
  });
  const newest = await db('logs').max({ id: 'id' }).first();
  const id = Number(newest?.id ?? 0);
  await db('log_sum_state').insert({ id: 1, folded_to: id, mark_id: id, marked_at: 0 });
}

const sqliteTable = `
  create table ?? (
    starts_at bigint not null,
    user_id integer not null,
    type integer not null,
    failed boolean not null,
    channel_id integer not null,
    model_name text not null,
    token_name text not null,
    "group" text not null,
    username text not null,
    row_count bigint not null,
    calls bigint not null,
    quota bigint not null,
    prompt_tokens bigint not null,
    completion_tokens bigint not null,
    cached_tokens bigint not null,
    primary key (starts_at, user_id, type, failed, channel_id, model_name, token_name, "group", username)
  ) without rowid`;

const postgresTable = `
  create table ?? (
    starts_at bigint not null,
    user_id integer not null,
    type integer not null,
    failed boolean not null,
    channel_id integer not null,
    model_name text collate "C" not null,
    token_name text collate "C" not null,
    "group" text collate "C" not null,
    username text collate "C" not null,
    row_count bigint not null,
    calls bigint not null,
    quota bigint not null,
    prompt_tokens bigint not null,
    completion_tokens bigint not null,
    cached_tokens bigint not null,
    primary key (starts_at, user_id, type, failed, channel_id, model_name, token_name, "group", username)
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`;

// A call is a row of consumption that is neither that of a tool within a call nor a test. A member of a JSON text can be
// recognised by its sign: within any string its quotes would be escaped.

const sqliteSums = `
  insert into ?? (
    starts_at, user_id, type, failed, channel_id, model_name, token_name, "group", username, row_count, calls, quota,
    prompt_tokens, completion_tokens, cached_tokens)
  select starts_at, user_id, type, failed, channel_id, model_name, token_name, "group", username, count(*),
    sum(type = 2 and instr(other, '"tool":{') = 0 and instr(other, '"is_test":true') = 0), sum(quota),
    sum(prompt_tokens), sum(completion_tokens),
    sum(coalesce(case when json_valid(other) then other ->> '$.cache_tokens' end, 0))
  from (select logs.*, created_at - created_at % ? as starts_at from logs) as placed
  group by starts_at, user_id, type, failed, channel_id, model_name, token_name, "group", username
  order by starts_at`;

const postgresSums = `
  insert into ?? (
    starts_at, user_id, type, failed, channel_id, model_name, token_name, "group", username, row_count, calls, quota,
    prompt_tokens, completion_tokens, cached_tokens)
  select starts_at, user_id, type, failed, channel_id, model_name, token_name, "group", username, count(*),
    count(*) filter (where type = 2 and strpos(other, '"tool":{') = 0 and strpos(other, '"is_test":true') = 0),
    sum(quota), sum(prompt_tokens), sum(completion_tokens),
    sum(coalesce(substring(other from '"cache_tokens":([0-9]{1,15})')::bigint, 0))
  from (select logs.*, created_at - created_at % ? as starts_at from logs) as placed
  group by starts_at, user_id, type, failed, channel_id, model_name, token_name, "group", username
  order by starts_at`;
