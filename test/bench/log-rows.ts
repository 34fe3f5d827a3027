/**
 * What reading a large usage log costs (REQ-29): fills 2,000,000 rows on SQLite and 10,000,000 on PostgreSQL, then asks
 * every documented filter for its first page, a late page and its sums. By hand, at a quiet time, with some 20 GB free:
 *   node --import tsx test/bench/log-rows.ts [--database sqlite,postgres] [--sqlite-rows N] [--postgres-rows N] [--url FILLED]
 * Prints the median of five, and the slowest, in milliseconds; ends with 1 when a first page takes 500 ms or sums 1 s.
 */
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { type Database, openDatabase } from '../../daemon/store/database.ts';
import type { LogFilter } from '../../daemon/store/logs.ts';
import { migrate } from '../../daemon/store/migrate.ts';
import { migrations } from '../../migrations/index.ts';
import { startPostgres } from '../support/servers.ts';
import { createWorkspace } from '../support/workspace.ts';
import { median } from './load.ts';
import { fillLog, logEnd, logSpan } from './log-fill.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite,postgres' },
    'sqlite-rows': { type: 'string', default: '2000000' },
    'postgres-rows': { type: 'string', default: '10000000' },
    /** A database that is filled already. */
    url: { type: 'string' },
  },
});

/** Milliseconds that REQ-29 allows. */
const allowed = { page: 500, sums: 1000 };
const rounds = 5;

const hour = 3600;
const day = 24 * hour;
const today = { from: logEnd - 11 * hour, until: logEnd + hour };
const month = { from: logEnd - 30 * day + 1234, until: logEnd - 77 };

/** Each documented filter alone over all time, then together, and what finds little or nothing. */
const filters: Readonly<Record<string, LogFilter>> = {
  'no filter': {},
  today,
  'thirty days': month,
  'one hour, two months ago': { from: logEnd - 60 * day + 600, until: logEnd - 60 * day + 600 + hour },
  'type consume': { type: 2 },
  'type check-in': { type: 5 },
  'busiest user': { username: 'user1' },
  'quiet user': { username: 'user1900' },
  'own rows, busiest user': { userId: 1 },
  'own rows, quiet user': { userId: 1900 },
  nobody: { username: 'nobody' },
  'token name': { tokenName: 'key 7' },
  'common model': { modelName: 'model-0' },
  'rare model': { modelName: 'model-59' },
  'unknown model': { modelName: 'model-x' },
  'model prefix': { modelPrefix: 'model-1' },
  'model prefix, none': { modelPrefix: 'claude' },
  'busy channel': { channelId: 1 },
  'quiet channel': { channelId: 79 },
  group: { group: 'vip' },
  failed: { failed: true },
  'failed, rare model': { failed: true, modelName: 'model-59' },
  'user and model': { username: 'user3', modelName: 'model-21' },
  'user and model that never met': { username: 'user1900', modelName: 'model-58' },
  'channel and model that never met': { channelId: 79, modelName: 'model-0' },
  'group, channel, rare model': { group: 'vip', channelId: 21, modelName: 'model-20' },
  everything: {
    type: 2,
    username: 'user2',
    tokenName: 'key 4',
    modelPrefix: 'model-1',
    group: 'default',
    failed: false,
    ...month,
  },
};

interface Figures {
  readonly median: number;
  readonly worst: number;
}

async function timed(work: () => Promise<unknown>): Promise<Figures> {
  const took: number[] = [];
  await work();
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await work();
    took.push(performance.now() - began);
  }
  return { median: median(took), worst: Math.max(...took) };
}

const text = ({ median: middle, worst }: Figures) => `${middle.toFixed(0).padStart(6)} ${worst.toFixed(0).padStart(6)}`;

async function measureAt(url: string): Promise<boolean> {
  const database = await openDatabase({ url });
  try {
    await migrate(database, migrations);
    return await measure(database);
  } finally {
    await database.close();
  }
}

/** False when a figure is beyond what is allowed. */
async function measure(database: Database): Promise<boolean> {
  const { logs } = database.stores;
  let isFast = true;
  console.log(`${''.padEnd(34)}  first page      late page           sums        rows   (median, worst; ms)`);
  for (const [name, filter] of Object.entries(filters)) {
    const { total } = await logs.list(filter, { offset: 0, limit: 1 });
    const first = await timed(() => logs.list(filter, { offset: 0, limit: 10 }));
    const late = await timed(() => logs.list(filter, { offset: Math.floor(total * 0.7), limit: 100 }));
    const sums = await timed(() => logs.sums(filter));
    const within = first.median < allowed.page && sums.median < allowed.sums;
    isFast &&= within;
    const cells = [text(first), text(late), text(sums)].map((cell) => cell.padStart(15)).join(' ');
    console.log(`${name.padEnd(34)} ${cells} ${String(total).padStart(11)} ${within ? '' : '  TOO SLOW'}`);
  }
  const tail = await logs.list({}, { offset: 0, limit: 1 });
  const afterId = (tail.items[0]?.id ?? 0) - 50;
  console.log(`tail, 50 new rows ${text(await timed(() => logs.list({ afterId }, { offset: 0, limit: 100 })))}`);
  console.log(`rates of the last minute ${text(await timed(() => logs.rate({}, logEnd - 60)))}`);
  return isFast;
}

async function run(engine: string): Promise<boolean> {
  const workspace = createWorkspace();
  const server = engine === 'postgres' ? await startPostgres({ durable: true }) : undefined;
  try {
    const url = server ? await server.createDatabase() : `sqlite:${workspace.path('rows.db')}`;
    const rows = Number(engine === 'postgres' ? values['postgres-rows'] : values['sqlite-rows']);
    console.log(`\n${engine}: filling ${rows} rows over ${logSpan / day} days`);
    const began = performance.now();
    const { sizes } = await fillLog(url, engine === 'postgres' ? 'postgres' : 'sqlite', rows);
    console.log(`filled in ${((performance.now() - began) / 1000).toFixed(0)} s; ${sizes}`);
    return await measureAt(url);
  } finally {
    await server?.stop();
    workspace.remove();
  }
}

const results: boolean[] = [];
if (values.url === undefined) for (const engine of values.database.split(',')) results.push(await run(engine));
else results.push(await measureAt(values.url));
process.exitCode = results.every(Boolean) ? 0 : 1;
