import knexModule, { type Knex } from 'knex';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../daemon/store/database.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '../../daemon/store/log-stretches.ts';
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
  cost: index * 3,
}));

/** What the tables must hold, without their SQL. */
function sumsByHand(seconds: number, written = rows): unknown[][] {
  const sums = new Map<string, { names: unknown[]; figures: number[] }>();
  for (const row of written) {
    const { userId, type, failed, channelId, modelName, tokenName, group, username, other } = row;
    const startsAt = row.createdAt - (row.createdAt % seconds);
    const names = [startsAt, userId, type, failed, channelId, modelName, tokenName, group, username];
    const members = JSON.parse(other === '' ? '{}' : other);
    const calls =
      type === 2 && [members.tool, members.is_test, members.attempt].every((each) => each === undefined) ? 1 : 0;
    const gains = [1, calls, row.quota, row.promptTokens, row.completionTokens, members.cache_tokens ?? 0, row.cost];
    const key = JSON.stringify(names);
    const before = sums.get(key)?.figures ?? gains.map(() => 0);
    sums.set(key, { names, figures: gains.map((gain, index) => gain + (before[index] ?? 0)) });
  }
  return [...sums.values()].map(({ names, figures }) => [...names, ...figures]);
}

const columns = (db: Knex, table: string) =>
  db(table).select([
    ...['starts_at', 'user_id', 'type', 'failed', 'channel_id', 'model_name', 'token_name', 'group', 'username'],
    ...['row_count', 'calls', 'quota', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'cost'],
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
        // Rows from before there were costs have none.
        const old = rows.map((row) => ({ ...row, cost: 0 }));
        assert.equal(kept, sumsByHand(seconds, old).map(plain).sort(), table);
      }
      const costs = await db('logs').distinct('cost').pluck('cost');
      assert.equal(costs.map(Number), [0]);
    } finally {
      await db.destroy();
      await database.close();
      await place.drop();
    }
  });

  sums('are made by folding as by the migration, and lose what rows take away', async () => {
    const place = await engine.migrated();
    const database = await openDatabase({ url: place.url });
    const db = connect(place.url);
    try {
      const written = [...rows, ...rows.slice(0, 9).map((row) => ({ ...row, other: '{"attempt":{"status":502}}' }))];
      await database.stores.logs.insert(
        written.map((row) => ({
          ...row,
          content: '',
          useTime: 0,
          isStream: false,
          tokenId: 0,
          requestId: '',
          ip: null,
        })),
      );
      await database.stores.logSums.mark(1000);
      assert.ok(await database.stores.logSums.mark(2000));
      while (await database.transaction((stores) => stores.logSums.fold(37)));
      const folded = async (table: string, seconds: number) => {
        const kept = (await columns(db, table)).map((row) => plain(Object.values(row))).sort();
        assert.equal(kept, sumsByHand(seconds, written).map(plain).sort(), table);
      };
      await folded('log_hours', HOUR_SECONDS);
      await folded('log_days', DAY_SECONDS);
      while (await database.transaction((stores) => stores.logs.deleteBefore(2_000_000_000, 50)));
      for (const table of ['log_hours', 'log_days', 'logs']) {
        assert.equal(await db(table).select('quota'), [], table);
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
