/**
 * New rows of the usage log as all nodes write them, read from the table about once a second while somebody listens and
 * not at all otherwise: neither the writers nor the bus know of it.
 */
import type { LogRecord, LogStore } from '../store/logs.ts';

export interface LogFeedDeps {
  readonly logs: Pick<LogStore, 'newestId' | 'after'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** A read that failed; the next one comes in its turn. Once per outage. */
  readonly report: (cause: unknown) => void;
  /** Milliseconds between two reads; 1,000 by default. */
  readonly pollMs?: number;
}

/** Told of new rows in the order of their ids; must not throw. */
export type LogListener = (rows: readonly LogRecord[]) => void;

export interface LogSubscription {
  /** Every row behind this id is told. */
  readonly position: number;
  leave(): void;
}

/** Ids that no row has yet though later ones have: their transactions may still be running. */
interface Gap {
  readonly sinceMs: number;
  /** The newest id at that time. */
  readonly upTo: number;
}

/** Rows of one read. */
const portion = 1000;
/** Longer than a settlement takes: what has not come by then was rolled back. */
const gapPatienceMs = 5000;

export class LogFeed {
  readonly #deps: LogFeedDeps;
  readonly #listeners = new Set<LogListener>();
  /** Every row up to this id was told. */
  #position = 0;
  #gap: Gap | undefined;
  #starting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  constructor(deps: LogFeedDeps) {
    this.#deps = deps;
  }

  /** Joins at the end of the log. Throws what the store throws. */
  async join(listener: LogListener): Promise<LogSubscription> {
    this.#starting ??= this.#start();
    const starting = this.#starting;
    try {
      await starting;
    } catch (error) {
      if (this.#starting === starting) this.#starting = undefined;
      throw error;
    }
    // The last listener may have left while this one waited.
    if (this.#starting !== starting) return this.join(listener);
    this.#listeners.add(listener);
    return { position: this.#position, leave: () => this.#leave(listener) };
  }

  async #start(): Promise<void> {
    this.#position = await this.#deps.logs.newestId();
    this.#gap = undefined;
    this.#plan();
  }

  #leave(listener: LogListener): void {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
    this.#starting = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #plan(): void {
    const timer = setTimeout(async () => {
      await this.#read(timer);
      if (this.#timer === timer) this.#plan();
    }, this.#deps.pollMs ?? 1000);
    timer.unref();
    this.#timer = timer;
  }

  /** Reads until nothing is left, or until the feed was stopped or started anew meanwhile. */
  async #read(turn: NodeJS.Timeout): Promise<void> {
    try {
      for (;;) {
        const rows = await this.#deps.logs.after(this.#position, portion);
        this.#isFailing = false;
        if (this.#timer !== turn) return;
        const ready = this.#ready(rows);
        this.#position = ready.at(-1)?.id ?? this.#position;
        if (ready.length > 0) for (const listener of this.#listeners) listener(ready);
        if (ready.length < portion) return;
      }
    } catch (cause) {
      if (!this.#isFailing) this.#deps.report(cause);
      this.#isFailing = true;
    }
  }

  /**
   * Rows up to the first gap. Ids are given out before their rows are committed, so another node's row may appear behind
   * later ones; told in order, the id of a row says that all before it were told too.
   */
  #ready(rows: readonly LogRecord[]): readonly LogRecord[] {
    const nowMs = this.#deps.now();
    let expected = this.#position + 1;
    for (const [index, row] of rows.entries()) {
      if (row.id !== expected) {
        const newest = rows.at(-1)?.id ?? row.id;
        // What was there together with an older gap has waited as long as that.
        if (this.#gap === undefined || expected > this.#gap.upTo) this.#gap = { sinceMs: nowMs, upTo: newest };
        if (nowMs - this.#gap.sinceMs < gapPatienceMs) return rows.slice(0, index);
      }
      expected = row.id + 1;
    }
    return rows;
  }
}
