/**
 * Sums of the log by hour and by day over everything a list can be filtered by. They are written with the rows they sum,
 * so that totals, chips and reports never read the log itself, and a page is found without counting up to it.
 */
import type { Knex } from 'knex';

const dimensions = [
  'user_id',
  'type',
  'failed',
  'channel_id',
  'model_name',
  'token_name',
  '"group"',
  'username',
] as const;
const figures = ['row_count', 'quota', 'prompt_tokens', 'completion_tokens'] as const;

export const logSums = {
  name: '0004-log-sums',
  async up(db: Knex, engine: 'sqlite' | 'postgres'): Promise<void> {
    await createSums(db, engine, { name: 'log_hours', seconds: 3600 });
    await createSums(db, engine, { name: 'log_days', seconds: 86_400 });
  },
};

async function createSums(
  db: Knex,
  engine: 'sqlite' | 'postgres',
  { name, seconds }: { readonly name: string; readonly seconds: number },
): Promise<void> {
  const text = engine === 'postgres' ? 'text collate "C" not null' : 'text not null';
  const columns = [
    'starts_at bigint not null',
    'user_id integer not null',
    'type integer not null',
    'failed boolean not null',
    'channel_id integer not null',
    `model_name ${text}`,
    `token_name ${text}`,
    `"group" ${text}`,
    `username ${text}`,
    ...figures.map((figure) => `${figure} bigint not null`),
    `primary key (starts_at, ${dimensions.join(', ')})`,
  ];
  // The current hour and day are updated all the time and are the last pages of the table: on SQLite because the table is
  // its own index, on PostgreSQL with room left for the new versions of a row beside the old one.
  const storage =
    engine === 'postgres' ? 'with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)' : 'without rowid';
  await db.raw(`create table ${name} (${columns.join(', ')}) ${storage}`);
  await db.raw(`create index ${name}_user_id_starts_at_index on ${name} (user_id, starts_at)`);
  const keys = [`created_at - created_at % ${seconds}`, ...dimensions].join(', ');
  await db.raw(
    `insert into ${name} (starts_at, ${dimensions.join(', ')}, ${figures.join(', ')})
     select ${keys}, count(*), sum(quota), sum(prompt_tokens), sum(completion_tokens) from logs group by ${keys}`,
  );
}
