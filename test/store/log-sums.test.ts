import knexModule, { type Knex } from 'knex';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../daemon/store/database.ts';
import { DAY_SECONDS, HOUR_SECONDS, sumEntries } from '../../daemon/store/log-sums.ts';
import { migrate } from '../../daemon/store/migrate.ts';
import { migrations } from '../../migrations/index.ts';
import { testEngines } from '../support/engines.ts';

const others = [
  '',
  '{}',
  '{"cache_tokens":12,"frt":3}',
  '{"tool":{"name":"web_search"},"cache_tokens":1}',
  '{"is_test":true,"cache_tokens":2}',
  '{"path":"\\"cache_tokens\\":99 \\"tool\\":{"}',
];

const rows = Array.from({ length: 240 }, (_, index) => ({
  userId: 1 + (index % 3),
  createdAt: 1_700_000_000 + index * 1000,
  type: index % 7 === 0 ? 1 : 2,
  failed: index % 11 === 0,
  channelId: index % 4,
  modelName: `model ${index % 5}`,
  tokenName: `key ${index % 2}`,
  group: 'vip',
  username: `user ${index % 3}`,
  quota: index * 1_000_000_007,
  promptTokens: index,
  completionTokens: 2 * index,
  other: others[index % others.length] ?? '',
}));

const columns = (db: Knex, table: string) =>
  db(table).select([
    ...['starts_at', 'user_id', 'type', 'failed', 'channel_id', 'model_name', 'token_name', 'group', 'username'],
    ...['row_count', 'calls', 'quota', 'prompt_tokens', 'completion_tokens', 'cached_tokens'],
  ]);

function connect(url: string): Knex {
  if (!url.startsWith('sqlite:')) return knexModule({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
  const connection = { filename: url.slice('sqlite:'.length) };
  return knexModule({ client: 'sqlite3', connection, useNullAsDefault: true });
}

for (const engine of Object.values(testEngines)) {
  const sums = suite(`store/log-sums (${engine.name})`);

  sums('of a log that was there before them are those that its rows would have made', async () => {
    const place = await engine.empty();
    const database = await openDatabase({ url: place.url });
    const db = connect(place.url);
    try {
      const before = migrations.findIndex(({ name }) => name === '0004-log-sums');
      await migrate(database, migrations.slice(0, before));
      await db.batchInsert(
        'logs',
        rows.map((row) => ({
          user_id: row.userId,
          created_at: row.createdAt,
          type: row.type,
          failed: row.failed,
          channel_id: row.channelId,
          model_name: row.modelName,
          token_name: row.tokenName,
          group: row.group,
          username: row.username,
          quota: row.quota,
          prompt_tokens: row.promptTokens,
          completion_tokens: row.completionTokens,
          other: row.other,
        })),
        100,
      );
      await migrate(database, migrations);
      for (const [table, seconds] of [
        ['log_hours', HOUR_SECONDS],
        ['log_days', DAY_SECONDS],
      ] as const) {
        const kept = (await columns(db, table)).map((row) => plain(Object.values(row))).sort();
        assert.equal(kept, sumEntries(rows, seconds).map(plain).sort(), table);
      }
    } finally {
      await db.destroy();
      await database.close();
      await place.drop();
    }
  });

  sums.run();
}

/** Flags and big numbers look different on the two engines. */
function plain(values: readonly unknown[]): string {
  return JSON.stringify(values.map((value) => String(typeof value === 'boolean' ? Number(value) : value)));
}
