import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Knex } from 'knex';
import knexModule from 'knex';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../daemon/errors.ts';
import { type Database, openDatabase } from '../../daemon/store/database.ts';
import { type Migration, migrate, migrationStatus } from '../../daemon/store/migrate.ts';
import { migrations } from '../../migrations/index.ts';
import { testEngines } from '../support/engines.ts';
import { ownProgram } from '../support/own-program.ts';
import { until } from '../support/until.ts';
import { insertUser } from './engine-suites.ts';
import { rejectionOf } from './rejection.ts';

/** What a later release might bring. */
const later: Migration = {
  name: '9000-later',
  async up(db) {
    await db.schema.createTable('later', (table) => table.increments('id'));
    await db('options').insert({ key: 'later', value: 'yes' });
  },
};

const broken: Migration = {
  name: '9001-broken',
  async up(db) {
    await db.schema.createTable('half_way', (table) => table.increments('id'));
    await db('no_such_table').insert({ id: 1 });
  },
};

const released = migrations.map((migration) => migration.name);

function connect(url: string): Knex {
  if (!url.startsWith('sqlite:')) return knexModule({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
  const connection = { filename: url.slice('sqlite:'.length) };
  return knexModule({ client: 'sqlite3', connection, useNullAsDefault: true });
}

async function tablesOf(db: Knex): Promise<string[]> {
  const isSqlite = db.client.config.client === 'sqlite3';
  return isSqlite
    ? db('sqlite_master').where({ type: 'table' }).whereRaw("name not like 'sqlite%'").pluck('name')
    : db('information_schema.tables').where({ table_schema: 'public' }).pluck('table_name');
}

/** Something in every column. */
async function someRow(db: Knex, table: string): Promise<Record<string, unknown>> {
  const columns = Object.entries(await db(table).columnInfo());
  return Object.fromEntries(columns.map(([name, { type }]) => [name, someValue(type)]));
}

function someValue(type: string): unknown {
  if (/bool/.test(type)) return false;
  if (/time/.test(type)) return new Date(0);
  if (/bytea|blob/.test(type)) return Buffer.from('x');
  return /int|numeric|float|double|real/.test(type) ? 7 : '{}';
}

async function rowsIn(db: Knex, tables: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const table of tables) counts.set(table, (await db(table).select()).length);
  return counts;
}

for (const engine of Object.values(testEngines)) {
  const tests = suite<{ database: Database; url: string; drop: () => Promise<void> }>(`store/migrate (${engine.name})`);

  tests.before.each(async (context) => {
    const place = await engine.empty();
    context.url = place.url;
    context.drop = place.drop;
    context.database = await openDatabase({ url: place.url });
  });

  tests.after.each(async (context) => {
    await context.database.close();
    await context.drop();
  });

  tests('names all that would run on an empty database, without running it', async ({ database }) => {
    assert.equal(await migrationStatus(database, migrations), { applied: [], pending: released, unknown: [] });
    assert.equal(await migrationStatus(database, migrations), { applied: [], pending: released, unknown: [] });
  });

  tests('runs each migration once and notes when', async ({ database }) => {
    assert.equal(await migrate(database, migrations, { nowSeconds: () => 1234 }), released);
    assert.equal(await migrate(database, migrations), []);
    const applied = released.map((name) => ({ name, appliedAt: 1234 }));
    assert.equal(await migrationStatus(database, migrations), { applied, pending: [], unknown: [] });
  });

  tests('tells of a step that takes long while it runs, and of no other', async ({ database }) => {
    await migrate(database, migrations);
    const told: string[] = [];
    const slow = { name: '9001-slow', up: () => until(() => told.length > 0) };
    const ran = await migrate(database, [...migrations, later, slow], {
      onLong: (name) => told.push(name),
      longMs: 2000,
    });
    assert.equal([ran, told], [['9000-later', '9001-slow'], ['9001-slow']]);
  });

  tests('keeps the data when a later release adds its migration', async ({ database }) => {
    await migrate(database, migrations);
    const user = await insertUser(database);
    assert.equal(await migrate(database, [...migrations, later]), ['9000-later']);
    assert.equal(await database.stores.users.find(user.id), user);
    assert.is((await database.stores.options.find('later'))?.value, 'yes');
  });

  tests('keeps a row in every table of each schema through all that came after it', async ({ database, url }) => {
    const db = connect(url);
    const filled = new Set<string>();
    try {
      for (const [index, name] of released.entries()) {
        const before = await rowsIn(db, [...filled]);
        assert.equal(await migrate(database, migrations.slice(0, index + 1)), [name]);
        assert.equal(await rowsIn(db, [...filled]), before, name);
        for (const table of await tablesOf(db)) {
          if (table === 'schema_migrations' || filled.has(table)) continue;
          filled.add(table);
          await db(table)
            .insert(await someRow(db, table))
            .onConflict()
            .ignore();
        }
      }
      const kept = await rowsIn(db, [...filled]);
      assert.ok(kept.size > 40 && [...kept.values()].every((rows) => rows > 0), 'every table has a row');
    } finally {
      await db.destroy();
    }
  });

  tests(
    'writes the domains of mail addresses as they are delivered to, but none that somebody else has',
    async ({ database, url }) => {
      const before = migrations.findIndex(({ name }) => name === '0026-mail-domains');
      await migrate(database, migrations.slice(0, before));
      const stored = [
        ['me@b\u00fccher.example', 'me@xn--bcher-kva.example'],
        ['me@\uff45xample.org', 'me@example.org'],
        ['\u00e9@example.org', '\u00e9@example.org'],
        ['you@\uff45xample.org', 'you@\uff45xample.org'],
        ['you@example.org', 'you@example.org'],
        ['he@\u00e9\u3000.org', 'he@\u00e9\u3000.org'],
        [null, null],
      ] as const;
      const db = connect(url);
      try {
        for (const [index, [email]] of stored.entries()) {
          const username = `user-${index}`;
          await db('users').insert({ username, username_key: username, email, created_at: 1 });
        }
        await migrate(database, migrations);
        const kept: unknown[] = await db('users').orderBy('id').pluck('email');
        assert.equal(
          kept,
          stored.map(([, email]) => email),
        );
      } finally {
        await db.destroy();
      }
    },
  );

  tests('refuses a database that a newer release has changed', async ({ database }) => {
    await migrate(database, [...migrations, later]);
    const error = await rejectionOf(migrate(database, migrations));
    assert.ok(error instanceof TollgateError && error.code === 'schema_newer', String(error));
    assert.equal(error.params, { migrations: '9000-later' });
    assert.equal((await migrationStatus(database, migrations)).unknown, ['9000-later']);
  });

  tests('leaves nothing of a migration that fails, and keeps those before it', async ({ database }) => {
    await rejectionOf(migrate(database, [...migrations, later, broken]));
    const status = await migrationStatus(database, [...migrations, later, broken]);
    assert.equal(status.pending, ['9001-broken']);
    const mended: Migration = {
      name: broken.name,
      up: (db) => db.schema.createTable('half_way', (t) => t.increments('id')),
    };
    assert.equal(await migrate(database, [...migrations, later, mended]), ['9001-broken']);
  });

  tests('runs each migration once when several processes start together', async ({ database, url }) => {
    const { program, execArgv } = ownProgram('test/store/migrate-process.ts');
    const processes = [1, 2, 3].map(() => fork(program, [url], { execArgv }));
    const ran = await Promise.all(
      processes.map(async (child) => {
        const [names] = await once(child, 'message');
        return names;
      }),
    );
    // Which process runs which is a matter of luck; that each runs once is not.
    assert.equal(ran.flat().sort(), released);
    assert.equal((await migrationStatus(database, migrations)).pending, []);
  });

  tests.run();
}
