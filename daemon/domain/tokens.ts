/** Relay keys of their owners: made, read, changed and deleted; a foreign key does not exist here. */
import type { Bus } from '../cluster/bus.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { BudgetRecord } from '../store/budgets.ts';
import type { Database, Stores } from '../store/database.ts';
import type { Page, Window } from '../store/paging.ts';
import type { TokenRecord } from '../store/tokens.ts';
import { type Actor, mayActOn } from './actor.ts';
import { setFirstBudgets } from './budgets.ts';
import { setTokenQuota } from './ledger-credits.ts';
import { followsAccount, readTokenInput, type TokenFields, type TokenInput } from './token-input.ts';
import {
  bareTokenKey,
  maskedTokenKey,
  newTokenKey,
  tokenKeyHint,
  tokenKeyLength,
  tokenSealContext,
} from './token-key.ts';
import { isExhausted, isExpired } from './token-state.ts';

/** A row with the key as its owner may see it. */
export interface OwnedToken {
  readonly record: TokenRecord;
  /** 48 characters, or masked where keys are shown once. */
  readonly key: string;
}

export interface TokenSearch {
  /** Contained in the name. */
  readonly keyword: string | undefined;
  /** The key or a part of it, at least 6 characters. */
  readonly token: string | undefined;
}

/** What sealing, opening and looking up of keys needs of the keyring. */
export interface TokenSecrets {
  tokenHash(key: string): string;
  seal(context: { table: string; column: string; row: string }, plain: string): string;
  open(context: { table: string; column: string; row: string }, sealed: string): string;
}

export interface TokenServiceDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly options: () => OptionsView;
  readonly secrets: TokenSecrets;
  /** `once`: a key is in the answer to its creation and nowhere else. */
  readonly reveal: 'always' | 'once';
  readonly maxTokensPerUser: number;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

const searchLimit = 100;
const shortestPart = 6;
/** Rows of a search whose keys are opened and compared. */
const mostCompared = 1000;
const nothing = { items: [], total: 0 };

const disabled = 2;
const expired = 3;
const exhausted = 4;

export class TokenService {
  readonly #deps: TokenServiceDeps;

  constructor(deps: TokenServiceDeps) {
    this.#deps = deps;
  }

