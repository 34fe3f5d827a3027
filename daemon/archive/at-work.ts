/** Whether a daemon works on a database that is about to be filled, or moved away from. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TollgateError } from '../errors.ts';
import type { Stores } from '../store/database.ts';
import type { NodeStore } from '../store/nodes.ts';

/** A node that was alive within this time may still be at work. */
const ALIVE_SECONDS = 90;

/** No clock of a machine that serves is further off than this. */
const CLOCKS_APART_SECONDS = 24 * 3600;

/** A node that is at work says so at least once in this time. */
const WATCH_MS = 40_000;
const LOOK_MS = 1000;

export interface Watch {
  readonly nowSeconds: number;
  /** For how long to look for heartbeats, in milliseconds; longer than one takes where undefined. */
  readonly watchMs?: number | undefined;
  readonly signal: AbortSignal;
}

type Seen = Pick<Stores, 'schemaMigrations'> & { readonly nodes: Pick<NodeStore, 'liveIds' | 'heartbeats'> };

/** Throws `database_in_use` where a node was alive until a moment ago, if its clock is right. */
export async function expectNobodyHeard({ schemaMigrations, nodes }: Seen, nowSeconds: number): Promise<void> {
  if ((await schemaMigrations.applied()) === undefined) return;
  refuse(await nodes.liveIds(nowSeconds - ALIVE_SECONDS));
}

/**
 * Throws `database_in_use` while a node works on the database. One that seems silent for minutes may have a clock that is
 * behind: it is watched for longer than a heartbeat takes. Who has stopped in order left no trace, and nobody waits.
 */
export async function expectNobodyAtWork(
  stores: Seen,
  { nowSeconds, watchMs = WATCH_MS, signal }: Watch,
): Promise<void> {
  await expectNobodyHeard(stores, nowSeconds);
  if ((await stores.schemaMigrations.applied()) === undefined) return;
  const before = await stores.nodes.heartbeats();
  if (![...before.values()].some((beat) => beat >= nowSeconds - CLOCKS_APART_SECONDS)) return;
  for (let left = watchMs; left > 0; left -= LOOK_MS) {
    await sleep(Math.min(LOOK_MS, left), undefined, { signal }).catch(() => signal.throwIfAborted());
    const after = await stores.nodes.heartbeats();
    refuse([...after].filter(([id, beat]) => before.get(id) !== beat).map(([id]) => id));
  }
}

function refuse(alive: readonly string[]): void {
  if (alive.length > 0) throw new TollgateError('database_in_use', { nodes: alive.join(', ') });
}
