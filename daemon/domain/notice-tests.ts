/** Test calls: does the site's mail work (console.md N19), and do a user's own notices arrive (N23). */
import { randomUUID } from 'node:crypto';
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { checkedEmail } from './account-rules.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import type { MailLimits } from './mail-limits.ts';
import { type Delivery, failureOf } from './notice-delivery.ts';
import { ownDestination } from './notice-desk.ts';
import { sampleNotice } from './notice-texts.ts';

export interface NoticeTestDeps {
  readonly database: Database;
  /** One try. Rejects with `DeliveryFailure`. */
  readonly deliver: (delivery: Delivery) => Promise<void>;
  readonly limits: MailLimits;
  readonly options: () => OptionsView;
  readonly nowSeconds: () => number;
}

/** Who asks, from where. */
export interface TestCaller {
  readonly clientAddress: string;
  readonly language: Language;
}

export class NoticeTests {
  readonly #deps: NoticeTestDeps;

  constructor(deps: NoticeTestDeps) {
    this.#deps = deps;
  }

  /**
   * Sends a sample mail; to the caller's own address when none is given. Returns where it went. Throws `email_invalid`,
   * `notice_nowhere`, `notice_failed` with what the mail server said.
   */
  async mail(actor: Actor, to: string | undefined, language: Language): Promise<string> {
    const { database, nowSeconds } = this.#deps;
    const own = to ? undefined : (await database.stores.users.find(actor.userId))?.email;
    const address = to ? checkedEmail(to, 'email') : own;
    if (!address) throw new TollgateError('notice_nowhere', {}, { field: 'email' });
    const act = { action: 'mail.test', target: 'mail', detail: { to: address } };
    await database.transaction((stores) => stores.audits.append(auditBy(actor, act, nowSeconds())));
    await this.#send({ by: 'mail', to: address }, language);
    return address;
  }

  /** Sends a sample by the caller's saved notification settings. Throws `notice_nowhere`, `notice_failed`, `too_many_requests`. */
  async own(actor: Actor, caller: TestCaller): Promise<void> {
    const user = await this.#deps.database.stores.users.find(actor.userId);
    const to = user && ownDestination(user);
    if (!to) throw new TollgateError('notice_nowhere');
    await this.#deps.limits.admit(to.by === 'mail' ? to.to : to.url, caller.clientAddress);
    await this.#send(to, caller.language);
  }

  async #send(to: Delivery['to'], language: Language): Promise<void> {
    const { deliver, options } = this.#deps;
    const notice = sampleNotice(undefined, options().get('ServerAddress').replace(/\/+$/, ''));
    const reason = await failureOf(deliver({ id: randomUUID(), notice, to, language }));
    if (reason !== undefined) throw new TollgateError('notice_failed', { reason });
  }
}
