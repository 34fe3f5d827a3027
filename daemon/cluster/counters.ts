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
  /** Milliseconds until the next entry leaves the window and makes room. */
  readonly resetMs: number;
  /** Names the entry for `giveBack`; '' when nothing was taken. */
  readonly member: string;
}

/** A window and the key it counts for. */
export interface KeyedWindow extends Window {
  readonly key: string;
}

/** An amount to be drawn from what a key may use up within a minute. */
export interface Draw {
  readonly key: string;
  readonly limit: number;
  readonly amount: number;
  /** Drawn beside the amount as far as there is room for it; nothing when absent. */
  readonly more?: number;
}

/** What one key answers to a draw. */
export interface Drawn {
  readonly allowed: boolean;
  /** What was drawn of the amount and what was wished beside it; 0 when any key refused. */
  readonly drawn: number;
  /** What is left of the limit after it. */
  readonly remaining: number;
  /** Milliseconds until there is room for a refused amount; of an allowed one, until the next part comes back. */
  readonly resetMs: number;
}

/** The answer to several draws at once. */
export interface Draws {
  /** One a key, in order; those that would have had room stay `allowed` when another refuses. */
  readonly slots: readonly Drawn[];
  /** Names the second that was drawn from, for `correct`; '' when nothing was. */
  readonly place: string;
}

/** A value now, or later when another process keeps it. */
export type Soon<T> = T | Promise<T>;

/** No method ever throws or rejects: where Redis cannot answer, this process counts by itself. */
export interface Counters {
  /** Takes a place in the sliding window of a key; a refused call adds nothing. */
  slide(key: string, window: Window): Soon<Slot>;
  /**
   * Takes a place in every window, or in none when one of them refuses. Answers one slot a window, in order; those that
   * would have had room stay `allowed` with an empty member.
   */
  slideAll(windows: readonly KeyedWindow[]): Soon<readonly Slot[]>;
  /** Gives a taken place back; harmless when it has left the window. */
  giveBack(key: string, member: string): Soon<void>;
  /** Draws an amount from every key, or from none when one of them has too little left. At most a second inexact. */
  draw(draws: readonly Draw[]): Soon<Draws>;
  /**
   * Corrects what was drawn, and is never refused: what was drawn too much goes back where it came from, what was more
   * counts from now on.
   */
  correct(place: string, differences: readonly { readonly key: string; readonly difference: number }[]): Soon<void>;
  /**
   * Counts a running thing up to a limit; undefined when the limit is reached, else a member for `leave`. An entry
   * forgets itself after `ttlMs`, so that those of a dead process do not stay.
   */
  enter(key: string, limit: number, ttlMs: number): Soon<string | undefined>;
  /** Counts a running thing on for `ttlMs` from now; one that was forgotten counts again, whatever the limit. */
  stay(key: string, member: string, ttlMs: number): Soon<void>;
  leave(key: string, member: string): Soon<void>;
  /** Keeps a value for a while. */
  put(key: string, value: string, ttlMs: number): Soon<void>;
  read(key: string): Soon<string | undefined>;
  /** Removes and returns a value. */
  take(key: string): Soon<string | undefined>;
  remove(key: string): Soon<void>;
}
