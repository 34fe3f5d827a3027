/** A large usage log as a busy site would have it, made inside the database. */
import knexModule, { type Knex } from 'knex';
import { openDatabase } from '../../daemon/store/database.ts';
import { migrate } from '../../daemon/store/migrate.ts';
import { migrations } from '../../migrations/index.ts';

/** Unix seconds of the newest row. */
export const logEnd = 1_784_030_400;
/** Seconds between the oldest row and the newest. */
export const logSpan = 90 * 86_400;

/** Newest rows that wait to be folded into the sums, as many as two busy minutes make. */
const unfolded = 100_000;

/**
 * Migrates the database and fills its log. Users are drawn by Zipf's law out of 2,000, so that half of the rows are those
 * of about fifty; each has two keys, of which one does most, and up to four of 60 models, each behind two of 80 channels.
 * One row in a hundred failed, one in a thousand is no consumption.
 */
export async function fillLog(
  url: string,
  engine: 'sqlite' | 'postgres',
  rows: number,
): Promise<{ readonly sizes: string }> {
  const database = await openDatabase({ url });
  await migrate(database, migrations);
  await database.close();
  const db = connect(url, engine);
  try {
    if (engine === 'postgres') await db.raw('set synchronous_commit = off');
    else await db.raw('pragma synchronous = off');
    const chunk = 500_000;
    for (let from = 0; from < rows; from += chunk) {
      const part = [from + 1, Math.min(rows, from + chunk), rows, logSpan, logEnd];
      await db.raw(engine === 'postgres' ? postgresRows : sqliteRows, part);
    }
    for (const [table, seconds] of [
      ['log_hours', 3600],
      ['log_days', 86_400],
    ] as const) {
      await db.raw(sumAll, [table, seconds, rows - unfolded]);
    }
    await db('log_sum_state').update({ folded_to: rows - unfolded, mark_id: rows });
    if (engine === 'sqlite') return { sizes: await sqliteSizes(db) };
    for (const table of ['logs', 'log_hours', 'log_days']) await db.raw('vacuum analyze ??', [table]);
    return { sizes: await postgresSizes(db) };
  } finally {
    await db.destroy();
  }
}

function connect(url: string, engine: 'sqlite' | 'postgres'): Knex {
  const pool = { min: 1, max: 1 };
  if (engine === 'postgres') return knexModule({ client: 'pg', connection: url, pool });
  const connection = { filename: url.slice('sqlite:'.length) };
  return knexModule({ client: 'sqlite3', connection, useNullAsDefault: true, pool });
}

async function sqliteSizes(db: Knex): Promise<string> {
  const counts = await Promise.all(['log_hours', 'log_days'].map((table) => db(table).count({ rows: '*' }).first()));
  const pages: { page_count: number }[] = await db.raw('pragma page_count');
  return `sums ${counts.map((count) => count?.rows).join(' and ')} rows, file of ${pages[0]?.page_count} pages`;
}

async function postgresSizes(db: Knex): Promise<string> {
  const sizes = ['logs', 'log_hours', 'log_days'].map(async (table) => {
    const count = await db(table).count({ rows: '*' }).first();
    const { rows } = await db.raw('select pg_size_pretty(pg_total_relation_size(?)) as size', [table]);
    return `${table} ${count?.rows} rows, ${rows[0]?.size}`;
  });
  return (await Promise.all(sizes)).join('; ');
}

const target = `
  insert into logs (created_at, quota, user_id, type, prompt_tokens, completion_tokens, use_time, channel_id, token_id,
    is_stream, failed, username, token_name, model_name, "group", request_id, content, other)`;

const other =
  '{"frt":120,"request_path":"/v1/chat/completions","settle_reason":"complete","group":"default","model_ratio":1.25,' +
  '"completion_ratio":4,"group_ratio":1,"model_price":-1,"cache_ratio":0.5,"cache_tokens":0,"admin_info":{' +
  '"use_channel":["7"],"attempts":[{"channel":7,"key":1,"status":200,"code":"","ms":132,"message":""}]}}';

/** Bound: first and last number of the rows, number of all rows, span, end. */
const postgresRows = `${target}
  select (at)::bigint, 10 + i % 1000, u, case when i % 1000 = 0 then 1 + (i / 1000) % 5 else 2 end, i % 3000, i % 700,
    i % 30, 1 + (m + 20 * s) % 80, u * 2 + k, i % 2 = 0, i % 100 = 0, 'user' || u, 'key ' || ((u * 2 + k) % 40),
    'model-' || m, case when u % 20 = 0 then 'vip' else 'default' end,
    to_char(to_timestamp(at), 'YYYYMMDDHH24MISS') || lpad((i % 1000000000)::text, 9, '0') || substr(md5(i::text), 1, 8),
    'Model ratio 1.25, completion ratio 4, group ratio 1', '${other}'
  from (
    select i, at, u, k, s, (u * 7 + least(3, floor(-ln(1 - r3) * 0.8)::int)) % 60 as m
    from (
      select i, e - p + floor(i * (p::numeric / n)) as at, floor(exp(r1 * ln(2000)))::int as u,
        (r2 < 0.2)::int as k, (r4 < 0.3)::int as s, r3
      from (
        select i, n, p, e, random() as r1, random() as r2, random() as r3, random() as r4
        from (select ?::bigint as a, ?::bigint as b, ?::bigint as n, ?::bigint as p, ?::bigint as e) as v,
          generate_series(a, b) as i
      ) as drawn
    ) as placed
  ) as rows`;

const sqliteRows = `${target}
  with recursive v(a, b, n, p, e) as (values (?, ?, ?, ?, ?)),
  numbers(i) as (select a from v union all select i + 1 from numbers, v where i < b),
  drawn as materialized (
    select i, e - p + cast(i * (1.0 * p / n) as integer) as at,
      cast(exp((random() / 18446744073709551616.0 + 0.5) * ln(2000)) as integer) as u,
      (abs(random() % 10) < 2) as k, (abs(random() % 10) < 3) as s,
      min(3, cast(-ln(1 - (random() / 18446744073709551616.0 + 0.49999)) * 0.8 as integer)) as r
    from numbers, v
  ),
  placed as (select *, (u * 7 + r) % 60 as m from drawn)
  select at, 10 + i % 1000, u, case when i % 1000 = 0 then 1 + (i / 1000) % 5 else 2 end, i % 3000, i % 700, i % 30,
    1 + (m + 20 * s) % 80, u * 2 + k, i % 2 = 0, i % 100 = 0, 'user' || u, 'key ' || ((u * 2 + k) % 40), 'model-' || m,
    case when u % 20 = 0 then 'vip' else 'default' end,
    strftime('%Y%m%d%H%M%S', at, 'unixepoch') || printf('%09d', i % 1000000000) || substr(hex(i * 7919), 1, 8),
    'Model ratio 1.25, completion ratio 4, group ratio 1', '${other}'
  from placed`;

/** As the migration that made the tables; all rows are alike in what it looks for in `other`. */
const sumAll = `
  insert into ?? (
    starts_at, user_id, type, failed, channel_id, model_name, token_name, "group", username, row_count, calls, quota,
    prompt_tokens, completion_tokens, cached_tokens)
  select starts_at, user_id, type, failed, channel_id, model_name, token_name, "group", username, count(*), count(*),
    sum(quota), sum(prompt_tokens), sum(completion_tokens), 0
  from (select logs.*, created_at - created_at % ? as starts_at from logs where id <= ?) as placed
  group by starts_at, user_id, type, failed, channel_id, model_name, token_name, "group", username
  order by starts_at`;
