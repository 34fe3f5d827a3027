import knexModule from 'knex';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../daemon/store/database.ts';
import { testEngines } from '../support/engines.ts';

for (const engine of Object.values(testEngines)) {
  const tests = suite(`store/audits (${engine.name})`);

  tests('finds what was done to each target last, without reading the trail', async () => {
    const place = await engine.migrated();
    const database = await openDatabase({ url: place.url });
    try {
      const act = { createdAt: 1, actorId: 1, ip: '', action: 'channel.update', detail: '{}' };
      await database.transaction(({ audits }) =>
        audits.appendAll([
          { ...act, actorName: 'ann', target: 'channel:1' },
          { ...act, actorName: 'bob', target: 'channel:1' },
          { ...act, actorName: 'cid', target: 'channel:2' },
          { ...act, actorName: 'dan', target: 'channel:10' },
        ]),
      );
      const found = await database.stores.audits.lastOf(['channel:1', 'channel:2', 'channel:3']);
      assert.equal(found.map(({ target, actorName }) => [target, actorName]).sort(), [
        ['channel:1', 'bob'],
        ['channel:2', 'cid'],
      ]);
      assert.ok((await indexesOf(place.url)).some((index) => /\(\W*target\W+id\W*\)$/.test(index)));
    } finally {
      await database.close();
      await place.drop();
    }
  });

  tests.run();
}

/** The indexes of the trail as SQL. */
async function indexesOf(url: string): Promise<string[]> {
  const isSqlite = url.startsWith('sqlite:');
  const db = isSqlite
    ? knexModule({ client: 'sqlite3', connection: { filename: url.slice('sqlite:'.length) }, useNullAsDefault: true })
    : knexModule({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
  try {
    return await (isSqlite
      ? db('sqlite_master').where({ type: 'index', tbl_name: 'audit_logs' }).whereNotNull('sql').pluck('sql')
      : db('pg_indexes').where({ tablename: 'audit_logs' }).pluck('indexdef'));
  } finally {
    await db.destroy();
  }
}
