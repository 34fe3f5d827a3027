/** Alerts of operators: what is raised by channels, balances and failing calls, and how root sets and tests it. */
import { randomUUID } from 'node:crypto';
import type { AlertKind } from '../contract/alert-kinds.ts';
import type { AlertSettings, NoticeFigures, SentAlertRule, SentAlertTarget } from '../contract/alerts.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { NoticeWindow } from '../store/notices.ts';
import type { Actor } from './actor.ts';
import type { AlertBook } from './alert-book.ts';
import { type AcceptsAddress, changedRules, changedTargets } from './alert-settings.ts';
import { auditBy } from './audits.ts';
import type { ChannelNotice } from './channel-switch.ts';
import { type ErrorRate, wholeSite } from './error-rates.ts';
import { type Delivery, failureOf } from './notice-delivery.ts';
import type { NoticeDesk } from './notice-desk.ts';
import {
  channelBalanceNotice,
  channelNotice,
  channelTestNotice,
  errorRateNotice,
  sampleNotice,
} from './notice-texts.ts';

export interface AlertServiceDeps {
  readonly database: Database;
  readonly book: AlertBook;
  readonly desk: NoticeDesk;
  /** Calls of the last minutes on all nodes. */
  readonly rates: { of(minutes: number): Promise<ErrorRate[]> };
  /** One try, as the queue makes it. Rejects with `DeliveryFailure`. */
  readonly deliver: (delivery: Delivery) => Promise<void>;
  readonly acceptsAddress: AcceptsAddress;
  readonly options: () => OptionsView;
  /** "" for a channel that is gone. */
  readonly channelName: (id: number) => string;
  /** How often one channel may go or come within its rule's quiet time, and tests of all channels end within this one. */
  readonly channelNotices: NoticeWindow;
  readonly nowSeconds: () => number;
}

export interface AlertTestResult {
  readonly target: string;
  readonly ok: boolean;
  readonly reason: string;
}

const everyRow = { offset: 0, limit: 1_000_000 } as const;

export class AlertService {
  readonly #deps: AlertServiceDeps;

  constructor(deps: AlertServiceDeps) {
    this.#deps = deps;
  }

  get settings(): AlertSettings {
    return this.#deps.book.settings;
  }

  get figures(): NoticeFigures {
    return this.#deps.desk.figures;
  }

  /** A channel or one of its keys was disabled, or came back. Does not wait and does not throw. */
  channelChanged(event: ChannelNotice): void {
    const kind = event.kind.endsWith('_1') ? 'channel-recovered' : 'channel-disabled';
    const { desk, channelNotices } = this.#deps;
    // News of its keys must not take the place of the news that a channel is down.
    const subject = event.keyId === undefined ? event.kind : `${event.kind}:keys`;
    desk.raise({ kind, subject, notice: channelNotice(event, this.#site), count: channelNotices.count });
  }

  /** A test of all channels ended: root hears of it. Does not wait and does not throw. */
  channelTestEnded(run: { readonly tested: number; readonly failed: number; readonly outage: boolean }): void {
    this.#deps.desk.tellOwner(channelTestNotice(run, this.#site), this.#deps.channelNotices);
  }

  /** Looks at the balances that upstreams have told within the quiet period; called about once a minute. */
  async judgeBalances(): Promise<void> {
    const { database, book, desk, nowSeconds } = this.#deps;
    const { enabled, threshold, quiet_minutes } = book.rule('channel-balance');
    if (!enabled) return;
    const { items } = await database.stores.channels.list({ status: 'enabled' }, 'id', everyRow);
    // An older figure says nothing about today; it was told when it was new.
    const since = nowSeconds() - quiet_minutes * 60;
    for (const { id, name, balance, balanceUpdatedTime } of items) {
      if (balanceUpdatedTime < since || balance >= threshold) continue;
      const facts = { channelId: id, channelName: name, balance, threshold, site: this.#site };
      desk.raise({ kind: 'channel-balance', subject: String(id), notice: channelBalanceNotice(facts) });
    }
  }

  /** Looks at the calls of the last minutes; called about once a minute, and on every node, since each counts its own. */
  async judgeErrorRates(): Promise<void> {
    const { book, rates, desk, channelName } = this.#deps;
    const { enabled, threshold, window_minutes, min_requests } = book.rule('error-rate');
    if (!enabled) return;
    for (const { channelId, failed, total } of await rates.of(window_minutes)) {
      if (total < min_requests || (failed / total) * 100 < threshold) continue;
      const channel = channelId === wholeSite ? undefined : { id: channelId, name: channelName(channelId) };
      const notice = errorRateNotice({ channel, failed, total, minutes: window_minutes, site: this.#site });
      desk.raise({ kind: 'error-rate', subject: String(channelId), notice });
    }
  }

  /** Throws `alert_rule_invalid`, `alert_rule_unread`, `alert_target_invalid`, `email_invalid`. */
  async change(
    actor: Actor,
    sent: { readonly rules: readonly SentAlertRule[]; readonly targets: readonly SentAlertTarget[] | undefined },
  ): Promise<AlertSettings> {
    const { book, nowSeconds } = this.#deps;
    return book.change(
      (kept) => this.changed(kept, sent),
      async (stores, { targets }) => {
        const detail = { rules: sent.rules, targets: targets.map(({ id, type, enabled }) => ({ id, type, enabled })) };
        await stores.audits.append(auditBy(actor, { action: 'alert.set', target: 'alert', detail }, nowSeconds()));
      },
    );
  }

  /** What is kept after a change. Throws as `change`. */
  changed(
    kept: AlertSettings,
    sent: { readonly rules: readonly SentAlertRule[]; readonly targets: readonly SentAlertTarget[] | undefined },
  ): AlertSettings {
    return {
      rules: changedRules(kept.rules, sent.rules),
      targets: sent.targets ? changedTargets(kept.targets, sent.targets, this.#deps.acceptsAddress) : kept.targets,
    };
  }

  /** What is kept, for those who change it together with other things. */
  get book(): AlertBook {
    return this.#deps.book;
  }

  /** Sends a sample to one target, or to all, disabled ones included only by name. Throws `alert_target_unknown`. */
  async test(wish: { target: string | undefined; kind: AlertKind | undefined }): Promise<AlertTestResult[]> {
    const { targets } = this.settings;
    const meant =
      wish.target === undefined
        ? targets.filter(({ enabled }) => enabled)
        : targets.filter(({ id }) => id === wish.target);
    if (wish.target !== undefined && meant.length === 0) {
      throw new TollgateError('alert_target_unknown', { target: wish.target }, { field: 'target' });
    }
    const notice = sampleNotice(wish.kind, this.#site);
    return Promise.all(
      meant.map(async (target): Promise<AlertTestResult> => {
        const place = await this.#deps.desk.addressOf(target);
        if (!place) return { target: target.id, ok: false, reason: 'there is no address' };
        const reason = await failureOf(this.#deps.deliver({ id: randomUUID(), notice, ...place }));
        return { target: target.id, ok: reason === undefined, reason: reason ?? '' };
      }),
    );
  }

  get #site(): string {
    return this.#deps.options().get('ServerAddress').replace(/\/+$/, '');
  }
}