  /** The owner's keys, newest first. */
  async list(actor: Actor, window: Window): Promise<Page<OwnedToken>> {
    const { items, total } = await this.#deps.database.stores.tokens.list(actor.userId, window);
    return { items: items.map((record) => this.#owned(actor, record)), total };
  }

  /** The newest 100 keys whose name and key match, and how many there are; a full key is found by its hash. */
  async search(actor: Actor, search: TokenSearch): Promise<Page<OwnedToken>> {
    const { tokens } = this.#deps.database.stores;
    const keyword = search.keyword ?? '';
    if (search.token === undefined) {
      const { items, total } = await tokens.search(actor.userId, keyword, searchLimit);
      return { items: items.map((record) => this.#owned(actor, record)), total };
    }
    const part = bareTokenKey(search.token);
    if (part.length < shortestPart) return nothing;
    if (part.length === tokenKeyLength) {
      const record = await tokens.findByKeyHash(this.#deps.secrets.tokenHash(part));
      const isHit = record?.userId === actor.userId && record.name.toLowerCase().includes(keyword.toLowerCase());
      return record && isHit ? { items: [this.#owned(actor, record)], total: 1 } : nothing;
    }
    const { items: rows } = await tokens.search(actor.userId, keyword, mostCompared);
    const found = rows.map((record) => this.#owned(actor, record)).filter((token) => token.key.includes(part));
    return { items: found.slice(0, searchLimit), total: found.length };
  }

  /** Throws `token_not_found`. */
  async get(actor: Actor, id: number): Promise<OwnedToken> {
    const record = await this.#deps.database.stores.tokens.findOwned(id, actor.userId);
    if (!record) throw new TollgateError('token_not_found');
    return this.#owned(actor, record);
  }

  /** The key itself. Throws `token_not_found`, `token_key_hidden`. */
  async revealKey(actor: Actor, id: number): Promise<string> {
    const { record, key } = await this.get(actor, id);
    if (this.#isHidden(actor, record)) throw new TollgateError('token_key_hidden');
    return key;
  }

  /** Makes a key; its answer is the one place that always holds it. Throws the `token_*` codes of the input. */
  async create(actor: Actor, input: TokenInput, budgets: readonly BudgetRecord[] = []): Promise<OwnedToken> {
    const nowSeconds = this.#deps.nowSeconds();
    const fields: TokenFields = {
      ...emptyToken,
      ...readTokenInput({ ...input, name: input.name ?? '' }, this.#context(actor, nowSeconds)),
    };
    const key = newTokenKey();
    const keyHash = this.#deps.secrets.tokenHash(key);
    const { record, revision } = await this.#deps.database.transaction(async (stores) => {
      // The bump comes first: its row lock makes creations wait for each other, so the count below is true.
      const revision = await stores.revisions.bump('tokens');
      if ((await stores.tokens.count(actor.userId)) >= this.#deps.maxTokensPerUser) {
        throw new TollgateError('token_limit_reached', { max: this.#deps.maxTokensPerUser });
      }
      const inserted = await stores.tokens.insert({
        ...withoutQuota(fields),
        userId: actor.userId,
        keyHash,
        keySealed: this.#deps.reveal === 'once' ? '' : this.#deps.secrets.seal(tokenSealContext(keyHash), key),
        keyHint: tokenKeyHint(key),
        createdTime: nowSeconds,
      });
      if (!inserted) throw new Error('a new key exists already');
      if (budgets.length > 0) await setFirstBudgets(stores, { actor, tokenId: inserted.id, budgets, nowSeconds });
      return { record: await withQuota(stores, inserted, fields), revision };
    });
    await this.#deps.bus.announce('tokens', revision, keyHash);
    return { record: this.#shown(record), key };
  }

  /**
   * Changes the members that are present; a key that had expired or run dry is enabled again when the change lifts the
   * cause. Throws `token_not_found` and the `token_*` codes of the input.
   */
  async update(actor: Actor, id: number, input: TokenInput): Promise<OwnedToken> {
    return this.#change(actor, id, async (stores, current) => {
      const nowSeconds = this.#deps.nowSeconds();
      const patch = readTokenInput(input, { ...this.#context(actor, nowSeconds), current });
      const next = { ...current, ...patch };
      const revived = isCauseLifted(next, nowSeconds) ? { status: 1 } : {};
      const changed = await stores.tokens.update(id, actor.userId, { ...withoutQuota(patch), ...revived });
      if (!changed || patch.remainQuota === undefined) return changed;
      return withQuota(stores, changed, next);
    });
  }

  /**
   * Enables (1) or disables (2) a key. Throws `token_not_found`, `token_status_invalid`, `token_cannot_enable_expired`,
   * `token_cannot_enable_exhausted`.
   */
  async setStatus(actor: Actor, id: number, status: number): Promise<OwnedToken> {
    if (status !== 1 && status !== disabled) throw new TollgateError('token_status_invalid', {}, { field: 'status' });
    return this.#change(actor, id, async (stores, current) => {
      if (status === 1) refuseEnabling(current, this.#deps.nowSeconds());
      return stores.tokens.update(id, actor.userId, { status });
    });
  }

  /** Throws `token_not_found`. */
  async delete(actor: Actor, id: number): Promise<void> {
    if ((await this.#delete(actor, [id])) === 0) throw new TollgateError('token_not_found');
  }

  /** Deletes the owner's keys among these ids; returns how many. Throws `token_ids_required`. */
  async deleteBatch(actor: Actor, ids: readonly number[]): Promise<number> {
    if (ids.length === 0) throw new TollgateError('token_ids_required', {}, { field: 'ids' });
    return this.#delete(actor, ids);
  }

  async #change(
    actor: Actor,
    id: number,
    change: (stores: Stores, current: TokenRecord) => Promise<TokenRecord | undefined>,
  ): Promise<OwnedToken> {
    const { record, revision } = await this.#deps.database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('tokens');
      // What revives a key must not take it back from whoever disables it at the same moment.
      const current = await stores.tokens.lockOwned(id, actor.userId);
      const record = current && (await change(stores, current));
      if (!record) throw new TollgateError('token_not_found');
      return { record, revision };
    });
    await this.#deps.bus.announce('tokens', revision, record.keyHash);
    return this.#owned(actor, record);
  }

  async #delete(actor: Actor, ids: readonly number[]): Promise<number> {
    const found = await this.#deps.database.stores.tokens.findMany(ids);
    // Nobody has other nodes forget all keys by asking for what is not theirs.
    if (!found.some(({ userId }) => userId === actor.userId)) return 0;
    const { deleted, revision } = await this.#deps.database.transaction(async (stores) => ({
      revision: await stores.revisions.bump('tokens'),
      deleted: await stores.tokens.softDelete(ids, actor.userId, new Date(this.#deps.nowSeconds() * 1000)),
    }));
    const hashes = deleted.map((token) => token.keyHash).join(',');
    if (hashes !== '') await this.#deps.bus.announce('tokens', revision, hashes);
    return deleted.length;
  }

  #context(actor: Actor, nowSeconds: number) {
    return { options: this.#deps.options(), userGroup: actor.group, nowSeconds };
  }

  /** Whoever holds a key can spend by it: a machine token that may only read does not see any. */
  #isHidden(actor: Actor, record: TokenRecord): boolean {
    return this.#deps.reveal === 'once' || record.keySealed === '' || !mayActOn(actor, 'token:write');
  }

  #owned(actor: Actor, stored: TokenRecord): OwnedToken {
    const record = this.#shown(stored);
    if (this.#isHidden(actor, record)) return { record, key: maskedTokenKey(record.keyHint) };
    return { record, key: this.#deps.secrets.open(tokenSealContext(record.keyHash), record.keySealed) };
  }

  /** A key that nobody disabled, with its status: the row says so only from the first refused call on. */
  #shown(record: TokenRecord): TokenRecord {
    if (record.status !== 1) return record;
    if (isExpired(record, this.#deps.nowSeconds())) return { ...record, status: expired };
    return isExhausted(record) ? { ...record, status: exhausted } : record;
  }
}

const emptyToken: TokenFields = {
  name: '',
  expiredTime: -1,
  remainQuota: 0,
  unlimitedQuota: false,
  modelLimitsEnabled: false,
  modelLimits: '',
  modelMapping: '',
  allowIps: '',
  group: '',
  conversion: 'drop',
  quotaWarningThreshold: followsAccount,
  rpmLimit: 0,
  tpmLimit: 0,
  concurrencyLimit: 0,
};

/** The quota is the ledger's to write. */
function withoutQuota<F extends Partial<TokenFields>>(fields: F): Omit<F, 'remainQuota'> {
  const { remainQuota: _, ...rest } = fields;
  return rest;
}

async function withQuota(stores: Stores, record: TokenRecord, fields: TokenFields): Promise<TokenRecord> {
  await setTokenQuota(stores, { id: record.id, userId: record.userId, remain: fields.remainQuota });
  return { ...record, remainQuota: fields.remainQuota };
}

function isCauseLifted(token: TokenRecord, nowSeconds: number): boolean {
  if (token.status === expired) return !isExpired(token, nowSeconds);
  return token.status === exhausted && !isExhausted(token);
}

function refuseEnabling(token: TokenRecord, nowSeconds: number): void {
  if (isExpired(token, nowSeconds)) throw new TollgateError('token_cannot_enable_expired');
  if (isExhausted(token)) throw new TollgateError('token_cannot_enable_exhausted');
}
