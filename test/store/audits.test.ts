import type { Knex } from 'knex';
import knexModule from 'knex';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AuditFilter, AuditStore } from '../../daemon/store/audits.ts';
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

  tests('lists what was done of one kind, within a time and to one target, newest first', async () => {
    const place = await engine.migrated();
    const database = await openDatabase({ url: place.url });
    try {
      const act = { actorId: 1, actorName: 'ann', ip: '', detail: '{}' };
      await database.transaction(({ audits }) =>
        audits.appendAll([
          { ...act, createdAt: 1, action: 'user.purge', target: 'user:1' },
          { ...act, createdAt: 2, action: 'user.update', target: 'user:1' },
          { ...act, createdAt: 3, action: 'user.purge', target: 'user:2' },
          { ...act, createdAt: 4, action: 'user.purge', target: 'user:3' },
        ]),
      );
      const { audits } = database.stores;
      const timesOf = async (filter: AuditFilter) => {
        const { items, total } = await audits.list(filter, { offset: 0, limit: 10 });
        assert.is(total, items.length);
        return items.map(({ createdAt }) => createdAt);
      };
      assert.equal(await timesOf({ action: 'user.purge' }), [4, 3, 1]);
      assert.equal(await timesOf({ action: 'user.purge', from: 2, until: 3 }), [3]);
      assert.equal(await timesOf({ action: 'user.purge', target: 'user:1' }), [1]);
      assert.equal(await timesOf({ action: 'user.create' }), []);
    } finally {
      await database.close();
      await place.drop();
    }
  });

  tests('has an index for each way in which the trail is searched by what was done', async () => {
    const place = await engine.migrated();
    try {
      const indexes = await indexesOf(place.url);
      assert.ok(indexes.some((index) => /\(\W*action\W+id\W*\)$/.test(index)));
      if (engine.name !== 'sqlite') return;
      const plan = await planOf(place.url, (audits) =>
        audits.list({ action: 'user.purge', target: 'user:1' }, { offset: 0, limit: 10 }),
      );
      assert.match(plan, /audit_logs_target_id_index/);
      assert.not.match(plan, /audit_logs_action_id_index|TEMP B-TREE/);
      const rare = await planOf(place.url, (audits) =>
        audits.list({ action: 'user.purge', from: 2, until: 3 }, { offset: 0, limit: 10 }),
      );
      assert.not.match(rare, /audit_logs_created_at_index|TEMP B-TREE|SCAN/);
    } finally {
      await place.drop();
    }
  });

  tests.run();
}

/** The indexes of the trail as SQL. */
async function indexesOf(url: string): Promise<string[]> {
  const db = connect(url);
  try {
    return await (url.startsWith('sqlite:')
      ? db('sqlite_master').where({ type: 'index', tbl_name: 'audit_logs' }).whereNotNull('sql').pluck('sql')
      : db('pg_indexes').where({ tablename: 'audit_logs' }).pluck('indexdef'));
  } finally {
    await db.destroy();
  }
}

/** How SQLite goes about what is asked of the trail. */
async function planOf(url: string, ask: (audits: AuditStore) => Promise<unknown>): Promise<string> {
  const db = connect(url);
  const asked: { sql: string; bindings: Knex.RawBinding[] }[] = [];
  db.on('query', (query) => asked.push(query));
  try {
    await ask(new AuditStore(db));
    const plans = asked.map(({ sql, bindings }) => db.raw<{ detail: string }[]>(`explain query plan ${sql}`, bindings));
    return (await Promise.all(plans)).flatMap((steps) => steps.map(({ detail }) => detail)).join('\n');
  } finally {
    await db.destroy();
  }
}

function connect(url: string): Knex {
  if (!url.startsWith('sqlite:')) return knexModule({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
  const connection = { filename: url.slice('sqlite:'.length) };
  return knexModule({ client: 'sqlite3', connection, useNullAsDefault: true });
}
