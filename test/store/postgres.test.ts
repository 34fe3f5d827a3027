import { createServer } from 'node:net';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Database, openDatabase } from '../../daemon/store/database.ts';
import { postgresSettlements } from '../../daemon/store/ledger-sql.ts';
import { migrate } from '../../daemon/store/migrate.ts';
import { PostgresDatabase } from '../../daemon/store/postgres.ts';
import { migrations } from '../../migrations/index.ts';
import { type PrivatePostgresServer, startPostgres } from '../support/postgres-server.ts';
import { resolvesWithin, until } from '../support/until.ts';
import { insertUser } from './engine-suites.ts';
import { isUnavailable, rejectionOf } from './rejection.ts';

const postgres = suite<{ server: PrivatePostgresServer; database: Database; url: string }>('store/postgres');

postgres.before(async (context) => {
  context.server = await startPostgres();
  context.url = await context.server.createDatabase();
  context.database = await openDatabase({ url: context.url, poolSize: 5 });
  await migrate(context.database, migrations);
});

postgres.after(async ({ server, database }) => {
  await database.close();
  await server.stop();
});

postgres('runs a transaction again when it was the victim of a deadlock', async ({ database }) => {
  const [left, right] = [await insertUser(database), await insertUser(database)];
  let runs = 0;
  const meet = gate(2);
  const cross = (first: number, second: number) =>
    database.transaction(async (stores) => {
      runs += 1;
      await stores.users.creditInvite(first, 1);
      await meet();
      await stores.users.creditInvite(second, 1);
    });
  await Promise.all([cross(left.id, right.id), cross(right.id, left.id)]);
  assert.ok(runs > 2, 'both ran, and the victim once more');
  assert.is((await database.stores.users.find(left.id))?.affCount, 2);
  assert.is((await database.stores.users.find(right.id))?.affCount, 2);
});

