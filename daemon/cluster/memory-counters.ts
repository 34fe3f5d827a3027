/** Counters of this process: bounded, swept, and answering at once. */
import type { Counters, Draw, Draws, KeyedWindow, Slot, Window } from './counters.ts';
import { countedSeconds, MinuteSum } from './minute-sum.ts';
import { SlidingLog } from './sliding-log.ts';

export interface MemoryCountersDeps {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Keys of each kind at most; 200,000 by default. The one unused for longest is forgotten. */
  readonly maxKeys?: number;
  /** Entries of all windows together at most, eight bytes each; 4,000,000 by default. */
  readonly maxEntries?: number;
  /** Keys that are drawn from at most, about 700 bytes each; 50,000 by default. */
  readonly maxSums?: number;
}

interface Counted {
  readonly log: SlidingLog;
  windowMs: number;
}

interface Running {
  /** When each running thing forgets itself, by its member. */
  readonly until: Map<string, number>;
}

interface Kept {
  readonly value: string;
  readonly until: number;
}

const sweepEveryMs = 60_000;

export class MemoryCounters implements Counters {
  readonly #now: () => number;
  readonly #maxKeys: number;
  readonly #maxEntries: number;
  readonly #maxSums: number;
  // Maps keep the order of insertion; what is used again is inserted again, so the first is the one unused for longest.
  readonly #counted = new Map<string, Counted>();
  readonly #running = new Map<string, Running>();
  readonly #kept = new Map<string, Kept>();
  readonly #sums = new Map<string, MinuteSum>();
  #entries = 0;
  #members = 0;
  #sweptAt: number;

  constructor(deps: MemoryCountersDeps) {
    this.#now = deps.now;
    this.#maxKeys = deps.maxKeys ?? 200_000;
    this.#maxEntries = deps.maxEntries ?? 4_000_000;
    this.#maxSums = deps.maxSums ?? 50_000;
    this.#sweptAt = deps.now();
  }

  /** Keys in memory, for metrics and tests. */
  get size(): number {
    return this.#counted.size + this.#running.size + this.#kept.size + this.#sums.size;
  }

  slide(key: string, window: Window): Slot {
    const now = this.#tick();
    const counted = this.#open(key, window, now);
    return counted.log.length < window.limit ? this.#add(counted, window, now) : refusal(counted, window, now);
  }

