/** One load of snapshots at a time, for all who wait for one. */

export const topics = ['options', 'channels', 'rate_rules', 'setup'] as const;
export type Topic = (typeof topics)[number];

/** What is to be read again; of channels, perhaps only those of some ids. */
export type Wish = ReadonlyMap<Topic, ReadonlySet<number> | 'all'>;

export function isTopic(text: string): text is Topic {
  return topics.some((topic) => topic === text);
}

/**
 * Whoever asks during a load gets the next one, because the running load may have read its rows before their write; all
 * who wait share that next load.
 */
export class Reload {
  readonly #load: (wish: Wish) => Promise<void>;
  #running: Promise<void> | undefined;
  #next: { wish: Wish; done: Promise<void> } | undefined;

  constructor(load: (wish: Wish) => Promise<void>) {
    this.#load = load;
  }

  /** Resolves once everything wished for that was committed before the call is taken in; rejects as the load does. */
  run(wish: Wish): Promise<void> {
    // Asked first: between the end of one load and the beginning of the next, none runs.
    if (this.#next) {
      this.#next.wish = joined(this.#next.wish, wish);
      return this.#next.done;
    }
    if (!this.#running) return this.#begin(wish);
    const next = { wish, done: Promise.resolve() };
    const begin = () => {
      this.#next = undefined;
      return this.#begin(next.wish);
    };
    // The load that fails answers for itself; the one after it starts all the same.
    next.done = this.#running.then(begin, begin);
    this.#next = next;
    return next.done;
  }

  #begin(wish: Wish): Promise<void> {
    const running = this.#load(wish).finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}

function joined(one: Wish, other: Wish): Wish {
  const all = new Map(one);
  for (const [topic, ids] of other) {
    const known = all.get(topic);
    all.set(topic, known === undefined || ids === 'all' ? ids : known === 'all' ? 'all' : new Set([...known, ...ids]));
  }
  return all;
}
