/**
 * What the books can carry: calls a second through hold, settlement and log row, and what they cost this process, on
 * both engines; then the same with each index of `logs` taken away. By hand: `node --import tsx test/bench/ledger.ts
 * [seconds] [sqlite|postgres] [callers]`. Figures move with the machine; compare rows of one run.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import knexModule, { type Knex } from 'knex';
import { Ledger } from '../../daemon/domain/ledger.ts';
import { UsageLog } from '../../daemon/domain/usage-log.ts';
import { openDatabase } from '../../daemon/store/database.ts';
import { migrateAt } from '../support/migrated.ts';
import { startPostgres } from '../support/servers.ts';
import { createWorkspace } from '../support/workspace.ts';
import { answeredCall } from './ledger-call.ts';

const ACCOUNTS = 200;

interface Figures {
  readonly callsPerSecond: number;
  /** How long callers wait for their hold, in milliseconds: half of them, and all but one in a hundred. */
  readonly holdMs: readonly [number, number];
  /** Processor time of the thread that runs JavaScript: what is taken from everything else the daemon does. */
  readonly mainMicros: number;
  /** Of all threads of this process. */
  readonly cpuMicros: number;
}

const seconds = Number(process.argv[2] ?? 3);
const engines = process.argv[3] === undefined ? ['sqlite', 'postgres'] : [process.argv[3]];
const loads = process.argv[4] === undefined ? [32, 64, 256, 1000] : [Number(process.argv[4])];

for (const engine of engines) {
  const server = engine === 'postgres' ? await startPostgres({ durable: true, core: 1 }) : undefined;
  const fresh = async () => {
    const url = server ? await server.createDatabase() : `sqlite:${createWorkspace().path('bench.db')}`;
    await migrateAt(url);
    await seed(url);
    return url;
  };
  for (const callers of loads) print(`${engine}, ${callers} callers`, await measure(await fresh(), callers));
  if (loads.length > 1)
    for (const name of await logIndexes(await fresh())) {
      const url = await fresh();
      await withKnex(url, (db) => db.raw('drop index ??', [name]));
      print(`${engine}, 256 callers, without ${name}`, await measure(url, 256));
    }
  await server?.stop();
}

async function measure(url: string, callers: number): Promise<Figures> {
  const database = await openDatabase({ url });
  const workspace = createWorkspace();
  const ledger = new Ledger({
    database,
    node: 'bench',
    dataDir: workspace.folder,
    now: Date.now,
    report: (event) => console.error(event),
    formatQuota: String,
    language: 'en',
  });
  const usageLog = new UsageLog({ language: 'en' });
  let calls = 0;
  const waits: number[] = [];
  let load = true;
  const caller = async (id: number) => {
    while (load) {
      const { hold, settle } = answeredCall(usageLog, { account: 1 + (id % ACCOUNTS), call: calls++ });
      const asked = performance.now();
      await ledger.hold(hold);
      waits.push(performance.now() - asked);
      void ledger.settle(settle);
    }
  };
  const main = mainThreadMicros();
  const cpu = process.cpuUsage();
  const began = performance.now();
  const running = Array.from({ length: callers }, (_, id) => caller(id));
  await new Promise((resume) => setTimeout(resume, seconds * 1000));
  load = false;
  await Promise.all(running);
  await ledger.drain();
  const elapsed = performance.now() - began;
  const used = process.cpuUsage(cpu);
  const mainUsed = mainThreadMicros() - main;
  await ledger.stop();
  await database.close();
  workspace.remove();
  waits.sort((left, right) => left - right);
  const quantile = (share: number) => waits[Math.floor(waits.length * share)] ?? Number.NaN;
  return {
    holdMs: [quantile(0.5), quantile(0.99)],
    callsPerSecond: (calls * 1000) / elapsed,
    mainMicros: mainUsed / calls,
    cpuMicros: (used.user + used.system) / calls,
  };
}

/** Linux counts it in ticks of 10 ms. */
function mainThreadMicros(): number {
  const fields = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

async function seed(url: string): Promise<void> {
  await withKnex(url, async (db) => {
    const ids = Array.from({ length: ACCOUNTS }, (_, index) => index + 1);
    const purse = 10 ** 13;
    await db.batchInsert(
      'users',
      ids.map((id) => ({ username: `user-${id}`, username_key: `user-${id}`, quota: purse })),
      100,
    );
    await db.batchInsert(
      'tokens',
      ids.map((id) => ({ user_id: id, key_hash: `hash-${id}`, name: 'laptop', remain_quota: purse })),
      100,
    );
    await db.batchInsert(
      'channels',
      [1, 2, 3, 4, 5].map((id) => ({ name: `channel-${id}` })),
      5,
    );
  });
}

async function logIndexes(url: string): Promise<string[]> {
  const sqlite = url.startsWith('sqlite:');
  return withKnex(url, async (db) => {
    const rows: { name: string }[] = sqlite
      ? await db('sqlite_master').where({ type: 'index', tbl_name: 'logs' }).select('name')
      : await db('pg_indexes')
          .where({ tablename: 'logs' })
          .whereNot('indexname', 'logs_pkey')
          .select({ name: 'indexname' });
    return rows.map((row) => row.name);
  });
}

async function withKnex<T>(url: string, work: (db: Knex) => Promise<T>): Promise<T> {
  const db = url.startsWith('sqlite:')
    ? knexModule({ client: 'sqlite3', connection: { filename: url.slice(7) }, useNullAsDefault: true })
    : knexModule({ client: 'pg', connection: url });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

function print(name: string, { callsPerSecond, holdMs, mainMicros, cpuMicros }: Figures): void {
  const figures = [
    `${Math.round(callsPerSecond)} calls/s`,
    `hold p50 ${holdMs[0].toFixed(1)} p99 ${holdMs[1].toFixed(1)} ms`,
    `${mainMicros.toFixed(1)} µs of the main thread`,
    `${cpuMicros.toFixed(1)} µs of all threads`,
  ];
  console.log(`${name.padEnd(60)} ${figures.join('  ')}`);
}
