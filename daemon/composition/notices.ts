/** Notices: the watches that find something to tell, the desk that decides whom, and the ways by which it travels. */
import { randomUUID } from 'node:crypto';
import { AlertBook } from '../domain/alert-book.ts';
import { defaultAlertSettings } from '../domain/alert-settings.ts';
import { AlertService } from '../domain/alerts.ts';
import { ErrorRates } from '../domain/error-rates.ts';
import { LowBalanceWatch } from '../domain/low-balance.ts';
import { type Delivery, deliver } from '../domain/notice-delivery.ts';
import { NoticeDesk } from '../domain/notice-desk.ts';
import { NoticeQueue } from '../domain/notice-queue.ts';
import { SharedErrorRates } from '../domain/shared-error-rates.ts';
import { TokenQuotaWatch } from '../domain/token-quota.ts';
import type { FinishListener } from '../gateway/record.ts';
import { errorListener } from '../gateway/record-errors.ts';
import { guardedFetch } from '../integrations/guarded-fetch.ts';
import type { SmtpMailer } from '../integrations/mail.ts';
import { NoticePost } from '../integrations/notice-post.ts';
import { AddressGuard } from '../upstream/address-guard.ts';
import type { Foundation } from './foundation.ts';
import { buildMailer } from './mail.ts';

export interface NoticeParts {
  readonly mailer: SmtpMailer;
  readonly alerts: AlertService;
  readonly balances: LowBalanceWatch;
  readonly tokens: TokenQuotaWatch;
  /** Counts failing calls. */
  readonly listener: FinishListener;
  /** One try of a notice, for test calls. */
  readonly deliver: (delivery: Delivery) => Promise<void>;
  /** Whether a user may have notices sent to this web address. */
  readonly acceptsWebhook: (url: string, standing: 'guarded' | 'exempt') => boolean;
  /** Notices of this node that will never arrive. */
  readonly lost: () => number;
  readonly forgetTold: () => Promise<unknown>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const alertContext = { table: 'alert_settings', column: 'sealed', row: '1' } as const;

/** Builds everything about notices; nothing is told before `start`. */
export function buildNotices(foundation: Foundation): NoticeParts {
  const { config, log, clock, nowSeconds, keyring, database, bus, snapshots } = foundation;
  const options = () => snapshots.current().options;
  const report = (cause: unknown) => log.error({ err: cause }, 'a notice was not made');
  const exempt = new AddressGuard({ allow: config.security.egress_allow, channelAllowPrivate: false });
  const guarded = new AddressGuard({ allow: [], channelAllowPrivate: false });
  const post = new NoticePost({
    exempt: guardedFetch(exempt),
    guarded: guardedFetch(guarded),
    checkTarget: (url) => guarded.checkTarget(url, 'guarded'),
    worker: () => ({ url: options().get('WorkerUrl'), key: options().get('WorkerValidKey') }),
    now: clock.now,
  });
  const mailer = buildMailer(foundation, exempt);
  const deliverOnce = (delivery: Delivery) => deliver({ mailer, post, options }, delivery);
  const queue = new NoticeQueue({
    deliver: deliverOnce,
    report: ({ delivery, cause }) =>
      log.warn({ err: cause, notice: delivery.notice.type, by: delivery.to.by }, 'a notice did not arrive'),
  });
  const book = new AlertBook({
    database,
    bus,
    seal: (plain) => keyring.seal(alertContext, plain),
    unseal: (sealed) => keyring.open(alertContext, sealed),
    defaults: defaultAlertSettings(config.jobs.notification_limit_duration_minutes),
    nowSeconds,
    report: (cause) => log.error({ err: cause }, 'the alert settings cannot be read'),
  });
  const desk = new NoticeDesk({
    database,
    book,
    queue,
    options,
    language: config.site.default_language,
    nowSeconds,
    report,
  });
  const rates = new ErrorRates(nowSeconds);
  const alerts = new AlertService({
    database,
    book,
    desk,
    rates: new SharedErrorRates({
      own: rates,
      counts: database.stores.errorCounts,
      processId: randomUUID(),
      nowSeconds,
    }),
    deliver: deliverOnce,
    acceptsAddress: (url) => accepts(exempt, url),
    options,
    channelName: (id) => snapshots.current().channels.get(id)?.record.name ?? '',
    channelNotices: {
      count: config.jobs.notify_limit_count,
      seconds: config.jobs.notification_limit_duration_minutes * 60,
    },
    nowSeconds,
  });
  const balances = new LowBalanceWatch({ database, bus, book, desk, options, now: clock.monotonic, report });
  const tokens = new TokenQuotaWatch({ database, book, desk, options, now: clock.monotonic, report });
  return {
    mailer,
    alerts,
    balances,
    tokens,
    listener: errorListener((channelId, result) => rates.count(channelId, result)),
    deliver: deliverOnce,
    acceptsWebhook: (url, standing) => accepts(standing === 'exempt' ? exempt : guarded, url),
    lost: () => desk.figures.failed + desk.figures.dropped + balances.overlooked + tokens.overlooked,
    forgetTold: () => database.stores.notices.deleteExpiredMarks(nowSeconds()),
    async start() {
      balances.start();
      await book.start();
    },
    async stop() {
      book.stop();
      await balances.stop();
      await tokens.stop();
      await desk.settled();
      await queue.stop();
    },
  };
}

/** Anything that is no address does not pass. */
function accepts(guard: AddressGuard, text: string): boolean {
  try {
    guard.checkUrl(new URL(text), 'guarded');
    return true;
  } catch {
    return false;
  }
}
