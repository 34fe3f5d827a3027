/** Rate classes of the management API (management-api.md 1.6, D23), counted over the whole cluster. */
import ipaddr from 'ipaddr.js';
import type { Counters, Slot } from '../cluster/counters.ts';
import type { RateClass } from '../contract/endpoint.ts';
import { TollgateError } from '../errors.ts';
import { type LimitHeaders, requestHeaders } from './limits.ts';

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
  /** Calls of one signed-in user, or of one machine token. */
  readonly perUser: RateRule;
}

export interface RateSubject {
  readonly clientAddress: string;
  /** Undefined for callers who are not signed in: they count by address. */
  readonly userId: number | undefined;
  /** A machine token counts by itself, beside its user. */
  readonly machineTokenId?: number | undefined;
}

export interface ApiLimitsDeps {
  readonly counters: Pick<Counters, 'slide'>;
  readonly rules: () => RateRules;
}

/** What a window answered. */
interface Taken {
  readonly limit: number;
  readonly slot: Slot;
}

const paymentCallbacks: RateRule = { enabled: true, count: 60, seconds: 60 };
/** As many as a page of thumbnails that is looked through quickly. */
const pictures: RateRule = { enabled: true, count: 300, seconds: 60 };

export class ApiLimits {
  readonly #deps: ApiLimitsDeps;

  constructor(deps: ApiLimitsDeps) {
    this.#deps = deps;
  }

  /**
   * Counts a call in every class it belongs to; throws `too_many_requests` when one is full.
   * @param tell given the answer's headers, of the tightest class, whether the call is let in or not
   */
  async admit(rateClass: RateClass, subject: RateSubject, tell?: (headers: LimitHeaders) => void): Promise<void> {
    if (rateClass === 'unlimited') return;
    let tightest: Taken | undefined;
    for (const [rule, key] of this.#windowsOf(rateClass, subject)) {
      const taken = await this.#take(rule, key);
      if (taken === undefined) continue;
      if (tightest === undefined || !taken.slot.allowed || taken.slot.remaining < tightest.slot.remaining)
        tightest = taken;
      if (!taken.slot.allowed) break;
    }
    if (tightest === undefined) return;
    tell?.(requestHeaders(tightest.limit, tightest.slot));
    refuseFull(tightest);
  }

  /** Counts a page or static file. */
  async admitPage(clientAddress: string): Promise<void> {
    const taken = await this.#take(this.#deps.rules().globalWeb, `web:${addressBucket(clientAddress)}`);
    if (taken) refuseFull(taken);
  }

  /** Counts a drawing that is fetched for somebody who shows no key, and pays for nothing (REQ-25). */
  async admitPicture(clientAddress: string): Promise<void> {
    const taken = await this.#take(pictures, `picture:${addressBucket(clientAddress)}`);
    if (taken) refuseFull(taken);
  }

  /** The windows of a class in the order in which they are asked, each with the key it counts by. */
  #windowsOf(rateClass: RateClass, subject: RateSubject): readonly [RateRule, string][] {
    const { clientAddress, userId, machineTokenId } = subject;
    const rules = this.#deps.rules();
    const address = addressBucket(clientAddress);
    if (rateClass === 'payment-callback') return [[paymentCallbacks, `payment-callback:${address}`]];
    const user = userId === undefined ? address : `user:${userId}`;
    const who = machineTokenId === undefined ? user : `machine-token:${machineTokenId}`;
    const every: [RateRule, string] =
      userId === undefined ? [rules.globalApi, `api:${address}`] : [rules.perUser, `api-${who}`];
    if (rateClass === 'standard') return [every];
    if (rateClass === 'search') return [every, [rules.search, `search:${who}`]];
    if (rateClass === 'download') return [every, [rules.download, `download:${who}`]];
    // Guesses count by user, however many tokens they come from.
    if (rateClass === 'critical-redeem') return [every, [rules.critical, `${rateClass}:${user}`]];
    return [every, [rules.critical, `${rateClass}:${address}`]];
  }

  /** A place in a window; undefined where its rule is off. */
  async #take(rule: RateRule, key: string): Promise<Taken | undefined> {
    if (!rule.enabled || rule.count <= 0) return undefined;
    const windowMs = rule.seconds * 1000;
    return { limit: rule.count, slot: await this.#deps.counters.slide(`rate:${key}`, { limit: rule.count, windowMs }) };
  }
}

function refuseFull({ slot }: Taken): void {
  if (slot.allowed) return;
  const seconds = Math.max(1, Math.ceil(slot.resetMs / 1000));
  throw new TollgateError('too_many_requests', { s: seconds }, { retryAfterSeconds: seconds });
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
