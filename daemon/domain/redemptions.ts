/** Redemption codes: batches of them for administrators, exact claims for users. */
import { randomBytes } from 'node:crypto';
import type { Counters } from '../cluster/counters.ts';
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import type { Page, Window } from '../store/paging.ts';
import type { RedemptionBatchRecord, RedemptionFilter, RedemptionRecord, RedemptionUse } from '../store/redemptions.ts';
import type { Actor } from './actor.ts';
import { addressBucket } from './api-limits.ts';
import { auditedChange } from './audited-change.ts';
import { type AuditedAct, auditBy } from './audits.ts';
import { creditUser, eventRow } from './ledger-credits.ts';
import { quotaText } from './quota-text.ts';
import { lockPayer, payRebate } from './rebates.ts';
import { type RedemptionBatch, type RedemptionInput, readBatch, readRedemptionPatch } from './redemption-input.ts';
import { redemptionTexts } from './redemption-texts.ts';

export interface RedemptionServiceDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  /** Language of log rows. */
  readonly language: Language;
  /** Tells the caches that a balance changed. */
  readonly balanceChanged: (userId: number) => void;
  readonly counters: Pick<Counters, 'slide' | 'put' | 'read'>;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** A use of a gift code; the name is "" when the account was purged. */
export type NamedUse = RedemptionUse & { readonly username: string };

/** Who redeems from where. */
export interface RedeemCall {
  readonly requestId: string;
  readonly clientAddress: string;
}

const used = 3;
const unused = 1;
/** Codes that are none an address may try (management-api.md 3.13). */
const wrongCodes = { limit: 10, windowMs: 3_600_000 };
/** Rows of an export that are read at once, as of the log. */
const exportPage = 250;

export class RedemptionService {
  readonly #deps: RedemptionServiceDeps;

  constructor(deps: RedemptionServiceDeps) {
    this.#deps = deps;
  }

  /** Newest first. */
  list(filter: RedemptionFilter, window: Window): Promise<Page<RedemptionRecord>> {
    return this.#deps.database.stores.redemptions.list(filter, window);
  }

  /** Codes by name, the name of the newest first. @param prefix start of the name; undefined for all */
  batches(prefix: string | undefined, window: Window): Promise<Page<RedemptionBatchRecord>> {
    return this.#deps.database.stores.redemptions.listBatches(prefix, window);
  }

  /** Every code of the filter, newest first, page by page; read as fast as it is taken. */
  async *all(filter: RedemptionFilter): AsyncGenerator<readonly RedemptionRecord[]> {
    const { redemptions } = this.#deps.database.stores;
    for (let beforeId: number | undefined; ; ) {
      const codes = await redemptions.listBefore(filter, { beforeId, limit: exportPage });
      yield codes;
      beforeId = codes.at(-1)?.id;
      if (codes.length < exportPage) return;
    }
  }

  /** Who used a gift code, newest first. Throws `redemption_not_found`. */
  async uses(id: number, window: Window): Promise<Page<NamedUse>> {
    const { stores } = this.#deps.database;
    await this.get(id);
    const { items, total } = await stores.redemptions.listUses(id, window);
    const users = await stores.users.findMany(items.map(({ userId }) => userId));
    const names = new Map(users.map((user) => [user.id, user.username]));
    return { items: items.map((use) => ({ ...use, username: names.get(use.userId) ?? '' })), total };
  }

  /** Throws `redemption_not_found`. */
  async get(id: number): Promise<RedemptionRecord> {
    const code = await this.#deps.database.stores.redemptions.find(id);
    if (!code) throw new TollgateError('redemption_not_found');
    return code;
  }

  /** Makes codes, all or none. Throws the `redemption_*` codes of the input, `redemption_key_taken`. */
  async create(actor: Actor, input: RedemptionInput, requestId: string): Promise<string[]> {
    const batch = readBatch(input);
    const nowSeconds = this.#deps.nowSeconds();
    return this.#deps.database.transaction((stores) => this.#insert(stores, { actor, batch, nowSeconds, requestId }));
  }

