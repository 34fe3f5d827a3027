import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LogFeed } from '../../../daemon/domain/log-feed.ts';
import type { LogRecord } from '../../../daemon/store/logs.ts';
import { newLogRow } from '../../support/log-records.ts';
import { until } from '../../support/until.ts';

/** A table whose rows become visible in any order, as those of several nodes do. */
class Table {
  readonly ids = new Set<number>();
  reads = 0;
  failure: Error | undefined;

  async newestId(): Promise<number> {
    this.reads += 1;
    return Math.max(0, ...this.ids);
  }

  async after(id: number, limit: number): Promise<LogRecord[]> {
    this.reads += 1;
    if (this.failure) throw this.failure;
    const found = [...this.ids].filter((each) => each > id).sort((left, right) => left - right);
    return found.slice(0, limit).map(rowOf);
  }

  show(...ids: number[]): void {
    for (const id of ids) this.ids.add(id);
  }
}

function rowOf(id: number): LogRecord {
  return { id, ...newLogRow() };
}

interface World {
  table: Table;
  feed: LogFeed;
  failures: unknown[];
  nowMs: number;
}

const feed = suite<World>('feed of the log');
const pollMs = 5;

feed.before.each((world) => {
  world.table = new Table();
  world.failures = [];
  world.nowMs = 0;
  world.feed = new LogFeed({
    logs: world.table,
    now: () => world.nowMs,
    report: (cause) => world.failures.push(cause),
    pollMs,
  });
});

async function join(world: World) {
  const told: number[] = [];
  const { position, leave } = await world.feed.join((rows) => told.push(...rows.map(({ id }) => id)));
  return { told, position, leave };
}

/** Long enough for some reads. */
const aWhile = () => sleep(8 * pollMs);

/** Waits for two more reads that were begun: all that was there before was told by then. */
async function readAgain({ table }: World): Promise<void> {
  const { reads } = table;
  await until(() => table.reads >= reads + 2, pollMs);
}

feed('begins at the end of the log and tells every row after it once, in order', async (world) => {
  world.table.show(1, 2, 3);
  const one = await join(world);
  assert.is(one.position, 3);
  world.table.show(4, 5);
  await readAgain(world);
  const two = await join(world);
  assert.is(two.position, 5);
  world.table.show(6);
  await readAgain(world);
  assert.equal([one.told, two.told], [[4, 5, 6], [6]]);
  one.leave();
  two.leave();
});

feed('does nothing at all while nobody listens', async (world) => {
  await aWhile();
  assert.is(world.table.reads, 0);
  const one = await join(world);
  const two = await join(world);
  one.leave();
  one.leave();
  await until(() => world.table.reads > 3, pollMs);
  two.leave();
  const { reads } = world.table;
  await aWhile();
  assert.ok(world.table.reads <= reads + 1, 'at most the read that was under way');
  world.table.show(1, 2);
  const three = await join(world);
  assert.is(three.position, 2, 'what came meanwhile is past');
  three.leave();
});

feed('waits for a row whose id is below others that are there already', async (world) => {
  const { told, leave } = await join(world);
  world.table.show(1, 2, 4, 5);
  await readAgain(world);
  assert.equal(told, [1, 2]);
  world.table.show(3, 7);
  await readAgain(world);
  assert.equal(told, [1, 2, 3, 4, 5]);
  world.table.show(6);
  await readAgain(world);
  assert.equal(told, [1, 2, 3, 4, 5, 6, 7]);
  leave();
});

feed('goes on without a row that never comes, and waits once for all that are missing at a time', async (world) => {
  const { told, leave } = await join(world);
  world.table.show(2, 4, 6);
  await readAgain(world);
  world.nowMs = 4900;
  world.table.show(8);
  await readAgain(world);
  assert.equal(told, []);
  world.nowMs = 5100;
  await readAgain(world);
  assert.equal(told, [2, 4, 6], 'the last gap is younger');
  world.nowMs = 10_200;
  await readAgain(world);
  assert.equal(told, [2, 4, 6, 8]);
  leave();
});

feed('tells more rows than one read brings without a pause', async (world) => {
  const { told, leave } = await join(world);
  world.table.show(...Array.from({ length: 2500 }, (_, index) => index + 1));
  await readAgain(world);
  assert.is(told.length, 2500);
  leave();
});

feed('reports an outage once and goes on behind it', async (world) => {
  const { told, leave } = await join(world);
  world.table.failure = new Error('the database is away');
  world.table.show(1);
  await readAgain(world);
  assert.is(world.failures.length, 1);
  world.table.failure = undefined;
  await readAgain(world);
  assert.equal(told, [1]);
  leave();
});

feed.run();
