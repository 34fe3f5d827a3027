/** SQL for the `tokens` table. `remain_quota` and `used_quota` are written by the ledger alone. */
import type { Knex } from 'knex';
import type { ConversionPolicy } from '../contract/tokens.ts';
import { type Engine, readDateOrNull, readFlag } from './dialect.ts';
import { containsPattern, whereLike } from './like-pattern.ts';
import { countRows, countRowsBy, type Page, type Window } from './paging.ts';
import { lockedInOrder, Table } from './table.ts';

export interface TokenRecord {
  id: number;
  userId: number;
  /** Keyed hash of the key: the only way to look it up. */
  keyHash: string;
  /** Sealed key, or "" when keys are shown once. */
  keySealed: string;
  /** First and last four characters of the key. */
  keyHint: string;
  /** 1 enabled, 2 disabled, 3 expired, 4 exhausted. */
  status: number;
  name: string;
  createdTime: number;
  accessedTime: number;
  /** Unix seconds; -1 = never. */
  expiredTime: number;
  remainQuota: number;
  usedQuota: number;
  unlimitedQuota: boolean;
  modelLimitsEnabled: boolean;
  /** Comma list. */
  modelLimits: string;
  /** JSON object of names and the models they stand for; "" = none. */
  modelMapping: string;
  /** One address or network a line. */
  allowIps: string | null;
  /** "" = that of the account. */
  group: string;
  conversion: ConversionPolicy;
  /** Remaining quota below which the owner is told; -1 = that of the account, 0 = never told. */
  quotaWarningThreshold: number;
  /** Requests and tokens a minute, and calls at once; 0 = as many as come. */
  rpmLimit: number;
  tpmLimit: number;
  concurrencyLimit: number;
  /** JSON list; `BudgetStore` writes it. */
  budgets: string;
  deletedAt: Date | null;
}

/** The remaining quota starts at 0; the ledger sets what the owner asked for. */
export type NewToken = Omit<
  TokenRecord,
  'id' | 'remainQuota' | 'usedQuota' | 'accessedTime' | 'budgets' | 'deletedAt' | keyof Defaulted
> &
  Partial<Defaulted>;

/** Columns that have a value where none is given. */
type Defaulted = Pick<
  TokenRecord,
  'status' | 'modelMapping' | 'conversion' | 'quotaWarningThreshold' | 'rpmLimit' | 'tpmLimit' | 'concurrencyLimit'
>;

export type TokenPatch = {
  readonly [Field in
    | 'name'
    | 'status'
    | 'expiredTime'
    | 'unlimitedQuota'
    | 'modelLimitsEnabled'
    | 'modelLimits'
    | 'modelMapping'
    | 'allowIps'
    | 'group'
    | 'conversion'
    | 'quotaWarningThreshold'
    | 'rpmLimit'
    | 'tpmLimit'
    | 'concurrencyLimit']?: TokenRecord[Field] | undefined;
};

const tokens = new Table<TokenRecord>(
  'tokens',
  {
    id: 'id',
    userId: 'user_id',
    keyHash: 'key_hash',
    keySealed: 'key_sealed',
    keyHint: 'key_hint',
    status: 'status',
    name: 'name',
    createdTime: 'created_time',
    accessedTime: 'accessed_time',
    expiredTime: 'expired_time',
    remainQuota: 'remain_quota',
    usedQuota: 'used_quota',
    unlimitedQuota: 'unlimited_quota',
    modelLimitsEnabled: 'model_limits_enabled',
    modelLimits: 'model_limits',
    modelMapping: 'model_mapping',
    allowIps: 'allow_ips',
    group: 'group',
    conversion: 'conversion',
    quotaWarningThreshold: 'quota_warning_threshold',
    rpmLimit: 'rpm_limit',
    tpmLimit: 'tpm_limit',
    concurrencyLimit: 'concurrency_limit',
    budgets: 'budgets',
    deletedAt: 'deleted_at',
  },
  (stored) => ({
    ...stored,
    unlimitedQuota: readFlag(stored.unlimitedQuota),
    modelLimitsEnabled: readFlag(stored.modelLimitsEnabled),
    deletedAt: readDateOrNull(stored.deletedAt),
  }),
);

