/**
 * Notices when a settlement leaves a balance low. The settlement itself costs a look into two maps: thresholds are
 * learned behind it, from one read for all users who wait, and forgotten when an account changes.
 */
import type { Bus } from '../cluster/bus.ts';
import type { OptionsView } from '../contract/options.ts';
import type { Database } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import type { AlertBook } from './alert-book.ts';
import { ExpiringMap } from './expiring-map.ts';
import { Gathering } from './gathering.ts';
import type { NoticeDesk } from './notice-desk.ts';
import { lowBalanceNotice, userBalanceNotice } from './notice-texts.ts';
import { quotaText } from './quota-text.ts';
import type { Settlement } from './settlement.ts';
import { readSetting } from './user-setting.ts';

export interface LowBalanceDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'onChange'>;
  readonly book: Pick<AlertBook, 'rule'>;
  readonly desk: Pick<NoticeDesk, 'tellUser' | 'raise'>;
  readonly options: () => OptionsView;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly report: (cause: unknown) => void;
  /** How long balances gather before they are judged; 250 ms when undefined. */
  readonly gatherMs?: number;
}

/** Published: at most one warning in two hours. */
export const lowBalanceQuietSeconds = 7200;
const quietMs = lowBalanceQuietSeconds * 1000;
const learnedMs = 600_000;
const maxKnown = 100_000;

export class LowBalanceWatch {
  readonly #deps: LowBalanceDeps;
  /** User id -> own threshold; null means that of the site. */
  #own: ExpiringMap<number | null>;
  /** Users who need not be looked at for their own sake, or for the operators', for a while. */
  #toldUsers: ExpiringMap<true>;
  readonly #toldOperators: ExpiringMap<true>;
  /** User id -> newest balance, to be judged. */
  readonly #balances: Gathering<number>;
  #stopListening: (() => void) | undefined;

  constructor(deps: LowBalanceDeps) {
    this.#deps = deps;
    this.#own = new ExpiringMap(deps.now);
    this.#toldUsers = new ExpiringMap(deps.now);
    this.#toldOperators = new ExpiringMap(deps.now);
    const { report, gatherMs } = deps;
    this.#balances = new Gathering({ judge: (balances) => this.#judgeBatch(balances), report, gatherMs });
  }

  /** Begins to follow changes of accounts. */
  start(): void {
    this.#stopListening ??= this.#deps.bus.onChange((topic, _revision, detail) => {
      if (topic === 'users') this.#forget(detail);
    });
  }

  /** Balances that were not judged because too many waited. */
  get overlooked(): number {
    return this.#balances.overlooked;
  }

  /** Looks at a balance after a settlement: no wait, no read. */
  settled({ userId, charge }: Pick<Settlement, 'userId' | 'charge'>, balance: number | undefined): void {
    if (balance === undefined || charge === 0) return;
    const key = String(userId);
    const own = this.#own.get(key);
    if (own !== undefined && !this.#concernsUser(key, own, balance) && !this.#concernsOperators(key, balance)) return;
    this.#balances.offer(userId, balance);
  }

  /** Judges what has gathered; resolves when everybody concerned has been told. */
  judge(): Promise<void> {
    return this.#balances.flush();
  }

  async stop(): Promise<void> {
    this.#stopListening?.();
    await this.judge();
  }

  async #judgeBatch(balances: ReadonlyMap<number, number>): Promise<void> {
    const users = await this.#deps.database.stores.users.findMany([...balances.keys()]);
    for (const user of users) await this.#judgeOne(user, balances.get(user.id) ?? 0);
  }

  async #judgeOne(user: UserRecord, balance: number): Promise<void> {
    const { desk, options, book } = this.#deps;
    const key = String(user.id);
    const own = ownThreshold(user);
    this.#own.set(key, own, { ttlMs: learnedMs, maxEntries: maxKnown });
    if (user.deletedAt !== null) return;
    const view = options();
    const site = view.get('ServerAddress').replace(/\/+$/, '');
    const facts = { username: user.username, balance: quotaText(balance, view), site };
    if (this.#concernsUser(key, own, balance)) {
      this.#toldUsers.set(key, true, { ttlMs: quietMs, maxEntries: maxKnown });
      await desk.tellUser(user, lowBalanceNotice(facts), { count: 1, seconds: lowBalanceQuietSeconds });
    }
    if (this.#concernsOperators(key, balance)) {
      const { threshold, quiet_minutes } = book.rule('user-balance');
      const notice = userBalanceNotice({ ...facts, userId: user.id, threshold: quotaText(threshold, view) });
      this.#toldOperators.set(key, true, { ttlMs: Math.min(quietMs, quiet_minutes * 60_000), maxEntries: maxKnown });
      desk.raise({ kind: 'user-balance', subject: key, notice });
    }
  }

  #concernsUser(key: string, own: number | null, balance: number): boolean {
    return balance < (own ?? this.#deps.options().get('QuotaRemindThreshold')) && !this.#toldUsers.get(key);
  }

  #concernsOperators(key: string, balance: number): boolean {
    const { enabled, threshold } = this.#deps.book.rule('user-balance');
    return enabled && balance < threshold && !this.#toldOperators.get(key);
  }

  /** What a changed account was known by; that it was told already stands in the database. */
  #forget(detail: string | undefined): void {
    if (!detail) {
      this.#own = new ExpiringMap(this.#deps.now);
      this.#toldUsers = new ExpiringMap(this.#deps.now);
      return;
    }
    for (const id of detail.split(',')) {
      this.#own.delete(id);
      this.#toldUsers.delete(id);
    }
  }
}

/** The threshold of the user's own notification settings; null means that of the site. */
export function ownThreshold(user: Pick<UserRecord, 'setting'>): number | null {
  const value = readSetting(user.setting).quota_warning_threshold;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