  async #insert(
    stores: Stores,
    facts: { actor: Actor; batch: RedemptionBatch; nowSeconds: number; requestId: string },
  ): Promise<string[]> {
    const { actor, batch, nowSeconds, requestId } = facts;
    const { customKey, count, ...fields } = batch;
    const codes = customKey === undefined ? newCodes(count) : [customKey];
    const inserted = await stores.redemptions.insert(
      codes.map((key) => ({ ...fields, key, userId: actor.userId, createdTime: nowSeconds })),
    );
    if (inserted.length !== codes.length) throw new TollgateError('redemption_key_taken', {}, { field: 'key' });
    const amount = quotaText(batch.quota, this.#deps.options());
    await stores.logs.insert([
      eventRow({
        userId: actor.userId,
        username: actor.username,
        type: 3,
        content: redemptionTexts.created(codes.length, amount, batch.name)[this.#deps.language],
        quota: 0,
        nowSeconds,
        requestId,
      }),
    ]);
    const { name, quota, isGift } = batch;
    const detail = { name, count: codes.length, quota, ...(isGift ? { is_gift: true, max_uses: batch.maxUses } : {}) };
    await this.#audit(stores, actor, { action: 'redemption.create', target: 'redemption', detail });
    return codes;
  }

  /** Changes an unused code. Throws `redemption_not_found`, `redemption_used_readonly` and the codes of the input. */
  async update(actor: Actor, id: number, input: RedemptionInput): Promise<RedemptionRecord> {
    return this.#deps.database.transaction(async (stores) => {
      // Of changes at the same moment the second adds to what the first has stored.
      const current = await stores.redemptions.lock(id);
      if (!current) throw new TollgateError('redemption_not_found');
      const patch = readRedemptionPatch(input, current);
      const updated = await stores.redemptions.updateUnused(id, patch);
      if (!updated) throw new TollgateError('redemption_used_readonly');
      const change = auditedChange({ ...current }, { ...patch });
      if (change) await this.#audit(stores, actor, actOn('redemption.update', id, { ...change }));
      return updated;
    });
  }

  /** Switches between unused (1) and disabled (2). Throws `redemption_not_found`, `redemption_used_readonly`, `invalid_params`. */
  async setStatus(actor: Actor, id: number, status: number): Promise<RedemptionRecord> {
    if (status !== 1 && status !== 2) throw new TollgateError('invalid_params', {}, { field: 'status' });
    return this.#deps.database.transaction(async (stores) => {
      const changed = await stores.redemptions.setStatus(id, status);
      if (!changed) {
        const isThere = (await stores.redemptions.find(id)) !== undefined;
        throw new TollgateError(isThere ? 'redemption_used_readonly' : 'redemption_not_found');
      }
      const action = status === unused ? 'redemption.enable' : 'redemption.disable';
      await this.#audit(stores, actor, actOn(action, id));
      return changed;
    });
  }

  /** Throws `redemption_not_found`. */
  async delete(actor: Actor, id: number): Promise<void> {
    await this.#deps.database.transaction(async (stores) => {
      const gone = await stores.redemptions.softDelete(id, this.#now());
      if (!gone) throw new TollgateError('redemption_not_found');
      const { name, quota } = gone;
      await this.#audit(stores, actor, actOn('redemption.delete', id, { name, quota }));
    });
  }

  /** Disables those that are unused; returns how many. Throws `redemption_ids_required`. */
  async disableBatch(actor: Actor, ids: readonly number[]): Promise<number> {
    if (ids.length === 0) throw new TollgateError('redemption_ids_required', {}, { field: 'ids' });
    return this.#deps.database.transaction(async (stores) => {
      const disabled = await stores.redemptions.disable(ids);
      const act = { action: 'redemption.disable', target: 'redemption' };
      if (disabled.length > 0)
        await this.#audit(stores, actor, { ...act, detail: { ids: disabled, count: disabled.length } });
      return disabled.length;
    });
  }

  deleteDisabled(actor: Actor): Promise<number> {
    return this.#changeMany(actor, { action: 'redemption.delete', detail: { status: 'disabled' } }, ({ redemptions }) =>
      redemptions.softDeleteDisabled(this.#now()),
    );
  }

  /** Throws `redemption_name_required`. */
  countByName(name: string | undefined): Promise<number> {
    return this.#deps.database.stores.redemptions.countByName(requiredName(name));
  }

  /** Throws `redemption_name_required`. */
  async deleteByName(actor: Actor, sent: string | undefined): Promise<number> {
    const name = requiredName(sent);
    return this.#changeMany(actor, { action: 'redemption.delete', detail: { name } }, ({ redemptions }) =>
      redemptions.softDeleteByName(name, this.#now()),
    );
  }

  /** Changes many codes at once, with one audit row that tells how many; without any there is none. */
  #changeMany(
    actor: Actor,
    { action, detail }: Omit<AuditedAct, 'target'>,
    change: (stores: Stores) => Promise<number>,
  ): Promise<number> {
    return this.#deps.database.transaction(async (stores) => {
      const count = await change(stores);
      if (count > 0) await this.#audit(stores, actor, { action, target: 'redemption', detail: { ...detail, count } });
      return count;
    });
  }

  #audit(stores: Stores, actor: Actor, act: AuditedAct): Promise<unknown> {
    return stores.audits.append(auditBy(actor, act, this.#deps.nowSeconds()));
  }

  /**
   * Redeems a code: claim, credit, log row and rebate in one transaction, so that a single-use code gives one credit
   * however many try at once. Throws the `redeem_*` and `gift_*` codes, and `too_many_requests` after too many codes
   * that are none.
   */
  async redeem(actor: Actor, text: string, call: RedeemCall): Promise<{ quota: number; isGift: boolean }> {
    const key = text.trim();
    if (key === '') throw new TollgateError('redeem_empty', {}, { field: 'key' });
    await this.#refuseGuessing(call.clientAddress);
    try {
      return await this.#redeem(actor, key, call.requestId);
    } catch (error) {
      if (error instanceof TollgateError && error.code === 'redeem_invalid') await this.#countWrong(call.clientAddress);
      throw error;
    }
  }

  async #redeem(actor: Actor, key: string, requestId: string): Promise<{ quota: number; isGift: boolean }> {
    const nowSeconds = this.#deps.nowSeconds();
    const { code, inviterId } = await this.#deps.database.transaction(async (stores) => {
      const code = await this.#claim(stores, { key, userId: actor.userId, nowSeconds });
      const payer = await lockPayer(stores, actor.userId);
      // Purged meanwhile: the code stays good, and nobody earns from what nobody got.
      if (!payer) throw new TollgateError('user_gone');
      const options = this.#deps.options();
      const common = { nowSeconds, requestId };
      await creditUser(stores, {
        userId: actor.userId,
        amount: code.quota,
        row: eventRow({
          ...common,
          userId: actor.userId,
          username: payer.username,
          type: 1,
          content: redemptionTexts.redeemed(quotaText(code.quota, options), code.id)[this.#deps.language],
          quota: code.quota,
        }),
      });
      await payRebate(stores, { ...common, payer, amount: code.quota, options, language: this.#deps.language });
      return { code, inviterId: payer.inviterId };
    });
    this.#deps.balanceChanged(actor.userId);
    if (inviterId !== 0) this.#deps.balanceChanged(inviterId);
    return { quota: code.quota, isGift: code.isGift };
  }

  /** An address that has tried too many wrong codes waits, whatever it tries next. */
  async #refuseGuessing(clientAddress: string): Promise<void> {
    const until = Number((await this.#deps.counters.read(blockKey(clientAddress))) ?? 0);
    const seconds = until - this.#deps.nowSeconds();
    if (seconds > 0) throw new TollgateError('too_many_requests', { s: seconds }, { retryAfterSeconds: seconds });
  }

  async #countWrong(clientAddress: string): Promise<void> {
    const { counters, nowSeconds } = this.#deps;
    const slot = await counters.slide(`wrong-codes:${addressBucket(clientAddress)}`, wrongCodes);
    if (slot.allowed && slot.remaining > 0) return;
    const until = nowSeconds() + Math.ceil(slot.resetMs / 1000);
    await counters.put(blockKey(clientAddress), String(until), Math.max(1, slot.resetMs));
  }

  async #claim(stores: Stores, claim: { key: string; userId: number; nowSeconds: number }): Promise<RedemptionRecord> {
    const { key, userId, nowSeconds } = claim;
    const code = await stores.redemptions.findByKey(key);
    if (!code) throw new TollgateError('redeem_invalid', {}, { field: 'key' });
    if (code.status === used) throw new TollgateError(code.isGift ? 'gift_exhausted' : 'redeem_used');
    if (code.status !== unused) throw new TollgateError('redeem_invalid', {}, { field: 'key' });
    if (nowSeconds < code.validFrom) throw new TollgateError('redeem_not_yet');
    if (code.validUntil > 0 && nowSeconds > code.validUntil) throw new TollgateError('redeem_expired');
    // What counts is the code as it was claimed: an administrator may have edited it since it was looked up.
    if (!code.isGift) {
      const claimed = await stores.redemptions.claim(code.id, userId, nowSeconds);
      if (!claimed) throw new TollgateError('redeem_used');
      return claimed;
    }
    const claimed = await stores.redemptions.claimGift(code.id, nowSeconds);
    if (!claimed) throw new TollgateError('gift_exhausted');
    const use = { redemptionId: code.id, userId, usedTime: nowSeconds, quota: claimed.quota };
    if (!(await stores.redemptions.insertUse(use))) throw new TollgateError('gift_repeat');
    return claimed;
  }

  #now(): Date {
    return new Date(this.#deps.nowSeconds() * 1000);
  }
}

/** Codes of 32 lower-case hex characters: clients of this family know a code by that form. */
function newCodes(count: number): string[] {
  return Array.from({ length: count }, () => randomBytes(16).toString('hex'));
}

function blockKey(clientAddress: string): string {
  return `wrong-codes-block:${addressBucket(clientAddress)}`;
}

function actOn(action: string, id: number, detail: Readonly<Record<string, unknown>> = {}): AuditedAct {
  return { action, target: `redemption:${id}`, detail };
}

function requiredName(name: string | undefined): string {
  const text = name?.trim() ?? '';
  if (text === '') throw new TollgateError('redemption_name_required', {}, { field: 'name' });
  return text;
}