export class TokenStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /** The live token with this look-up hash. */
  async findByKeyHash(keyHash: string): Promise<TokenRecord | undefined> {
    return tokens.first(this.#db('tokens').where({ key_hash: keyHash }).whereNull('deleted_at'));
  }

  /** A live token, whoever owns it. */
  async find(id: number): Promise<TokenRecord | undefined> {
    return tokens.first(this.#db('tokens').where({ id }).whereNull('deleted_at'));
  }

  /** As `find`; nobody else changes the token before the transaction ends. */
  async lock(id: number): Promise<TokenRecord | undefined> {
    return tokens.first(this.#db('tokens').where({ id }).whereNull('deleted_at').forUpdate());
  }

  /** The live ones among these, whoever owns them. */
  async findMany(ids: readonly number[]): Promise<TokenRecord[]> {
    return ids.length === 0 ? [] : tokens.all(this.#db('tokens').whereIn('id', ids).whereNull('deleted_at'));
  }

  /** A live token of this user. */
  async findOwned(id: number, userId: number): Promise<TokenRecord | undefined> {
    return tokens.first(this.#owned(userId).where({ id }));
  }

  /** As `findOwned`; nobody else changes the token before the transaction ends. */
  async lockOwned(id: number, userId: number): Promise<TokenRecord | undefined> {
    return tokens.first(this.#owned(userId).where({ id }).forUpdate());
  }

  /** Newest first. */
  async list(userId: number, window: Window): Promise<Page<TokenRecord>> {
    const query = this.#owned(userId);
    const total = await countRows(query);
    const items = await tokens.all(query.orderBy('id', 'desc').offset(window.offset).limit(window.limit));
    return { items, total };
  }

  /** Newest first; the name contains the keyword, "" matches all. */
  async search(userId: number, keyword: string, limit: number): Promise<Page<TokenRecord>> {
    const query = this.#owned(userId);
    if (keyword) whereLike(query, this.#engine, { column: 'name', pattern: containsPattern(keyword) });
    const items = await tokens.all(query.clone().orderBy('id', 'desc').limit(limit));
    return { items, total: items.length < limit ? items.length : await countRows(query) };
  }

  /** How many live tokens the user has. */
  async count(userId: number): Promise<number> {
    return countRows(this.#owned(userId));
  }

  /** How many keys of live users name each group; those that follow their account are left out. */
  async countByGroup(): Promise<Map<string, number>> {
    const named = this.#db('tokens').whereNot({ group: '' }).whereNull('deleted_at');
    const liveUsers = this.#db('users').select('id').whereNull('deleted_at');
    return countRowsBy(named.whereIn('user_id', liveUsers), 'group');
  }

  /** Undefined when a token with this key exists, deleted ones included. */
  async insert(token: NewToken): Promise<TokenRecord | undefined> {
    return tokens.writtenOne(this.#db('tokens').insert(tokens.row(token)).onConflict('key_hash').ignore());
  }

  async update(id: number, userId: number, patch: TokenPatch): Promise<TokenRecord | undefined> {
    const row = tokens.row(patch);
    if (Object.keys(row).length === 0) return this.findOwned(id, userId);
    return tokens.writtenOne(this.#owned(userId).where({ id }).update(row));
  }

  /** Marks an enabled token whose time is over by `nowSeconds`; undefined when it is none, or no longer. */
  async markExpired(id: number, nowSeconds: number): Promise<TokenRecord | undefined> {
    const query = this.#enabled(id).whereNot({ expired_time: -1 }).where('expired_time', '<=', nowSeconds);
    return tokens.writtenOne(query.update({ status: 3 }));
  }

  /** Marks an enabled token that has no quota left, unless a call that still runs may give some back. */
  async markExhausted(id: number): Promise<TokenRecord | undefined> {
    const held = this.#db('quota_reservations').where({ state: 'open', token_id: id });
    const query = this.#enabled(id).where({ unlimited_quota: false }).where('remain_quota', '<=', 0);
    return tokens.writtenOne(query.whereNotExists(held).update({ status: 4 }));
  }

  #enabled(id: number): Knex.QueryBuilder {
    return this.#db('tokens').where({ id, status: 1 }).whereNull('deleted_at');
  }

  /** Deletes the user's own among these; returns them, so that caches can drop their hashes. */
  async softDelete(ids: readonly number[], userId: number, at: Date): Promise<TokenRecord[]> {
    if (ids.length === 0) return [];
    const wanted = lockedInOrder(this.#owned(userId).whereIn('id', ids));
    return tokens.written(this.#db('tokens').whereIn('id', wanted).update({ deleted_at: at }));
  }

  /** Removes all rows of a user, deleted ones included; returns how many. */
  async purge(userId: number): Promise<number> {
    const all = lockedInOrder(this.#db('tokens').where({ user_id: userId }));
    return this.#db('tokens').whereIn('id', all).delete();
  }

  #owned(userId: number): Knex.QueryBuilder {
    return this.#db('tokens').where({ user_id: userId }).whereNull('deleted_at');
  }
}
