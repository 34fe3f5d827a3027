/** A database that goes away, or loses the answer to a commit, when a test says so. */
import { TollgateError } from '../../daemon/errors.ts';
import type { Database, Stores, TransactionOptions } from '../../daemon/store/database.ts';
import type { LedgerStore } from '../../daemon/store/ledger.ts';

/** `lost-answer`: transactions commit, but who asked is told that the database is away. */
export type Weather = 'fair' | 'away' | 'lost-answer';

export class FlakyDatabase implements Database {
  readonly #real: Database;
  weather: Weather = 'fair';
  /** Transactions that were begun. */
  transactions = 0;

  constructor(real: Database) {
    this.#real = real;
  }

  get engine(): Database['engine'] {
    return this.#real.engine;
  }

  get pool(): Database['pool'] {
    return this.#real.pool;
  }

  get stores(): Stores {
    if (this.weather === 'fair') return this.#real.stores;
    if (this.weather === 'away') throw away();
    return { ...this.#real.stores, ledger: answerless(this.#real.stores.ledger) };
  }

  async transaction<T>(work: (stores: Stores) => Promise<T>, options?: TransactionOptions): Promise<T> {
    this.transactions += 1;
    if (this.weather === 'away') throw away();
    const loses = this.weather === 'lost-answer';
    const result = await this.#real.transaction(work, options);
    if (loses) throw away();
    return result;
  }

  snapshot<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
    return this.#real.snapshot(work);
  }

  ping(): Promise<void> {
    return this.#real.ping();
  }

  close(): Promise<void> {
    return this.#real.close();
  }
}

/** A ledger store whose changes happen, but whose answers are lost; that nothing was changed still gets through. */
function answerless(ledger: LedgerStore): LedgerStore {
  return new Proxy(ledger, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        const answer: unknown = await Reflect.apply(member, target, args);
        if (answer === false || answer === undefined) return answer;
        throw away();
      };
    },
  });
}

function away(): TollgateError {
  return new TollgateError('db_unavailable', {}, { retryAfterSeconds: 5 });
}