  slideAll(windows: readonly KeyedWindow[]): readonly Slot[] {
    const now = this.#tick();
    const open = windows.map((window) => ({ window, counted: this.#open(window.key, window, now) }));
    const allAllowed = open.every(({ window, counted }) => counted.log.length < window.limit);
    return open.map(({ window, counted }) => {
      if (allAllowed) return this.#add(counted, window, now);
      return counted.log.length < window.limit ? untaken(counted, window, now) : refusal(counted, window, now);
    });
  }

  giveBack(key: string, member: string): void {
    const counted = this.#counted.get(key);
    if (!counted || member === '') return;
    counted.log.remove(Number(member));
    if (counted.log.length === 0) this.#forget(key, counted);
  }

  draw(draws: readonly Draw[]): Draws {
    const now = this.#tick();
    const second = Math.floor(now / 1000);
    const open = draws.map((draw) => ({ ...draw, sum: this.#sumOf(draw.key) }));
    const isFree = open.every(({ sum, amount, limit }) => sum.at(second) + amount <= limit);
    const slots = open.map(({ sum, amount, more = 0, limit }) => {
      const room = limit - sum.at(second);
      const allowed = amount <= room;
      const drawn = isFree ? Math.min(amount + more, room) : 0;
      if (isFree) sum.add(second, drawn);
      const remaining = Math.max(0, limit - sum.at(second));
      const freed = sum.secondThatFrees(allowed ? sum.at(second) - 1 : limit - amount);
      return { allowed, drawn, remaining, resetMs: (freed + countedSeconds) * 1000 - Math.floor(now) };
    });
    return { slots, place: isFree ? String(second) : '' };
  }

  correct(place: string, differences: readonly { readonly key: string; readonly difference: number }[]): void {
    if (place === '') return;
    const second = Math.floor(this.#tick() / 1000);
    for (const { key, difference } of differences) {
      this.#sumOf(key).add(difference > 0 ? second : Number(place), difference);
    }
  }

  enter(key: string, limit: number, ttlMs: number): string | undefined {
    const now = this.#tick();
    const until = this.#running.get(key)?.until ?? new Map<string, number>();
    for (const [member, end] of until) if (end <= now) until.delete(member);
    if (until.size >= limit) return undefined;
    this.#members += 1;
    const member = String(this.#members);
    until.set(member, now + ttlMs);
    this.#insert(this.#running, key, { until });
    return member;
  }

  stay(key: string, member: string, ttlMs: number): void {
    const now = this.#tick();
    const until = this.#running.get(key)?.until ?? new Map<string, number>();
    until.set(member, now + ttlMs);
    this.#insert(this.#running, key, { until });
  }

  leave(key: string, member: string): void {
    const running = this.#running.get(key);
    running?.until.delete(member);
    if (running?.until.size === 0) this.#running.delete(key);
  }

  put(key: string, value: string, ttlMs: number): void {
    this.#insert(this.#kept, key, { value, until: this.#tick() + ttlMs });
  }

  read(key: string): string | undefined {
    const now = this.#tick();
    const kept = this.#kept.get(key);
    return kept !== undefined && kept.until > now ? kept.value : undefined;
  }

  take(key: string): string | undefined {
    const value = this.read(key);
    this.#kept.delete(key);
    return value;
  }

  remove(key: string): void {
    this.#kept.delete(key);
  }

  /** The log of a key as the one used last, without entries that have left the window. */
  #open(key: string, { windowMs }: Window, now: number): Counted {
    let counted = this.#counted.get(key);
    if (!counted) {
      counted = { log: new SlidingLog(), windowMs };
      this.#entries += counted.log.capacity;
    }
    counted.windowMs = windowMs;
    counted.log.dropUntil(now - windowMs);
    this.#counted.delete(key);
    this.#counted.set(key, counted);
    while (this.#counted.size > this.#maxKeys || (this.#entries > this.#maxEntries && this.#counted.size > 1)) {
      this.#forgetOldest();
    }
    return counted;
  }

  /** What was drawn from a key, as that used last. */
  #sumOf(key: string): MinuteSum {
    const sum = this.#sums.get(key) ?? new MinuteSum();
    this.#sums.delete(key);
    this.#sums.set(key, sum);
    if (this.#sums.size > this.#maxSums) {
      const oldest = this.#sums.keys().next();
      if (!oldest.done) this.#sums.delete(oldest.value);
    }
    return sum;
  }

  #add(counted: Counted, window: Window, now: number): Slot {
    const before = counted.log.capacity;
    const member = counted.log.add(now);
    this.#entries += counted.log.capacity - before;
    return { ...untaken(counted, window, now), remaining: window.limit - counted.log.length, member: String(member) };
  }

  #forgetOldest(): void {
    const oldest = this.#counted.entries().next();
    if (!oldest.done) this.#forget(...oldest.value);
  }

  #forget(key: string, counted: Counted): void {
    this.#counted.delete(key);
    this.#entries -= counted.log.capacity;
  }

  /** The time, and now and then a sweep. */
  #tick(): number {
    const now = this.#now();
    if (now - this.#sweptAt >= sweepEveryMs) this.#sweep(now);
    return now;
  }

  #sweep(now: number): void {
    this.#sweptAt = now;
    for (const [key, counted] of this.#counted) {
      const newest = counted.log.at(counted.log.length - 1);
      if (!(newest > now - counted.windowMs)) this.#forget(key, counted);
    }
    for (const [key, { until }] of this.#running) {
      for (const [member, end] of until) if (end <= now) until.delete(member);
      if (until.size === 0) this.#running.delete(key);
    }
    for (const [key, kept] of this.#kept) if (kept.until <= now) this.#kept.delete(key);
    const second = Math.floor(now / 1000);
    for (const [key, sum] of this.#sums) if (sum.at(second) === 0) this.#sums.delete(key);
  }

  #insert<T>(map: Map<string, T>, key: string, value: T): void {
    map.delete(key);
    map.set(key, value);
    if (map.size <= this.#maxKeys) return;
    const oldest = map.keys().next();
    if (!oldest.done) map.delete(oldest.value);
  }
}

/** Milliseconds until the entry at a place leaves the window; the whole window when there is none. */
function waitFor({ log }: Counted, place: number, { windowMs }: Window, now: number): number {
  const time = log.at(place);
  return Number.isNaN(time) ? windowMs : Math.max(1, Math.ceil(time + windowMs - now));
}

function untaken(counted: Counted, window: Window, now: number): Slot {
  const remaining = window.limit - counted.log.length;
  return { allowed: true, remaining, resetMs: waitFor(counted, 0, window, now), member: '' };
}

function refusal(counted: Counted, window: Window, now: number): Slot {
  // Under a lowered limit it is not the oldest entry alone that must leave.
  const decisive = window.limit === 0 ? counted.log.length : counted.log.length - window.limit;
  return { allowed: false, remaining: 0, resetMs: waitFor(counted, decisive, window, now), member: '' };
}
