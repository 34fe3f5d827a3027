import knexModule, { type Knex } from 'knex';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AuditTrail } from '../../../daemon/domain/audit-trail.ts';
import { auditBy } from '../../../daemon/domain/audits.ts';
import { type Database, openDatabase } from '../../../daemon/store/database.ts';
import { actor } from '../../support/domain-world.ts';
import { type TestDatabase, testDatabaseUrl } from '../../support/servers.ts';

interface Context {
  place: TestDatabase;
  database: Database;
  trail: AuditTrail;
  /** A connection past the program: what somebody with the database's password has. */
  raw: Knex;
}

const trail = suite<Context>('domain/audit-trail');
const window = { offset: 0, limit: 100 };

trail.before.each(async (context) => {
  context.place = await testDatabaseUrl();
  context.database = await openDatabase({ url: context.place.url });
  context.trail = new AuditTrail({ database: context.database });
  context.raw = connect(context.place.url);
});
trail.after.each(async ({ raw, database, place }) => {
  await raw.destroy();
  await database.close();
  await place.drop();
});

function connect(url: string): Knex {
  if (!url.startsWith('sqlite:')) return knexModule({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
  const connection = { filename: url.slice('sqlite:'.length) };
  return knexModule({ client: 'sqlite3', connection, useNullAsDefault: true });
}

async function act(database: Database, count: number, who: Parameters<typeof actor>[0] = {}): Promise<void> {
  const acts = Array.from({ length: count }, (_, index) =>
    database.transaction((stores) =>
      stores.audits.append(
        auditBy(
          actor({ requestId: `r${index}`, userAgent: 'curl', ...who }),
          { action: index % 2 === 0 ? 'channel.update' : 'user.quota', target: `channel:${index}`, detail: { index } },
          1000 + index,
        ),
      ),
    ),
  );
  await Promise.all(acts);
}

trail('finds rows by who acted, what was done, to whom and when', async ({ database, trail }) => {
  await act(database, 6);
  await act(database, 2, { userId: 9, username: 'ann' });
  const found = async (question: Parameters<AuditTrail['list']>[0]) => (await trail.list(question, window)).total;
  assert.is(await found({}), 8);
  assert.is(await found({ actor: '9' }), 2);
  assert.is(await found({ actor: 'ann' }), 2);
  assert.is(await found({ actor: 'nobody' }), 0);
  assert.is(await found({ action: 'user.quota' }), 4);
  assert.is(await found({ target: 'channel:0', actor: 'root' }), 1);
  assert.is(await found({ start_timestamp: 1004, end_timestamp: 1005 }), 2);
  const [newest] = (await trail.list({ target: 'channel:5' }, window)).items;
  assert.equal([newest?.requestId, newest?.userAgent], ['r5', 'curl']);
});

trail('keeps one chain however many act at once', async ({ database, trail, raw }) => {
  await act(database, 60);
  const { rows, intact, head } = await trail.verify();
  assert.equal([rows, intact], [60, true]);
  assert.is(head, (await raw('audit_logs').orderBy('id', 'desc').first('hash'))?.hash);
});

trail('has an empty chain that is intact, and leaves rows of before out of it', async ({ trail, raw, database }) => {
  assert.equal(await trail.verify(), { intact: true, rows: 0, firstBroken: undefined, missing: 0, head: '' });
  await raw('audit_logs').insert({ created_at: 1, action: 'channel.update' });
  await act(database, 3);
  assert.equal([(await trail.verify()).intact, (await trail.verify()).rows], [true, 3]);
});

trail('names the first row that somebody changed, removed or slipped in', async ({ database, trail, raw }) => {
  await act(database, 9);
  const ids: number[] = (await raw('audit_logs').orderBy('id').pluck('id')).map(Number);
  const [, , third, fourth] = ids;
  const original = await raw('audit_logs').where({ id: third }).first();
  await raw('audit_logs').where({ id: third }).update({ detail: '{"index":99}' });
  assert.is((await trail.verify()).firstBroken, third);
  await raw('audit_logs').where({ id: third }).update({ detail: original.detail });
  assert.ok((await trail.verify()).intact);
  await raw('audit_logs').where({ id: third }).delete();
  assert.equal([(await trail.verify()).intact, (await trail.verify()).firstBroken], [false, fourth]);
  await raw('audit_logs').insert(original);
  assert.ok((await trail.verify()).intact);
  await raw('audit_logs').insert({ ...original, id: 1_000_000, action: 'channel.delete' });
  await act(database, 1);
  assert.not.ok((await trail.verify()).intact);
});

trail('misses rows that were cut off at the end', async ({ database, trail, raw }) => {
  await act(database, 5);
  const ids: number[] = await raw('audit_logs').orderBy('id', 'desc').limit(2).pluck('id');
  await raw('audit_logs').whereIn('id', ids).delete();
  const { intact, missing, rows } = await trail.verify();
  assert.equal([intact, missing, rows], [false, 2, 3]);
});

trail('exports every row of the filter, in portions', async ({ trail, raw }) => {
  const row = (index: number) => ({ created_at: index, action: index % 2 === 0 ? 'user.quota' : 'other' });
  const all = Array.from({ length: 4200 }, (_, index) => row(index));
  await raw.batchInsert('audit_logs', all, 300);
  const seen: number[] = [];
  for await (const page of trail.export({ action: 'user.quota' })) seen.push(...page.map(({ createdAt }) => createdAt));
  assert.equal(
    seen,
    all
      .filter(({ action }) => action === 'user.quota')
      .map(({ created_at }) => created_at)
      .reverse(),
  );
});

trail.run();
