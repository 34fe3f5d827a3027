/**
 * Calls that may be repeated (E21): the first one with an `Idempotency-Key` does the work, later ones with the same
 * content get its answer again. The key is claimed inside the transaction that does the work, so that a call which
 * failed or was cut off leaves it free, and a call which was committed is never done twice. The claim also tells a call
 * whose commit went unanswered whether it stands.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isUnavailable, TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import type { IdempotencyKey, IdempotencyKeyRecord } from '../store/idempotency-keys.ts';
import { randomBase62 } from './random-text.ts';

/** A call that its sender may repeat. */
export interface RepeatableCall {
  /** Who calls; keys of different callers never meet. */
  readonly actorId: number;
  /** The header's value. */
  readonly key: string;
  /** Method and path as declared; keys of different routes never meet. */
  readonly route: string;
  /** What was asked, as a JSON value; another content under the same key is refused. */
  readonly content: unknown;
}

/** What the caller gets, and whether it was given before. */
export interface RepeatableAnswer {
  /** JSON text. */
  readonly answer: string;
  readonly replayed: boolean;
}

export interface IdempotentCallsDeps {
  readonly database: Database;
  /** Encrypts an answer at rest: it may hold a key that is shown once. */
  readonly seal: (context: { table: string; column: string; row: string }, plain: string) => string;
  readonly unseal: (context: { table: string; column: string; row: string }, sealed: string) => string;
  /** Keyed hash of a content, which may hold a password. */
  readonly hash: (route: string, content: string) => string;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Days for which a repeated call gets its first answer again. */
export const idempotencyDays = 7;
const daySeconds = 86_400;
const longestKey = 255;
/** How often, and how many times, a repeat looks for the answer of a first call that is under way. */
const lookMs = 100;
const looks = 50;
/** How often a call starts anew because the one before it failed meanwhile. */
const turns = 3;

/** The claim of the call that is under way in this asynchronous context. */
interface Claim {
  readonly name: IdempotencyKey;
  /** What is stored: of the content, and a mark of this call alone after a dot. */
  readonly requestHash: string;
  taken: boolean;
}

/** The key belongs to another call that began before this one. */
class KeyInUse extends Error {}

export class IdempotentCalls {
  readonly #deps: IdempotentCallsDeps;
  readonly #claims = new AsyncLocalStorage<Claim>();
  /** Calls under way that have a claim. */
  #claiming = 0;
  /** The database for services whose calls may be repeated: the first transaction of such a call claims its key. */
  readonly database: Database;

  constructor(deps: IdempotentCallsDeps) {
    this.#deps = deps;
    const { database } = deps;
    this.database = {
      engine: database.engine,
      get pool() {
        return database.pool;
      },
      stores: database.stores,
      transaction: (work, options) => this.#transaction(work, options),
      snapshot: (work) => database.snapshot(work),
      ping: () => database.ping(),
      close: () => database.close(),
    };
  }

