/** The daily check-in (management-api.md 5.3): one reward a user and day, decided by a unique row. */
import { randomInt } from 'node:crypto';
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { CheckinRecord } from '../store/checkins.ts';
import type { Database } from '../store/database.ts';
import { accountLogTexts } from './account-log-texts.ts';
import type { Actor } from './actor.ts';
import type { CalendarDays } from './calendar-day.ts';
import { creditUser, eventRow } from './ledger-credits.ts';
import { quotaText } from './quota-text.ts';

export interface CheckInDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  /** Days of the site's time zone. */
  readonly days: CalendarDays;
  /** Language of log rows. */
  readonly language: Language;
  /** Tells the caches that a balance changed. */
  readonly balanceChanged: (userId: number) => void;
  readonly nowSeconds: () => number;
}

/** Where a user stands today. */
export interface CheckInStatus {
  readonly enabled: boolean;
  readonly minQuota: number;
  readonly maxQuota: number;
  readonly checkedInToday: boolean;
  /** Unix seconds at which the next day begins. */
  readonly nextTime: number;
}

/** A month of check-ins, and all of them together. */
export interface CheckInMonth {
  readonly status: CheckInStatus;
  /** Newest first. */
  readonly records: readonly CheckinRecord[];
  readonly totalCount: number;
  readonly totalQuota: number;
}

export class CheckInService {
  readonly #deps: CheckInDeps;

  constructor(deps: CheckInDeps) {
    this.#deps = deps;
  }

  async status(actor: Actor): Promise<CheckInStatus> {
    const { database, options, days, nowSeconds } = this.#deps;
    const now = nowSeconds();
    const view = options();
    const [minQuota, maxQuota] = rewardRange(view);
    const today = await database.stores.checkins.find(actor.userId, days.dayOf(now));
    return {
      enabled: view.get('CheckInEnabled'),
      minQuota,
      maxQuota,
      checkedInToday: today !== undefined,
      nextTime: days.nextDayStart(now),
    };
  }

  /** @param month `YYYY-MM`; the running one when undefined. Throws `checkin_off`, `invalid_params`. */
  async month(actor: Actor, month: string | undefined): Promise<CheckInMonth> {
    const { database, options, days, nowSeconds } = this.#deps;
    if (!options().get('CheckInEnabled')) throw new TollgateError('checkin_off');
    const asked = month || days.dayOf(nowSeconds()).slice(0, 7);
    if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(asked)) throw new TollgateError('invalid_params', {}, { field: 'month' });
    const [status, records, totals] = await Promise.all([
      this.status(actor),
      database.stores.checkins.listOfMonth(actor.userId, asked),
      database.stores.checkins.totals(actor.userId),
    ]);
    return { status, records, totalCount: totals.count, totalQuota: totals.quota };
  }

  /** Credits today's reward (log 5). Throws `checkin_off`, `checkin_config`, `checkin_done`. */
  async checkIn(actor: Actor, requestId: string): Promise<CheckinRecord> {
    const { database, options, days, language, balanceChanged, nowSeconds } = this.#deps;
    const view = options();
    if (!view.get('CheckInEnabled')) throw new TollgateError('checkin_off');
    const [least, most] = rewardRange(view);
    if (!Number.isSafeInteger(least) || least <= 0) throw new TollgateError('checkin_config');
    const { userId, username } = actor;
    const record = await database.transaction(async (stores) => {
      // Read here: a call that waited for its turn over midnight belongs to the day in which it is counted.
      const now = nowSeconds();
      const quotaAwarded = randomBetween(least, most);
      const inserted = await stores.checkins.insert({
        userId,
        checkinDate: days.dayOf(now),
        quotaAwarded,
        createdAt: now,
      });
      if (!inserted) throw new TollgateError('checkin_done');
      const content = accountLogTexts.checkIn(quotaText(quotaAwarded, view))[language];
      const row = eventRow({ userId, username, type: 5, content, quota: quotaAwarded, nowSeconds: now, requestId });
      if ((await creditUser(stores, { userId, amount: quotaAwarded, row })) === undefined) {
        throw new TollgateError('user_gone');
      }
      await stores.users.setLastCheckIn(userId, new Date(now * 1000));
      return inserted;
    });
    balanceChanged(userId);
    return record;
  }
}

/** Least and most that a check-in brings; equal when it is always the same. */
function rewardRange(options: OptionsView): readonly [number, number] {
  const least = options.get('CheckInQuota');
  return [least, Math.max(least, options.get('CheckInMaxQuota'))];
}

/** Both ends included. The source takes ranges below 2^48, which is far above any reward. */
function randomBetween(least: number, most: number): number {
  return least + randomInt(Math.min(most - least, 2 ** 48 - 2) + 1);
}
