/** Rate classes of the management API (management-api.md 1.6, D23), counted over the whole cluster. */
import ipaddr from 'ipaddr.js';
import type { Counters } from '../cluster/counters.ts';
import type { RateClass } from '../contract/endpoint.ts';
import { TollgateError } from '../errors.ts';

export interface RateRule {
  readonly enabled: boolean;
  readonly count: number;
  readonly seconds: number;
}

/** The rules in force; read at every call, since options may change. */
export interface RateRules {
  readonly globalApi: RateRule;
  readonly globalWeb: RateRule;
  readonly critical: RateRule;
  readonly search: RateRule;
  readonly download: RateRule;
  /** Calls of one signed-in user. */
  readonly perUser: RateRule;
}

export interface RateSubject {
  readonly clientAddress: string;
  /** Undefined for callers who are not signed in: they count by address. */
  readonly userId: number | undefined;
}

export interface ApiLimitsDeps {
  readonly counters: Pick<Counters, 'slide'>;
  readonly rules: () => RateRules;
}

const paymentCallbacks: RateRule = { enabled: true, count: 60, seconds: 60 };

export class ApiLimits {
  readonly #deps: ApiLimitsDeps;

  constructor(deps: ApiLimitsDeps) {
    this.#deps = deps;
  }

  /** Counts a call in every class it belongs to; throws `too_many_requests` when one is full. */
  async admit(rateClass: RateClass, subject: RateSubject): Promise<void> {
    if (rateClass === 'unlimited') return;
    const rules = this.#deps.rules();
    const address = addressBucket(subject.clientAddress);
    if (rateClass === 'payment-callback') {
      await this.#take(paymentCallbacks, `payment-callback:${address}`);
      return;
    }
    if (subject.userId === undefined) await this.#take(rules.globalApi, `api:${address}`);
    else await this.#take(rules.perUser, `api-user:${subject.userId}`);
    if (rateClass === 'standard') return;
    const who = subject.userId === undefined ? address : `user:${subject.userId}`;
    if (rateClass === 'search') await this.#take(rules.search, `search:${who}`);
    else if (rateClass === 'download') await this.#take(rules.download, `download:${who}`);
    else if (rateClass === 'critical-redeem') await this.#take(rules.critical, `${rateClass}:${who}`);
    else await this.#take(rules.critical, `${rateClass}:${address}`);
  }

  /** Counts a page or static file. */
  async admitPage(clientAddress: string): Promise<void> {
    await this.#take(this.#deps.rules().globalWeb, `web:${addressBucket(clientAddress)}`);
  }

  async #take(rule: RateRule, key: string): Promise<void> {
    if (!rule.enabled || rule.count <= 0) return;
    const windowMs = rule.seconds * 1000;
    const taken = await this.#deps.counters.slide(`rate:${key}`, { limit: rule.count, windowMs });
    if (taken.allowed) return;
    const seconds = Math.max(1, Math.ceil(taken.resetMs / 1000));
    throw new TollgateError('too_many_requests', { s: seconds }, { retryAfterSeconds: seconds });
  }
}

/** One subscriber of IPv6 commands a whole /64, so that is what counts as one address. */
export function addressBucket(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : parsed.toString();
}