  /**
   * Runs the work once per key. Throws `invalid_params` for a key that is none, `idempotency_conflict` when it was used
   * for another content, `idempotency_unanswered` when nobody knows what the first call answered, and what the work
   * throws.
   */
  async run(call: RepeatableCall, work: () => Promise<string>): Promise<RepeatableAnswer> {
    const { actorId, key, route } = call;
    if (!/^[\x20-\x7e]+$/.test(key) || key.length > longestKey) {
      throw new TollgateError('invalid_params', {}, { field: 'Idempotency-Key' });
    }
    const name = { actorId, key: `${route} ${key}` };
    const requestHash = this.#deps.hash(route, stableJson(call.content));
    for (let turn = 1; turn <= turns; turn += 1) {
      const before = await this.#findAnswered(name);
      if (before) return { answer: this.#read(before, requestHash), replayed: true };
      try {
        const claim = { name, requestHash: `${requestHash}.${randomBase62(16)}`, taken: false };
        return { answer: await this.#first(claim, work), replayed: false };
      } catch (error) {
        if (!(error instanceof KeyInUse)) throw error;
      }
    }
    throw new TollgateError('idempotency_unanswered');
  }

  async #first(claim: Claim, work: () => Promise<string>): Promise<string> {
    const answer = await this.#claimed(claim, work);
    try {
      await this.#remember(claim, answer);
    } catch (error) {
      // What is done is not told as failed because a repeat of it cannot be answered.
      if (!isUnavailable(error)) throw error;
    }
    return answer;
  }

  async #remember(claim: Claim, answer: string): Promise<void> {
    const { database, seal } = this.#deps;
    // Work that needed no transaction is remembered all the same.
    if (!claim.taken) await database.transaction((stores) => this.#take(stores, claim));
    await database.stores.idempotencyKeys.complete(claim.name, seal(placeOf(claim.name), answer));
  }

  /** On Node 20 every promise of the process costs more while a store is in use, the relay's too: it is put away. */
  async #claimed(claim: Claim, work: () => Promise<string>): Promise<string> {
    this.#claiming += 1;
    try {
      return await this.#claims.run(claim, work);
    } finally {
      this.#claiming -= 1;
      if (this.#claiming === 0) this.#claims.disable();
    }
  }

  async #transaction<T>(
    work: (stores: Stores) => Promise<T>,
    options: Parameters<Database['transaction']>[1],
  ): Promise<T> {
    const claim = this.#claims.getStore();
    const { database } = this.#deps;
    if (!claim || claim.taken) return database.transaction(work, options);
    const outcome: { done?: { readonly result: T } } = {};
    try {
      await database.transaction(async (stores) => {
        delete outcome.done;
        await this.#take(stores, claim);
        outcome.done = { result: await work(stores) };
      }, options);
    } catch (error) {
      if (!outcome.done || !isUnavailable(error) || !(await this.#stands(claim))) throw error;
    }
    if (!outcome.done) throw new Error('a transaction ended without its work');
    claim.taken = true;
    return outcome.done.result;
  }

  /** True when the claim was committed, though the answer to the commit was lost; false also while nobody can tell. */
  async #stands({ name, requestHash }: Claim): Promise<boolean> {
    const found = await this.#deps.database.stores.idempotencyKeys.find(name).catch(() => undefined);
    return found?.requestHash === requestHash;
  }

  async #take(stores: Stores, { name, requestHash }: Claim): Promise<void> {
    const claimed = await stores.idempotencyKeys.claim({ ...name, requestHash, createdAt: this.#deps.nowSeconds() });
    if (!claimed) throw new KeyInUse();
  }

  /** The record of an earlier call, once it has an answer; undefined when there was none, or it failed meanwhile. */
  async #findAnswered(name: IdempotencyKey): Promise<IdempotencyKeyRecord | undefined> {
    const { idempotencyKeys } = this.#deps.database.stores;
    for (let look = 0; look < looks; look += 1) {
      const before = await idempotencyKeys.find(name);
      if (!before) return undefined;
      const oldest = this.#deps.nowSeconds() - idempotencyDays * daySeconds;
      if (before.createdAt < oldest) {
        // The others are left to the job that removes them a few at a time.
        await idempotencyKeys.deleteIfBefore(name, oldest);
        return undefined;
      }
      if (before.response !== null) return before;
      await this.#deps.sleep(lookMs);
    }
    throw new TollgateError('idempotency_unanswered');
  }

  #read(before: IdempotencyKeyRecord, requestHash: string): string {
    if (before.requestHash.split('.')[0] !== requestHash || before.response === null) {
      throw new TollgateError('idempotency_conflict');
    }
    return this.#deps.unseal(placeOf(before), before.response);
  }
}

function placeOf({ actorId, key }: IdempotencyKey): { table: string; column: string; row: string } {
  return { table: 'idempotency_keys', column: 'response', row: `${actorId} ${key}` };
}

/** JSON with sorted members, so that the order in which a client writes them does not matter. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