postgres('settles a few calls by the keys of their channels, however many channels there are', async ({ server }) => {
  const url = await server.createDatabase();
  const database = await openDatabase({ url });
  await migrate(database, migrations);
  await database.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("INSERT INTO channels (name, models) SELECT 'one', 'model' FROM generate_series(1, 3000)");
    await client.query('ANALYZE channels');
    let bound = 0;
    const text = postgresSettlements.replaceAll('?', () => `$${++bound}`);
    const lists = ['[]', '[]', '[{"id":1,"used":5},{"id":2000,"used":7}]', '[]', '[]'];
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ANALYZE ${text}`, lists);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(plan, /Index Scan using channels_pkey on channels/);
    assert.not.match(plan, /Seq Scan on channels/);
    const used = await client.query('SELECT id, used_quota FROM channels WHERE used_quota > 0 ORDER BY id');
    assert.equal(used.rows, [
      { id: 1, used_quota: '5' },
      { id: 2000, used_quota: '7' },
    ]);
  } finally {
    await client.end();
    await server.dropDatabase(url);
  }
});

postgres('does not retry a failure of the program', async ({ database }) => {
  let runs = 0;
  const failing = database.transaction(async (stores) => {
    runs += 1;
    await stores.users.setLastLogin(1, 1e30);
  });
  assert.match(String(await rejectionOf(failing)), 'bigint');
  assert.is(runs, 1);
});

postgres('waits in line when all connections are taken', async ({ database }) => {
  const user = await insertUser(database);
  await Promise.all(
    Array.from({ length: 50 }, () => database.transaction((stores) => stores.users.creditInvite(user.id, 1))),
  );
  assert.is((await database.stores.users.find(user.id))?.affCount, 50);
});

postgres(
  'says unavailable while the server is down, undoes what was open, and recovers by itself',
  async ({ server, database }) => {
    await Promise.all(Array.from({ length: 5 }, () => database.ping()));
    const open = database.transaction(async (stores) => {
      await stores.revisions.bump('open-at-crash');
      await server.crash();
      await stores.revisions.bump('open-at-crash');
    });
    await isUnavailable(open);
    await isUnavailable(database.ping());
    await isUnavailable(database.stores.revisions.byTopic());
    await isUnavailable(database.stores.revisions.bump('x'));
    await isUnavailable(database.transaction((stores) => stores.revisions.bump('x')));
    await server.resume();
    await database.ping();
    assert.is(await database.transaction((stores) => stores.revisions.bump('recovered')), 1);
    assert.equal(await database.stores.revisions.byTopic(), new Map([['recovered', 1]]));
  },
);

postgres('says unavailable while the server may only be read, and writes by itself once it may', async (context) => {
  const { database, url } = context;
  const operator = new pg.Client({ connectionString: url });
  await operator.connect();
  let written = 0;
  const write = () => database.transaction((stores) => stores.revisions.bump('read-only'));
  /** True when the server took it. */
  const isTaken = async () => {
    const revision = await write().catch(() => undefined);
    written += revision === undefined ? 0 : 1;
    return revision !== undefined;
  };
  const setReadOnly = async (mode: 'on' | 'off') => {
    await operator.query(`alter system set default_transaction_read_only = ${mode}`);
    await operator.query('select pg_reload_conf()');
  };
  await setReadOnly('on');
  try {
    await until(async () => !(await isTaken()));
    await isUnavailable(write());
    await isUnavailable(database.stores.revisions.bump('read-only'));
  } finally {
    await setReadOnly('off');
    await operator.end();
  }
  await until(isTaken);
  assert.is(await write(), written + 1, 'what was refused was not written');
});

postgres('survives a restart between two calls without the caller noticing', async ({ server, database }) => {
  await Promise.all(Array.from({ length: 5 }, () => database.stores.revisions.byTopic()));
  await server.crash();
  await server.resume();
  await database.transaction((stores) => stores.revisions.bump('after-restart'));
  await database.stores.revisions.bump('after-restart');
});

postgres('repeats a transaction whose connection was cut before the commit', async ({ database, url }) => {
  let runs = 0;
  await database.transaction(async (stores) => {
    runs += 1;
    await stores.revisions.bump('cut');
    if (runs === 1) await cutOpenTransactions(url);
    await stores.revisions.bump('cut');
  });
  assert.is(runs, 2);
  assert.is((await database.stores.revisions.byTopic()).get('cut'), 2);
});

/** A database whose statements may take 200 ms, while somebody else holds the table of revisions. */
async function whileHeld(url: string, work: (database: PostgresDatabase, holder: pg.Client) => Promise<void>) {
  const impatient = await PostgresDatabase.open({ url, poolSize: 2, statementTimeoutMs: 200 });
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table revisions in access exclusive mode');
    await work(impatient, holder);
  } finally {
    await holder.end();
    await impatient.close();
  }
}

postgres('gives up a statement that takes longer than it may', ({ url }) =>
  whileHeld(url, async (impatient, holder) => {
    await resolvesWithin(3000, rejectionOf(impatient.stores.revisions.byTopic()));
    await holder.query('rollback');
    await impatient.stores.revisions.byTopic();
  }),
);

postgres('lets a statement of a long transaction take its time', ({ url }) =>
  whileHeld(url, async (impatient, holder) => {
    const bumped = impatient.transaction(({ revisions }) => revisions.bump('patient'), { timeoutMs: 3_600_000 });
    const isOverdue = `select 1 from pg_stat_activity
      where wait_event_type = 'Lock' and clock_timestamp() - query_start > '400ms'`;
    await until(async () => {
      await holder.query('select pg_stat_clear_snapshot()');
      return (await holder.query(isOverdue)).rows.length > 0;
    });
    await holder.query('rollback');
    assert.is(await bumped, 1);
  }),
);

postgres('says unavailable, and nothing that nobody watches, when a connection is ended as it is made', async () => {
  // As a server that is shut down does: who connected and that it is over arrive together.
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(Buffer.concat([admitted, ready, shutDown])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const unwatched: unknown[] = [];
  const note = (error: unknown) => unwatched.push(error);
  process.on('uncaughtException', note);
  const database = new PostgresDatabase({ url: `postgres://postgres@127.0.0.1:${port}/postgres` });
  try {
    await isUnavailable(database.stores.revisions.byTopic());
    await isUnavailable(database.transaction((stores) => stores.revisions.bump('x')));
    assert.equal(unwatched, []);
  } finally {
    process.off('uncaughtException', note);
    await database.close();
    server.close();
  }
});

postgres('reports an address without a server as unavailable', async () => {
  await isUnavailable(openDatabase({ url: 'postgres://nobody@127.0.0.1:1/nothing' }));
});

postgres('returns 64-bit numbers as numbers', async ({ database }) => {
  const user = await insertUser(database);
  await database.stores.users.creditInvite(user.id, Number.MAX_SAFE_INTEGER);
  assert.is((await database.stores.users.find(user.id))?.affQuota, Number.MAX_SAFE_INTEGER);
});

/** A message of PostgreSQL's protocol. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const admitted = message('R', Buffer.alloc(4));
const ready = message('Z', Buffer.from('I'));
const shutDown = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));

/** Resolves for everybody once that many have come; those who come later pass. */
function gate(size: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let open = false;
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      open ||= waiting.length >= size;
      if (open) for (const go of waiting.splice(0)) go();
    });
}

/** Ends the connections that are inside a transaction. */
async function cutOpenTransactions(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction'");
  await client.end();
}

postgres.run();
