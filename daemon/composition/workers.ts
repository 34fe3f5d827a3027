/**
 * Several processes behind one port (`server.workers`), for machines with more than one core. Each worker is a node
 * like any other of the installation, with a part of the data folder to itself. The process that was started hands out
 * connections, starts workers again that die, and ends them together; it serves nothing itself.
 */
import cluster, { type Worker } from 'node:cluster';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BusTransport } from '../cluster/bus.ts';
import { claimDataFolder, clearDeadUploads, isDataFolderClaimed } from '../config/data-folder.ts';
import type { Environment } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { LedgerJournal } from '../domain/ledger-journal.ts';
import {
  ofWorker,
  orphansLine,
  type StartLine,
  stoppedLine,
  verbatim,
  workerEndedLine,
  workersLine,
} from './start-lines.ts';

/** Set for workers by the process that starts them. */
const numberVariable = 'TOLLGATE_WORKER_NUMBER';
const STOP = 'stop';
/** A worker listens to what it is told; what was said before may be lost. */
const HEARING = 'hearing';
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** Orphaned workers interrupt what they serve and are gone after some seconds. */
const ORPHANS_END_MS = 30_000;
/** A worker that lived this long did not die of what killed it before. */
const SOUND_AFTER_MS = 60_000;

/** What a worker tells its neighbours, passed on by the process that started them. */
interface Announcement {
  readonly announced: string;
}

/** From 1; undefined in a process that is no worker. */
export function workerNumber(environment: Environment): number | undefined {
  return cluster.isWorker ? Number(environment[numberVariable]) : undefined;
}

/** What a process serves by, and its own part of the data folder. */
export interface ServingPlace {
  readonly config: Config;
  readonly folder: string;
}

/** The place of worker `number`, or of a process that serves alone. Workers have ports of metrics side by side. */
export function servingPlace(config: Config, number: number | undefined): ServingPlace {
  if (number === undefined) return { config, folder: config.data_dir };
  const { node, metrics } = config;
  const { listen } = metrics;
  return {
    config: {
      ...config,
      node: { ...node, id: node.id === '' ? '' : `${node.id}-${number}` },
      metrics: {
        listen: listen === null || listen.port === 0 ? listen : { ...listen, port: listen.port + number - 1 },
      },
    },
    folder: workerFolder(config, number),
  };
}

function workerFolder({ data_dir }: Config, number: number | string): string {
  return join(data_dir, 'workers', String(number));
}

/**
 * Takes over the journals of places that nobody serves by any more since `server.workers` was changed, so that their
 * settlements reach the books, and removes what their calls left on the disk. Call it before the ledger starts; of
 * several workers only the first finds anything.
 */
export async function adoptJournals({ config, folder }: ServingPlace): Promise<void> {
  const { data_dir, server } = config;
  const isAlone = server.workers === 1;
  if (!isAlone && folder !== workerFolder(config, 1)) return;
  const workers = join(data_dir, 'workers');
  const left = (existsSync(workers) ? readdirSync(workers) : [])
    .filter((name) => isAlone || Number(name) > server.workers)
    .map((name) => workerFolder(config, name));
  const own = new LedgerJournal(folder);
  // The process that started this worker has the claim of the data folder itself, and no journal.
  if (!isAlone) await own.adopt(data_dir);
  for (const other of left) {
    if (!(await isDataFolderClaimed(other))) await own.adopt(other);
    await clearDeadUploads(other);
  }
}

/** Calls `stop` when the process that started this worker says so. */
export function onWorkersStop(stop: () => void): void {
  if (!cluster.isWorker) return;
  process.on('message', (message) => {
    if (message === STOP) stop();
  });
  process.send?.(HEARING);
}

/**
 * Calls `end` when the process that started this worker is gone, until the returned function is called. Node would end
 * the worker in the same moment, with what its calls have used unbilled; one that does not serve yet may end so.
 */
export function onWorkersOrphaned(end: () => void): () => void {
  const { worker } = cluster;
  if (!worker) return () => undefined;
  const orphaned = () => {
    worker.exitedAfterDisconnect = true;
    end();
  };
  worker.once('disconnect', orphaned);
  return () => worker.off('disconnect', orphaned);
}

/** Carries announcements to the other workers of this address; undefined in a process that is no worker. */
export function workersTransport(): BusTransport | undefined {
  if (!cluster.isWorker) return undefined;
  return {
    publish: (announced) => {
      if (process.connected) process.send?.({ announced } satisfies Announcement);
    },
    subscribe: (listener) => {
      const onMessage = (message: unknown) => {
        if (isAnnouncement(message)) listener(message.announced);
      };
      process.on('message', onMessage);
      return () => process.off('message', onMessage);
    },
  };
}

/** Lets a worker that has stopped come to its end. */
export function leaveWorkers(): void {
  if (process.connected) process.disconnect();
}

export interface Supervision {
  readonly say: (line: StartLine) => void;
  /** Resolves when the workers are to end. */
  readonly stopping: Promise<void>;
}

