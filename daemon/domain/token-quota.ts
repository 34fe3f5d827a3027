/**
 * Notices about the quota of single relay keys, beside those about the balance of their owners. A settlement costs one
 * look into a map: how much of a key may be spent before anybody is concerned is learned behind it, for a minute.
 */
import type { OptionsView } from '../contract/options.ts';
import type { Database } from '../store/database.ts';
import type { TokenRecord } from '../store/tokens.ts';
import type { UserRecord } from '../store/users.ts';
import type { AlertBook } from './alert-book.ts';
import { ExpiringMap } from './expiring-map.ts';
import { Gathering } from './gathering.ts';
import { lowBalanceQuietSeconds, ownThreshold } from './low-balance.ts';
import type { NoticeDesk } from './notice-desk.ts';
import { tokenExhaustedNotice, tokenLowNotice, tokenQuotaNotice } from './notice-texts.ts';
import { quotaText } from './quota-text.ts';
import type { Settlement } from './settlement.ts';
import { followsAccount } from './token-input.ts';

export interface TokenQuotaDeps {
  readonly database: Database;
  readonly book: Pick<AlertBook, 'rule'>;
  readonly desk: Pick<NoticeDesk, 'tellUser' | 'raise'>;
  readonly options: () => OptionsView;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly report: (cause: unknown) => void;
  /** How long keys gather before they are judged; 250 ms when undefined. */
  readonly gatherMs?: number;
}

/** What is known of a key since it was last looked at. */
interface Known {
  /** What calls of this node may still cost before somebody is concerned; below 0 the key is looked at. */
  margin: number;
  /** A refused call that needed this much or more says nothing new. */
  readonly refusedFrom: number;
}

/** Other nodes spend too, and thresholds change: what is known of a key is looked at again after this time. */
const learnedMs = 60_000;
const maxKnown = 100_000;

export class TokenQuotaWatch {
  readonly #deps: TokenQuotaDeps;
  readonly #known: ExpiringMap<Known>;
  /** Token id -> the least that a refused call needed; 0 after a settlement. */
  readonly #concerned: Gathering<number>;

  constructor(deps: TokenQuotaDeps) {
    this.#deps = deps;
    this.#known = new ExpiringMap(deps.now);
    const { report, gatherMs } = deps;
    this.#concerned = new Gathering({ judge: (batch) => this.#judgeBatch(batch), report, gatherMs });
  }

  /** Keys that were not looked at because too many waited. */
  get overlooked(): number {
    return this.#concerned.overlooked;
  }

  /** Looks at a key after a settlement: no wait, no read. */
  settled({ tokenId, tokenLimited, charge }: Pick<Settlement, 'tokenId' | 'tokenLimited' | 'charge'>): void {
    if (!tokenLimited || charge === 0) return;
    const known = this.#known.get(String(tokenId));
    if (known) {
      known.margin -= charge;
      if (known.margin >= 0) return;
    }
    this.#concerned.offer(tokenId, this.#concerned.waiting(tokenId) ?? 0);
  }

  /** Looks at a key whose own quota could not pay a call that needed this much: no wait, no read. */
  refused(tokenId: number, needed: number): void {
    const known = this.#known.get(String(tokenId));
    if (known && needed >= known.refusedFrom) return;
    this.#concerned.offer(tokenId, Math.min(this.#concerned.waiting(tokenId) || needed, needed));
  }

  /** Judges what has gathered; resolves when everybody concerned has been told. */
  judge(): Promise<void> {
    return this.#concerned.flush();
  }

  stop(): Promise<void> {
    return this.judge();
  }

  async #judgeBatch(batch: ReadonlyMap<number, number>): Promise<void> {
    const { stores } = this.#deps.database;
    const tokens = (await stores.tokens.findMany([...batch.keys()])).filter((token) => !token.unlimitedQuota);
    const users = await stores.users.findMany([...new Set(tokens.map((token) => token.userId))]);
    const owners = new Map(users.filter((user) => user.deletedAt === null).map((user) => [user.id, user]));
    // What running calls hold comes back for the most part: it counts as left.
    const held = await stores.reservations.openOfTokens(tokens.map((token) => token.id));
    for (const token of tokens) {
      const owner = owners.get(token.userId);
      const left = token.remainQuota + (held.get(token.id) ?? 0);
      if (owner) await this.#judgeOne({ token, owner, left, needed: batch.get(token.id) ?? 0 });
    }
  }

  async #judgeOne(found: { token: TokenRecord; owner: UserRecord; left: number; needed: number }): Promise<void> {
    const { token, owner, left, needed } = found;
    const { desk, options, book } = this.#deps;
    const view = options();
    const threshold = thresholdOf(token, owner, view.get('QuotaRemindThreshold'));
    const rule = book.rule('token-quota');
    const isShort = left < needed;
    const levels = [...(threshold > 0 ? [1, threshold] : []), ...(rule.enabled ? [rule.threshold] : [])];
    const next = Math.max(...levels.filter((level) => level <= left), Number.NEGATIVE_INFINITY);
    const known = { margin: left - next, refusedFrom: isShort ? needed : Number.POSITIVE_INFINITY };
    this.#known.set(String(token.id), known, { ttlMs: learnedMs, maxEntries: maxKnown });

    const site = view.get('ServerAddress').replace(/\/+$/, '');
    const facts = { tokenId: token.id, tokenName: token.name, left: quotaText(left, view), site };
    const quiet = { count: 1, seconds: lowBalanceQuietSeconds };
    if (threshold > 0 && (isShort || left < 1)) {
      const notice = tokenExhaustedNotice({ ...facts, needed: left < 1 ? '' : quotaText(needed, view) });
      await desk.tellUser(owner, notice, quiet);
    } else if (left < threshold) {
      await desk.tellUser(owner, tokenLowNotice(facts), quiet);
    }
    if (rule.enabled && left < rule.threshold) {
      const of = { userId: owner.id, username: owner.username, threshold: quotaText(rule.threshold, view) };
      desk.raise({ kind: 'token-quota', subject: String(token.id), notice: tokenQuotaNotice({ ...facts, ...of }) });
    }
  }
}

/**
 * Below what a key's owner wants to be told; 0 means never, 1 only when nothing is left. A key that never had more than
 * the threshold of its account would be below it from the first call on.
 */
function thresholdOf(token: TokenRecord, owner: UserRecord, ofSite: number): number {
  if (token.quotaWarningThreshold !== followsAccount) return token.quotaWarningThreshold;
  const ofAccount = ownThreshold(owner) ?? ofSite;
  return token.remainQuota + token.usedQuota > ofAccount ? Math.max(ofAccount, 1) : 1;
}
