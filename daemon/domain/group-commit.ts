/**
 * Group commit: everything that waits at one moment shares one transaction, and exactly one is in flight. A lone item
 * waits for no company; under load the groups grow by themselves while the previous commit runs.
 */
import { TollgateError } from '../errors.ts';

export interface GroupCommitOptions<Item, Result> {
  /** Commits a group and returns one result an item, in order. Throws when nothing was committed. */
  readonly commit: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly maxGroup: number;
  /** Items waiting beyond this are refused with `over_capacity`. */
  readonly maxWaiting: number;
}

interface Entry<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  #waiting: Entry<Item, Result>[] = [];
  #running: Promise<void> | undefined;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  /** Items that are not part of a running commit yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves with the item's own result once its group is committed. Throws `over_capacity`, or what `commit` threw. */
  submit(item: Item): Promise<Result> {
    if (this.#waiting.length >= this.#options.maxWaiting) {
      return Promise.reject(new TollgateError('over_capacity', {}, { retryAfterSeconds: 1 }));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing waits and nothing runs. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    // What arrived in the same turn of the event loop joins the first group; that costs no waiting.
    await new Promise((resume) => setImmediate(resume));
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.#options.maxGroup);
      await this.#commit(group);
    }
    this.#running = undefined;
  }

  async #commit(group: readonly Entry<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.commit(group.map((entry) => entry.item));
      group.forEach((entry, index) => {
        const result = results[index];
        if (result === undefined) entry.reject(new TollgateError('internal_error', {}, { cause: 'no result' }));
        else entry.resolve(result);
      });
    } catch (error) {
      for (const entry of group) entry.reject(error);
    }
  }
}
