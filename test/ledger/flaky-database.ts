/** A database that goes away, or loses the answer to a commit, when a test says so. */
import { TollgateError } from '../../daemon/errors.ts';
import type { Database, Stores, TransactionOptions } from '../../daemon/store/database.ts';
import type { LedgerStore } from '../../daemon/store/ledger.ts';

/** `lost-answer`: transactions commit, but who asked is told that the database is away. `frozen`: nothing comes back. */
export type Weather = 'fair' | 'away' | 'lost-answer' | 'frozen';

export class FlakyDatabase implements Database {
  readonly #real: Database;
  weather: Weather = 'fair';
  #thaw: () => void = () => undefined;
  #thawed = new Promise<void>((resolve) => {
    this.#thaw = resolve;
  });
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
    if (this.weather === 'frozen')
      return { ...this.#real.stores, ledger: late(this.#real.stores.ledger, this.#thawed) };
    return { ...this.#real.stores, ledger: answerless(this.#real.stores.ledger) };
  }

  async transaction<T>(work: (stores: Stores) => Promise<T>, options?: TransactionOptions): Promise<T> {
    this.transactions += 1;
    if (this.weather === 'away') throw away();
    if (this.weather === 'frozen') await this.#thawed;
    const loses = this.weather === 'lost-answer';
    const result = await this.#real.transaction(work, options);
    if (loses) throw away();
    return result;
  }

  /** What was asked while it was frozen is done after all. */
  thaw(): void {
    this.weather = 'fair';
    this.#thaw();
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

/** A ledger store that does everything once `ready`. */
function late(ledger: LedgerStore, ready: Promise<void>): LedgerStore {
  return calling(ledger, async (call) => {
    await ready;
    return call();
  });
}

/** A ledger store whose changes happen, but whose answers are lost; that nothing was changed still gets through. */
function answerless(ledger: LedgerStore): LedgerStore {
  return calling(ledger, async (call) => {
    const answer = await call();
    if (answer === false || answer === undefined) return answer;
    throw away();
  });
}

function calling(ledger: LedgerStore, how: (call: () => Promise<unknown>) => Promise<unknown>): LedgerStore {
  return new Proxy(ledger, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => how(async () => Reflect.apply(member, target, args));
    },
  });
}

function away(): TollgateError {
  return new TollgateError('db_unavailable', {}, { retryAfterSeconds: 5 });
}
