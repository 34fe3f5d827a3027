import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../daemon/store/database.ts';
import { migrate } from '../../daemon/store/migrate.ts';
import { SqliteDatabase } from '../../daemon/store/sqlite.ts';
import { migrations } from '../../migrations/index.ts';
import { testEngines } from '../support/engines.ts';
import { createWorkspace } from '../support/workspace.ts';
import { isUnavailable } from './rejection.ts';

const sqlite = suite('store/sqlite');

sqlite('makes its files for the owner alone, and leaves the mode of those that are there', async () => {
  const workspace = createWorkspace();
  const before = process.umask(0o022);
  try {
    const path = workspace.path('private.db');
    const modes = () => ['', '-wal', '-shm'].map((ending) => (statSync(path + ending).mode & 0o777).toString(8));
    const open = async () => {
      const database = await openDatabase({ url: `sqlite:${path}` });
      await migrate(database, migrations);
      return database;
    };
    const first = await open();
    assert.equal(modes(), ['600', '600', '600']);
    await first.close();
    chmodSync(path, 0o640);
    const second = await open();
    await second.stores.revisions.bump('mode');
    assert.equal(modes(), ['640', '640', '640']);
    await second.close();
  } finally {
    process.umask(before);
    workspace.remove();
  }
});

sqlite('runs transactions one after the other, in the order in which they came', async () => {
  const place = await testEngines.sqlite.migrated();
  const database = await openDatabase({ url: place.url });
  const order: string[] = [];
  const step = (name: string) =>
    database.transaction(async (stores) => {
      order.push(`${name} begins`);
      await stores.revisions.bump('order');
      await new Promise((resolve) => setTimeout(resolve, 2));
      order.push(`${name} ends`);
    });
  const first = step('first');
  const second = step('second');
  // What a transaction starts without waiting for it takes its place at the end of the line.
  const third = database.transaction(async () => {
    order.push('third begins');
    void fourth();
  });
  let last: Promise<void> | undefined;
  const fourth = () => {
    last = step('fourth');
  };
  await Promise.all([first, second, third]);
  await last;
  assert.equal(order, [
    'first begins',
    'first ends',
    'second begins',
    'second ends',
    'third begins',
    'fourth begins',
    'fourth ends',
  ]);
  await database.close();
  await place.drop();
});

sqlite('keeps a database in memory as long as it is open', async () => {
  const database = await openDatabase({ url: 'sqlite::memory:' });
  await migrate(database, migrations);
  await database.transaction((stores) => stores.revisions.bump('topic'));
  assert.equal(await database.stores.revisions.byTopic(), new Map([['topic', 1]]));
  await database.close();
});

sqlite('makes the folder of its file', async () => {
  const workspace = createWorkspace();
  const database = await openDatabase({ url: `sqlite:${workspace.path('a/b/c.db')}` });
  await database.ping();
  await database.close();
  workspace.remove();
});

sqlite('reports a file that is no database as unavailable', async () => {
  await isUnavailable(openDatabase({ url: `sqlite:${fileURLToPath(import.meta.url)}` }));
});

sqlite('waits for the transaction under way when it closes, and refuses what comes later', async () => {
  const place = await testEngines.sqlite.migrated();
  const database = await openDatabase({ url: place.url });
  const writing = database.transaction(async (stores) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return stores.revisions.bump('closing');
  });
  await Promise.resolve();
  await database.close();
  assert.is(await writing, 1);
  await isUnavailable(database.stores.revisions.byTopic());
  await isUnavailable(database.transaction((stores) => stores.revisions.bump('closing')));
  await place.drop();
});

sqlite('lets reads end that are under way or in line when it closes', async () => {
  const place = await testEngines.sqlite.migrated();
  const database = await SqliteDatabase.open({ path: place.url.slice('sqlite:'.length), readers: 1 });
  await database.stores.revisions.bump('read');
  const reads = Array.from({ length: 20 }, () => database.stores.revisions.byTopic());
  await reads[0];
  await database.close();
  for (const rows of await Promise.all(reads)) assert.equal(rows, new Map([['read', 1]]));
  await place.drop();
});

sqlite('waits for a writer of another process', async () => {
  const place = await testEngines.sqlite.migrated();
  const database = await openDatabase({ url: place.url });
  const script = `
    const { Database } = require('sqlite3');
    const db = new Database(process.argv[1]);
    db.exec("begin immediate; insert into revisions values ('other', 1)", () => {
      console.log('locked');
      setTimeout(() => db.exec('commit', () => db.close()), 300);
    });`;
  const other = spawn(process.execPath, ['-e', script, place.url.slice('sqlite:'.length)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(other.stdout, 'data');
  await database.transaction((stores) => stores.revisions.bump('mine'));
  assert.equal(
    await database.stores.revisions.byTopic(),
    new Map([
      ['mine', 1],
      ['other', 1],
    ]),
  );
  await database.close();
  await place.drop();
});

sqlite.run();
