/**
 * Counters that may be forgotten: sliding windows, running calls, values with an age. One interface with an
 * implementation in this process and one in Redis; nothing about money or rights is ever kept here.
 */

export interface Window {
  /** Entries allowed at once; 0 refuses all. */
  readonly limit: number;
  readonly windowMs: number;
}

/** What a window answers. */
export interface Slot {
  readonly allowed: boolean;
  /** Entries left after this one. */
  readonly remaining: number;
  /** Milliseconds until the oldest entry leaves the window; 0 for an empty one. */
  readonly resetMs: number;
  /** Names the entry for `giveBack`; '' when refused. */
  readonly member: string;
}

/** A value now, or later when another process keeps it. */
export type Soon<T> = T | Promise<T>;

export interface Counters {
  /** Takes a place in the sliding window of a key; a refused call adds nothing. */
  slide(key: string, window: Window): Soon<Slot>;
  /** Gives a taken place back. */
  giveBack(key: string, member: string): Soon<void>;
  /** Counts a running thing up to a limit; false when the limit is reached. An entry forgets itself after `ttlMs`. */
  enter(key: string, limit: number, ttlMs: number): Soon<boolean>;
  leave(key: string): Soon<void>;
  /** Keeps a value for a while. */
  put(key: string, value: string, ttlMs: number): Soon<void>;
  read(key: string): Soon<string | undefined>;
  /** Keeps a value only if there is none; false when there is one. */
  putIfAbsent(key: string, value: string, ttlMs: number): Soon<boolean>;
  /** Removes and returns a value. */
  take(key: string): Soon<string | undefined>;
  remove(key: string): Soon<void>;
}
