/**
 * An import of more rows than the database knows of, after one that was not kept.
 * Runs once: on PostgreSQL, which plans by what it knows.
 */
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { importGateway } from '../../daemon/gateway-import.ts';
import { testEngines } from '../support/engines.ts';
import { createWorkspace } from '../support/workspace.ts';
import { foreignKey, newApiTables, writeGateway } from './foreign-gateway.ts';

const test = suite('import of many rows');

test('PostgreSQL knows of the accounts and keys that came before it is asked to change them', async () => {
  const workspace = createWorkspace();
  const target = await testEngines.postgres.migrated();
  const client = new pg.Client({ connectionString: target.url });
  await client.connect();
  try {
    const { users: [account = {}] = [], tokens: [key = {}] = [], ...rest } = newApiTables('http://127.0.0.1:1');
    const numbers = Array.from({ length: 600 }, (_none, index) => index + 1);
    await writeGateway(`sqlite:${workspace.path('one-api.db')}`, {
      ...rest,
      users: numbers.map((id) => ({ ...account, id, role: 1, username: `user${id}`, aff_code: `code${id}` })),
      tokens: numbers.map((id) => ({ ...key, id, user_id: id, key: foreignKey(`k${String(id).padStart(4, '0')}`) })),
    });
    const environment = { TOLLGATE_DATABASE_URL: target.url, TOLLGATE_DATA_DIR: workspace.path('data') };
    const watch = { onRows: () => undefined, signal: new AbortController().signal };
    const wish = { ...watch, from: undefined, groups: {}, roles: 'keep', onClash: 'skip' } as const;
    const source = `sqlite:${workspace.path('one-api.db')}`;
    const run = (dryRun: boolean) =>
      importGateway({ ...wish, source, kinds: ['users', 'balances', 'tokens'], dryRun }, environment);
    await run(true);
    // What a dry run wrote is there as dead rows, which tell whoever counts the table that it is empty.
    await client.query('analyze users, tokens');
    const { kinds } = await run(false);
    assert.equal(
      kinds.map((kind) => kind.new),
      [600, 600, 600],
    );
    const { rows } = await client.query(
      "select relname, reltuples >= 500 as known from pg_class where relname in ('users', 'tokens') order by 1",
    );
    assert.equal(rows, [
      { relname: 'tokens', known: true },
      { relname: 'users', known: true },
    ]);
  } finally {
    await client.end();
    await target.drop();
    workspace.remove();
  }
});

test.run();