/** Runs the workers until they are to end; returns the exit code. Throws `data_dir_in_use`. */
export async function superviseWorkers(config: Config, supervision: Supervision): Promise<number> {
  const claim = await claimDataFolder(config.data_dir);
  try {
    await orphansEnded(config, supervision);
    return await new Supervisor(config.server.workers, supervision).run();
  } finally {
    await claim.release();
  }
}

/** Who holds a place of a worker while its data folder was free has lost its supervisor and settles what it served. */
async function orphansEnded(config: Config, { say, stopping }: Supervision): Promise<void> {
  const places = Array.from({ length: config.server.workers }, (_, index) => workerFolder(config, index + 1));
  const isHeld = async () => (await Promise.all(places.map(isDataFolderClaimed))).includes(true);
  let isStopping = false;
  void stopping.then(() => {
    isStopping = true;
  });
  const untilMs = performance.now() + ORPHANS_END_MS;
  if (await isHeld()) say(orphansLine);
  while (!isStopping && performance.now() < untilMs && (await isHeld())) await sleep(100);
}

class Supervisor {
  readonly #count: number;
  readonly #supervision: Supervision;
  readonly #running = new Set<Worker>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #isStopping = false;
  #ended: () => void = () => undefined;

  constructor(count: number, supervision: Supervision) {
    this.#count = count;
    this.#supervision = supervision;
  }

  async run(): Promise<number> {
    const { say, stopping } = this.#supervision;
    const ended = new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
    const stopped = stopping.then(() => this.#stop());
    // The first one brings the schema up to date and tells what the start found; if it cannot start, none can.
    const code = await this.#first();
    if (code !== undefined) return code;
    const others = Array.from({ length: this.#count - 1 }, (_, index) => this.#start(index + 2, FIRST_PAUSE_MS));
    await Promise.all(others);
    if (!this.#isStopping) say(workersLine(this.#count));
    await stopped;
    await ended;
    say(stoppedLine);
    return 0;
  }

  /** Resolves when the first worker listens, or with its exit code when it ended before. */
  async #first(): Promise<number | undefined> {
    const bornMs = performance.now();
    const worker = this.#fork(1);
    const code = await listening(worker);
    if (code === undefined) onEnd(worker, () => this.#startAgain(1, { afterMs: FIRST_PAUSE_MS, bornMs }));
    return this.#isStopping ? undefined : code;
  }

  /** Resolves when the worker listens, or has ended; then it is started again by itself. */
  async #start(number: number, pauseMs: number): Promise<void> {
    if (this.#isStopping) return;
    const bornMs = performance.now();
    const worker = this.#fork(number);
    onEnd(worker, () => this.#startAgain(number, { afterMs: pauseMs, bornMs }));
    await listening(worker);
  }

  #fork(number: number): Worker {
    const worker = cluster.fork({ [numberVariable]: String(number) });
    this.#running.add(worker);
    worker.on('message', (message: unknown) => {
      if (isAnnouncement(message)) this.#tellOthers(worker, message);
      else if (message === HEARING && this.#isStopping) tell(worker, STOP);
    });
    // Nobody listening, it would end this process, and with it the other workers.
    worker.on('error', (error) => this.#supervision.say(ofWorker(number, verbatim(error.message))));
    onEnd(worker, () => {
      this.#running.delete(worker);
      if (this.#isStopping && this.#running.size === 0) this.#ended();
    });
    return worker;
  }

  #startAgain(number: number, { afterMs, bornMs }: { afterMs: number; bornMs: number }): void {
    if (this.#isStopping) return;
    const isSound = performance.now() - bornMs >= SOUND_AFTER_MS;
    const pauseMs = isSound ? FIRST_PAUSE_MS : afterMs;
    this.#supervision.say(workerEndedLine(number, Math.round(pauseMs / 1000)));
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      void this.#start(number, Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
    }, pauseMs);
    this.#pauses.add(pause);
  }

  #tellOthers(from: Worker, message: Announcement): void {
    for (const worker of this.#running) if (worker !== from) tell(worker, message);
  }

  #stop(): void {
    this.#isStopping = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    for (const worker of this.#running) tell(worker, STOP);
    if (this.#running.size === 0) this.#ended();
  }
}

/** A worker that ends in this moment hears nothing; without a callback Node would end this process for that. */
function tell(worker: Worker, message: Announcement | typeof STOP): void {
  if (worker.isConnected()) worker.process.send(message, () => undefined);
}

/** Undefined once the worker listens; its exit code when it ended before. */
function listening(worker: Worker): Promise<number | undefined> {
  return new Promise((resolve) => {
    worker.once('listening', () => resolve(undefined));
    onEnd(worker, resolve);
  });
}

/** Calls `told` with the exit code. Where the machine has no process left, a worker ends by an error before it has begun. */
function onEnd(worker: Worker, told: (code: number) => void): void {
  worker.once('exit', (code: number | null) => told(code ?? 1));
  worker.on('error', () => {
    if (worker.process.pid === undefined) told(1);
  });
}

function isAnnouncement(message: unknown): message is Announcement {
  return (
    typeof message === 'object' && message !== null && 'announced' in message && typeof message.announced === 'string'
  );
}
