/**
 * Tokens and their users, remembered for at most two seconds. There are too many to hold whole, so this is a bounded
 * cache: a hit is synchronous, a miss is one read shared by everybody who waits for it, and an announced write drops
 * what it touched on every node.
 */
import type { Bus } from '../cluster/bus.ts';
import { databaseUnavailable } from '../store/dialect.ts';
import { Patience, type PatienceLimits } from '../store/patience.ts';
import type { TokenRecord } from '../store/tokens.ts';
import type { UserRecord } from '../store/users.ts';

export interface Identity {
  readonly token: TokenRecord;
  readonly user: UserRecord;
}

export interface IdentitiesDeps {
  /** The token row by its look-up hash; deleted rows are not found. */
  readonly findToken: (keyHash: string) => Promise<TokenRecord | undefined>;
  /** The user row; deleted users are found and carry `deletedAt`. */
  readonly findUser: (id: number) => Promise<UserRecord | undefined>;
  readonly bus: Pick<Bus, 'onChange'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Most entries of each kind; the oldest go first. */
  readonly maxEntries?: number;
  /** How long a call waits for a row. */
  readonly patience?: PatienceLimits;
}

/** No statement may take longer than the former. */
const defaultPatience: PatienceLimits = { usualMs: 5000, stalledMs: 1000 };
const maxAgeMs = 2000;
/** An entry older than this is read again in the background while it still answers. */
const refreshAfterMs = 1000;
const defaultMaxEntries = 50_000;

/** Answers of the hot path: `undefined` means that there is no such token, or that its user does not exist. */
export class Identities {
  readonly #deps: IdentitiesDeps;
  readonly #tokens: FreshCache<string, TokenRecord>;
  readonly #users: FreshCache<number, UserRecord>;
  #stopListening: (() => void) | undefined;

  constructor(deps: IdentitiesDeps) {
    this.#deps = deps;
    const { now, maxEntries = defaultMaxEntries } = deps;
    const bounds = { now, maxEntries, patience: new Patience(deps.patience ?? defaultPatience) };
    this.#tokens = new FreshCache(deps.findToken, bounds);
    this.#users = new FreshCache(deps.findUser, bounds);
  }

  /**
   * Begins to follow announcements. The detail of `users` is a user id; that of `tokens` a key hash; several are
   * joined by commas. Without a detail everything of the topic is dropped.
   */
  start(): void {
    this.#stopListening ??= this.#deps.bus.onChange((topic, _revision, detail) => {
      if (topic === 'users') forgetEach(this.#users, detail, Number);
      if (topic === 'tokens') forgetEach(this.#tokens, detail, String);
    });
  }

  stop(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  /** The token with this look-up hash and its user. Rejects with `db_unavailable` when a miss cannot be read. */
  resolve(keyHash: string): Identity | undefined | Promise<Identity | undefined> {
    const token = this.#tokens.get(keyHash);
    if (isPending(token)) return token.then((found) => this.#withUser(found));
    return this.#withUser(token);
  }

  /** The user with this id. Rejects with `db_unavailable` when a miss cannot be read. */
  resolveUser(id: number): UserRecord | undefined | Promise<UserRecord | undefined> {
    return this.#users.get(id);
  }

  forgetUser(id: number): void {
    this.#users.forget(id);
  }

  #withUser(token: TokenRecord | undefined): Identity | undefined | Promise<Identity | undefined> {
    if (!token) return undefined;
    const user = this.#users.get(token.userId);
    if (isPending(user)) return user.then((found) => (found ? { token, user: found } : undefined));
    return user ? { token, user } : undefined;
  }
}

function forgetEach<K>(cache: FreshCache<K, unknown>, detail: string | undefined, toKey: (text: string) => K): void {
  if (detail === undefined || detail === '') cache.forgetAll();
  else for (const part of detail.split(',')) cache.forget(toKey(part));
}

function isPending<T>(value: T | undefined | Promise<T | undefined>): value is Promise<T | undefined> {
  return value instanceof Promise;
}

interface Entry<V> {
  readonly value: V | undefined;
  readonly loadedAtMs: number;
}

interface CacheBounds {
  readonly now: () => number;
  readonly maxEntries: number;
  readonly patience: Patience;
}

/** A bounded map of values no older than two seconds, absent ones included. */
class FreshCache<K, V> {
  readonly #load: (key: K) => Promise<V | undefined>;
  readonly #now: () => number;
  readonly #maxEntries: number;
  readonly #patience: Patience;
  readonly #present = new Map<K, Entry<V>>();
  /** Keys without a row, apart so that guesses cannot push out what is in use. */
  readonly #absent = new Map<K, Entry<V>>();
  readonly #loading = new Map<K, Promise<V | undefined>>();

  constructor(load: (key: K) => Promise<V | undefined>, bounds: CacheBounds) {
    this.#load = load;
    this.#now = bounds.now;
    this.#maxEntries = bounds.maxEntries;
    this.#patience = bounds.patience;
  }

  get(key: K): V | undefined | Promise<V | undefined> {
    const entry = this.#present.get(key) ?? this.#absent.get(key);
    const ageMs = entry ? this.#now() - entry.loadedAtMs : Number.POSITIVE_INFINITY;
    if (!entry || ageMs > maxAgeMs) return this.#patience.outlast(this.#read(key), late);
    if (ageMs > refreshAfterMs && entry.value !== undefined && !this.#loading.has(key)) {
      // A failed refresh is not an error yet: the entry answers until it is too old, then the read is awaited.
      this.#read(key).catch(() => undefined);
    }
    return entry.value;
  }

  forget(key: K): void {
    this.#present.delete(key);
    this.#absent.delete(key);
    // A read under way may have seen the row before the write: its answer must not be kept.
    this.#loading.delete(key);
  }

  forgetAll(): void {
    this.#present.clear();
    this.#absent.clear();
    this.#loading.clear();
  }

  #read(key: K): Promise<V | undefined> {
    const underWay = this.#loading.get(key);
    if (underWay) return underWay;
    const startedAtMs = this.#now();
    const reading = this.#load(key).then(
      (value) => {
        // Kept only while no write was announced since the read began.
        if (this.#loading.get(key) === reading) this.#keep(key, { value, loadedAtMs: startedAtMs });
        return value;
      },
      (error: unknown) => {
        if (this.#loading.get(key) === reading) this.#loading.delete(key);
        throw error;
      },
    );
    this.#loading.set(key, reading);
    return reading;
  }

  #keep(key: K, entry: Entry<V>): void {
    this.#loading.delete(key);
    const [kept, other] = entry.value === undefined ? [this.#absent, this.#present] : [this.#present, this.#absent];
    other.delete(key);
    // Deleting first moves the key to the end, so the first key is always the one loaded longest ago.
    kept.delete(key);
    kept.set(key, entry);
    if (kept.size <= this.#maxEntries) return;
    const oldest = kept.keys().next();
    if (!oldest.done) kept.delete(oldest.value);
  }
}

function late(ms: number): Error {
  return databaseUnavailable(`no row within ${ms} ms`);
}
