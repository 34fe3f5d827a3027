/**
 * Decides whom to tell of what, and how often: users of their own balance, operators by rules and targets. Raising
 * something never waits; everything behind it is bounded and counted.
 */
import { randomUUID } from 'node:crypto';
import type { AlertKind } from '../contract/alert-kinds.ts';
import type { AlertTarget, NoticeFigures } from '../contract/alerts.ts';
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { roles } from '../contract/roles.ts';
import type { Database } from '../store/database.ts';
import type { NoticeWindow } from '../store/notices.ts';
import type { UserRecord } from '../store/users.ts';
import type { AlertBook } from './alert-book.ts';
import { type Destination, egressStanding } from './notice-delivery.ts';
import type { NoticeQueue } from './notice-queue.ts';
import type { Notice } from './notice-texts.ts';
import { readSetting } from './user-setting.ts';

export interface NoticeDeskDeps {
  readonly database: Database;
  readonly book: AlertBook;
  readonly queue: NoticeQueue;
  readonly options: () => OptionsView;
  /** Of the site, for targets that name none. */
  readonly language: Language;
  readonly nowSeconds: () => number;
  readonly report: (cause: unknown) => void;
}

/** An alert for operators. */
export interface Alert {
  readonly kind: AlertKind;
  /** What it is about; the same thing about the same subject is told once a quiet period. */
  readonly subject: string;
  readonly notice: Notice;
  /** How often within the quiet period; 1 when undefined. */
  readonly count?: number;
}

/** Alerts that may be under way at once; one more is dropped. */
const maxRaising = 500;

export class NoticeDesk {
  readonly #deps: NoticeDeskDeps;
  readonly #raising = new Set<Promise<void>>();
  #dropped = 0;

  constructor(deps: NoticeDeskDeps) {
    this.#deps = deps;
  }

  get figures(): NoticeFigures {
    const { waiting, sent, failed, dropped } = this.#deps.queue.figures;
    return { waiting: waiting + this.#raising.size, sent, failed, dropped: dropped + this.#dropped };
  }

  /** Tells operators, if a rule wants it and it was not told lately. Does not wait and does not throw. */
  raise(alert: Alert): void {
    const rule = this.#deps.book.rule(alert.kind);
    if (!rule.enabled) return;
    if (this.#raising.size >= maxRaising) {
      this.#dropped += 1;
      return;
    }
    const window = { count: alert.count ?? 1, seconds: rule.quiet_minutes * 60 };
    this.#follow(this.#tell(alert, window));
  }

  /** Tells root by root's own settings. Does not wait and does not throw. */
  tellOwner(notice: Notice, window: NoticeWindow): void {
    const { users } = this.#deps.database.stores;
    this.#follow(
      users.findFirstOfRole(roles.root).then(async (root) => {
        if (root) await this.tellUser(root, notice, window);
      }),
    );
  }

  /** Tells a user by the user's own settings; false when it was told lately, or there is no way to tell. */
  async tellUser(user: UserRecord, notice: Notice, window: NoticeWindow): Promise<boolean> {
    const to = ownDestination(user);
    if (!to || !this.#isOpen(to) || !(await this.mark(`${notice.type}:${user.id}`, window))) return false;
    return this.#deps.queue.offer({ id: randomUUID(), notice, to, language: this.#deps.language });
  }

  /** Where and in which language a target is told; undefined for an owner who cannot be told. */
  async addressOf(target: AlertTarget): Promise<{ to: Destination; language: Language } | undefined> {
    const language = target.language ?? this.#deps.language;
    const to = target.type === 'owner' ? await this.#ownersDestination() : destinationOf(target);
    return to && { to, language };
  }

  /** Resolves when everything raised so far is on its way. */
  async settled(): Promise<void> {
    await Promise.all(this.#raising);
  }

  /** Takes a place in the window of this name; false when none is left. */
  mark(name: string, window: NoticeWindow): Promise<boolean> {
    return this.#deps.database.stores.notices.mark(name, window, this.#deps.nowSeconds());
  }

  #follow(work: Promise<void>): void {
    const raising = work.catch(this.#deps.report).finally(() => this.#raising.delete(raising));
    this.#raising.add(raising);
  }

  async #tell({ kind, subject, notice }: Alert, window: NoticeWindow): Promise<void> {
    const { book, queue } = this.#deps;
    const wanted = book.settings.targets.filter(
      ({ enabled, kinds }) => enabled && (kinds.length === 0 || kinds.includes(kind)),
    );
    const places = (await Promise.all(wanted.map((target) => this.addressOf(target)))).flatMap((place) =>
      place && this.#isOpen(place.to) ? [place] : [],
    );
    // Without anybody to tell nothing is marked, so that the first target hears of it.
    if (places.length === 0 || !(await this.mark(`${kind}:${subject}`, window))) return;
    for (const place of places) queue.offer({ id: randomUUID(), notice, ...place });
  }

  /** A site without a mail server sends no mail, and that is no failure. */
  #isOpen(to: Destination): boolean {
    return to.by !== 'mail' || this.#deps.options().get('SMTPServer') !== '';
  }

  async #ownersDestination(): Promise<Destination | undefined> {
    const root = await this.#deps.database.stores.users.findFirstOfRole(roles.root);
    return root && ownDestination(root);
  }
}

/** Where users want to be told by their own settings; undefined when there is no way. */
export function ownDestination(user: UserRecord): Destination | undefined {
  const setting = readSetting(user.setting);
  const text = (name: string) => (typeof setting[name] === 'string' ? setting[name] : '');
  if (setting.notify_type === 'webhook') {
    const url = text('webhook_url');
    const secret = text('webhook_secret');
    return url === '' ? undefined : { by: 'webhook', url, secret, standing: egressStanding(user.role) };
  }
  const to = text('notification_email') || (user.email ?? '');
  return to === '' ? undefined : { by: 'mail', to };
}

function destinationOf({ type, address, secret, dialect }: AlertTarget): Destination | undefined {
  if (type === 'mail') return { by: 'mail', to: address };
  if (type === 'webhook') return { by: 'webhook', url: address, secret, standing: 'exempt' };
  return dialect === null ? undefined : { by: 'robot', url: address, secret, dialect };
}
