/** How many mails callers may cause (management-api.md 1.6): by their address, by recipient, by recipient and day. */
import type { Counters } from '../cluster/counters.ts';
import { TollgateError } from '../errors.ts';
import { addressBucket, type RateRule } from './api-limits.ts';

export interface MailLimitsDeps {
  readonly counters: Pick<Counters, 'slideAll' | 'giveBack'>;
  readonly perCaller: RateRule;
  readonly perRecipient: RateRule;
  readonly perRecipientAndDay: RateRule;
}

export class MailLimits {
  readonly #deps: MailLimitsDeps;

  constructor(deps: MailLimitsDeps) {
    this.#deps = deps;
  }

  /**
   * Counts a mail before anything is looked up, so that refusals say nothing; throws `too_many_requests`. What it returns
   * lets the recipient be written to again at once after a mail that failed. The caller's own count stays, and that of
   * the day: a server may have taken what it never answered.
   */
  async admit(recipient: string, clientAddress: string): Promise<() => Promise<void>> {
    const { counters, perCaller, perRecipient, perRecipientAndDay } = this.#deps;
    const ofRecipient = `mail:recipient:${recipient}`;
    const rules = [
      { key: `mail:caller:${addressBucket(clientAddress)}`, rule: perCaller },
      { key: ofRecipient, rule: perRecipient },
      { key: `mail:recipient-day:${recipient}`, rule: perRecipientAndDay },
    ].filter(({ rule }) => rule.enabled);
    const slots = await counters.slideAll(
      rules.map(({ key, rule }) => ({ key, limit: rule.count, windowMs: rule.seconds * 1000 })),
    );
    const full = slots.filter(({ allowed }) => !allowed);
    if (full.length === 0) {
      const { member = '' } = slots[rules.findIndex(({ key }) => key === ofRecipient)] ?? {};
      return async () => {
        if (member !== '') await counters.giveBack(ofRecipient, member);
      };
    }
    const seconds = Math.max(1, ...full.map(({ resetMs }) => Math.ceil(resetMs / 1000)));
    throw new TollgateError('too_many_requests', { s: seconds }, { retryAfterSeconds: seconds });
  }
}
