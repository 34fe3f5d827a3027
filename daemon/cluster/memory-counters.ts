/** Counters of this process: bounded, swept, and answering at once. */
import type { Counters, Slot, Window } from './counters.ts';

export interface MemoryCountersDeps {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Keys of each kind at most; the one unused for longest is forgotten. */
  readonly maxKeys?: number;
}

interface Log {
  /** Times and members in order; the first `start` of each have left the window. */
  times: number[];
  members: number[];
  windowMs: number;
}

interface Running {
  count: number;
  until: number;
}

interface Kept {
  value: string;
  until: number;
}

const sweepEvery = 4096;

export class MemoryCounters implements Counters {
  readonly #now: () => number;
  readonly #maxKeys: number;
  readonly #logs = new Map<string, Log>();
  readonly #running = new Map<string, Running>();
  readonly #kept = new Map<string, Kept>();
  #members = 0;
  #calls = 0;

  constructor(deps: MemoryCountersDeps) {
    this.#now = deps.now;
    this.#maxKeys = deps.maxKeys ?? 200_000;
  }

  /** Keys in memory, for metrics and tests. */
  get size(): number {
    return this.#logs.size + this.#running.size + this.#kept.size;
  }

  slide(key: string, window: Window): Slot {
    const now = this.#tick();
    let log = this.#logs.get(key);
    if (log === undefined) {
      log = { times: [], members: [], windowMs: window.windowMs };
      this.#insert(this.#logs, key, log);
    }
    log.windowMs = window.windowMs;
    expire(log, now);
    const oldest = log.times[0];
    const resetMs = oldest === undefined ? 0 : Math.max(1, Math.ceil(oldest + window.windowMs - now));
    if (log.times.length >= window.limit) {
      // Under a lowered limit it is not the oldest entry alone that must leave.
      const decisive = log.times[log.times.length - window.limit] ?? oldest ?? now;
      const wait = window.limit === 0 ? window.windowMs : Math.max(1, Math.ceil(decisive + window.windowMs - now));
      return { allowed: false, remaining: 0, resetMs: wait, member: '' };
    }
    this.#members += 1;
    log.times.push(now);
    log.members.push(this.#members);
    return {
      allowed: true,
      remaining: window.limit - log.times.length,
      resetMs: resetMs || window.windowMs,
      member: String(this.#members),
    };
  }

  giveBack(key: string, member: string): void {
    const log = this.#logs.get(key);
    const at = log?.members.indexOf(Number(member)) ?? -1;
    if (log === undefined || at < 0) return;
    log.times.splice(at, 1);
    log.members.splice(at, 1);
    if (log.times.length === 0) this.#logs.delete(key);
  }

  enter(key: string, limit: number, ttlMs: number): boolean {
    const now = this.#tick();
    const running = this.#running.get(key);
    if (running === undefined || running.until <= now) {
      if (limit <= 0) return false;
      this.#insert(this.#running, key, { count: 1, until: now + ttlMs });
      return true;
    }
    if (running.count >= limit) return false;
    running.count += 1;
    running.until = now + ttlMs;
    return true;
  }

  leave(key: string): void {
    const running = this.#running.get(key);
    if (running === undefined) return;
    running.count -= 1;
    if (running.count <= 0) this.#running.delete(key);
  }

  put(key: string, value: string, ttlMs: number): void {
    this.#insert(this.#kept, key, { value, until: this.#tick() + ttlMs });
  }

  read(key: string): string | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && kept.until > this.#tick() ? kept.value : undefined;
  }

  putIfAbsent(key: string, value: string, ttlMs: number): boolean {
    if (this.read(key) !== undefined) return false;
    this.put(key, value, ttlMs);
    return true;
  }

  take(key: string): string | undefined {
    const value = this.read(key);
    this.#kept.delete(key);
    return value;
  }

  remove(key: string): void {
    this.#kept.delete(key);
  }

  /** The time, and now and then a sweep. */
  #tick(): number {
    const now = this.#now();
    this.#calls += 1;
    if (this.#calls % sweepEvery === 0) this.#sweep(now);
    return now;
  }

  #sweep(now: number): void {
    for (const [key, log] of this.#logs) {
      expire(log, now);
      if (log.times.length === 0) this.#logs.delete(key);
    }
    for (const [key, running] of this.#running) if (running.until <= now) this.#running.delete(key);
    for (const [key, kept] of this.#kept) if (kept.until <= now) this.#kept.delete(key);
  }

  /** Inserts as the newest; the oldest goes when there are too many. */
  #insert<T>(map: Map<string, T>, key: string, value: T): void {
    map.delete(key);
    map.set(key, value);
    if (map.size <= this.#maxKeys) return;
    const oldest = map.keys().next();
    if (!oldest.done) map.delete(oldest.value);
  }
}

/** Drops what has left the window. */
function expire(log: Log, now: number): void {
  const edge = now - log.windowMs;
  let gone = 0;
  while (gone < log.times.length && (log.times[gone] ?? 0) <= edge) gone += 1;
  if (gone > 0) {
    log.times.splice(0, gone);
    log.members.splice(0, gone);
  }
}
