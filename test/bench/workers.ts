/**
 * Two workers against one (`server.workers`), on PostgreSQL. Each worker needs a core, and so do the load with the mock
 * upstream and the database: below four cores the two workers share core 0, and what they lose there to one alone tells
 * what two cores would give.
 */
import { availableParallelism } from 'node:os';
import type { PostgresServer } from '../support/postgres-server.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { median, wrk } from './load.ts';
import type { References } from './references.ts';

export interface WorkersRun {
  readonly root: string;
  readonly references: References;
  readonly postgres: PostgresServer;
  readonly rounds: number;
  readonly seconds: number;
}

const LEAST_CORES = 4;
const counts = [1, 2] as const;

/** Whole answers a second by number of workers, in turn, round after round; round 0 warms up and is not counted. */
export async function measureWorkers(run: WorkersRun): Promise<void> {
  const { root, references, rounds, seconds } = run;
  const hasCores = availableParallelism() >= LEAST_CORES;
  const gateways = new Map<number, Gateway>();
  const rates = new Map<number, number[]>();
  try {
    for (const count of counts) {
      gateways.set(
        count,
        await startGateway({
          root,
          upstream: references.upstream,
          databaseUrl: await run.postgres.createDatabase(),
          cores: hasCores && count === 2 ? [0, 2] : [0],
          environment: { TOLLGATE_WORKERS: String(count) },
        }),
      );
    }
    for (let round = 0; round <= rounds; round += 1) {
      for (const [count, gateway] of gateways) {
        const figure = await wrk({
          root,
          url: `${gateway.url}/v1/chat/completions`,
          headers: [`Authorization: ${gateway.authorization.json}`],
          body: references.bodies.json,
          connections: 256,
          seconds,
        });
        if (figure.non2xx > 0) throw new Error(`${figure.non2xx} calls of ${count} workers failed`);
        if (round > 0) rates.set(count, [...(rates.get(count) ?? []), figure.rps]);
      }
    }
  } finally {
    for (const gateway of gateways.values()) await gateway.stop();
  }
  const [one, two] = counts.map((count) => median(rates.get(count) ?? []));
  if (one === undefined || two === undefined) return;
  const times = two / one;
  console.log(`\nworkers: whole answers, PostgreSQL, medians of ${rounds} rounds of ${seconds} s at 256 connections`);
  console.log(`one ${one.toFixed(0)} a second, two ${two.toFixed(0)}`);
  if (hasCores) console.log(`two against one: ${times.toFixed(2)} times`);
  else
    console.log(`both on one core: ${times.toFixed(2)} of one's; on two cores ${(2 * times).toFixed(2)} times at most`);
}
