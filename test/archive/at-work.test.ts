/** Databases that may not be filled or moved away from, since a daemon works on them whose clock is behind. */

import { appendFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expectNobodyAtWork } from '../../daemon/archive/at-work.ts';
import { backUp } from '../../daemon/archive/backup.ts';
import { moveTo } from '../../daemon/archive/move.ts';
import { restore } from '../../daemon/archive/restore.ts';
import { loadConfig } from '../../daemon/config/load.ts';
import { TollgateError } from '../../daemon/errors.ts';
import { type Database, openDatabase } from '../../daemon/store/database.ts';
import { migrations } from '../../migrations/index.ts';
import { migratedFileIn } from '../support/migrated.ts';
import { createWorkspace, type Workspace } from '../support/workspace.ts';

interface World {
  workspace: Workspace;
  url: string;
  database: Database;
  nowSeconds: number;
}

const test = suite<World>('archive: at work');

const program = { migrations, version: '0.0.0-test' };
const node = { id: 'node-behind', address: '127.0.0.1:1', version: '1', startedAt: 0 };
const signal = new AbortController().signal;
const quietly = { onRows: () => undefined, signal, watchMs: 1 };

test.before.each(async (world) => {
  world.workspace = createWorkspace();
  world.url = await migratedFileIn(world.workspace);
  world.database = await openDatabase({ url: world.url });
  world.nowSeconds = Math.floor(Date.now() / 1000);
});

test.after.each(async ({ database, workspace }) => {
  await database.close();
  workspace.remove();
});

/** Stores whose node says that it is alive whenever somebody has looked, ten minutes behind. */
function beating({ database, nowSeconds }: World) {
  let heartbeatAt = nowSeconds - 600;
  const { nodes } = database.stores;
  const heartbeats = async () => {
    const seen = await nodes.heartbeats();
    heartbeatAt += 30;
    await nodes.beat({ ...node, heartbeatAt });
    return seen;
  };
  return { ...database.stores, nodes: { heartbeats, liveIds: (since: number) => nodes.liveIds(since) } };
}

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error) => (error instanceof TollgateError ? error.code : String(error)),
  );

test('a node whose heartbeat moves is at work, though its clock is ten minutes behind', async (world) => {
  const { database, nowSeconds } = world;
  await database.stores.nodes.beat({ ...node, heartbeatAt: nowSeconds - 600 });
  assert.is(await codeOf(expectNobodyAtWork(beating(world), { nowSeconds, ...quietly })), 'database_in_use');
});

test('what a crash left behind is watched, and then stands in nobody’s way', async ({ database, nowSeconds }) => {
  await database.stores.nodes.beat({ ...node, heartbeatAt: nowSeconds - 600 });
  assert.is(await codeOf(expectNobodyAtWork(database.stores, { nowSeconds, ...quietly })), 'done');
});

test('nobody waits where no node was, or none within a day', async ({ database, nowSeconds }) => {
  const forever = { nowSeconds, signal, watchMs: 2 ** 31 - 1 };
  await expectNobodyAtWork(database.stores, forever);
  await database.stores.nodes.beat({ ...node, heartbeatAt: nowSeconds - 2 * 86_400 });
  await expectNobodyAtWork(database.stores, forever);
});

test('an interrupt ends the wait', async ({ database, nowSeconds }) => {
  await database.stores.nodes.beat({ ...node, heartbeatAt: nowSeconds - 600 });
  const stop = new AbortController();
  const waiting = expectNobodyAtWork(database.stores, { nowSeconds, signal: stop.signal, watchMs: 2 ** 31 - 1 });
  stop.abort(new Error('interrupted'));
  assert.match(await codeOf(waiting), 'interrupted');
});

test('neither a restore that replaces nor a move goes on beside such a node', async (world) => {
  const { database, workspace, url, nowSeconds } = world;
  const config = loadConfig({ env: {}, overrides: { 'database.url': url, data_dir: workspace.path('data') } });
  const file = workspace.path('open.tgb');
  const write = async (bytes: Uint8Array) => appendFileSync(file, bytes);
  await backUp(config, program, { ...quietly, excluded: [], lock: undefined, write });
  let heartbeatAt = nowSeconds - 600;
  const beat = () => database.stores.nodes.beat({ ...node, heartbeatAt: heartbeatAt++ });
  await beat();
  const beats = setInterval(() => void beat().catch(() => undefined), 50);
  const wish = { ...quietly, watchMs: 2 ** 31 - 1, dryRun: false };
  try {
    const confirm = () => Promise.resolve();
    const replacing = { ...wish, file, passphrase: undefined, into: undefined, replace: true, confirm };
    assert.is(await codeOf(restore(config, program, replacing)), 'database_in_use');
    const to = `sqlite:${workspace.path('elsewhere.db')}`;
    assert.is(await codeOf(moveTo(config, program, { ...wish, to })), 'database_in_use');
  } finally {
    clearInterval(beats);
  }
});

test.run();
