/** How many model requests a user may make within a period (relay.md 17.5). */
import type { Counters, KeyedWindow, Slot, Soon } from '../cluster/counters.ts';
import type { OptionsView } from '../contract/options.ts';
import { type ErrorParams, TollgateError } from '../errors.ts';

export interface ModelRequest {
  /** All keys of a user share one limit. */
  readonly userId: number;
  /** The group that the request is served under; it may have limits of its own. */
  readonly group: string;
  readonly options: OptionsView;
}

/** Header names with their values, for the answer. */
export type LimitHeaders = readonly (readonly [name: string, value: string])[];

/** The request may go on. */
export interface RequestPlace {
  readonly refusal: undefined;
  readonly headers: LimitHeaders;
  /** Requests left in the tightest window. */
  readonly remaining: number;
  /**
   * Tells how the request ended, once: a failure gives its place among the successes back, and one that another limit
   * refused all of them, since a call that is refused does not count.
   */
  finish(outcome: 'success' | 'failure' | 'refused'): void;
}

/** The request must not go on; it has left no entry. */
export interface RequestRefusal {
  /** `rate_limited:user_success` or `rate_limited:user_requests`, with its retry time. */
  readonly refusal: TollgateError;
  readonly headers: LimitHeaders;
}

type WindowCode = 'rate_limited:user_success' | 'rate_limited:user_requests' | 'rate_limited:count_tokens';

interface LimitedWindow extends KeyedWindow {
  readonly code: WindowCode;
}

/** Of one user; nobody looks at more drawings. */
const questionsPerMinute = 30;

export class ModelRequestLimits {
  readonly #counters: Pick<Counters, 'slideAll' | 'giveBack'>;
  readonly #countsPerMinute: number;

  /** @param deps.countsPerMinute calls of one user that count tokens (`COUNT_TOKENS_RATE_LIMIT`), 60 when undefined */
  constructor(deps: { readonly counters: Pick<Counters, 'slideAll' | 'giveBack'>; readonly countsPerMinute?: number }) {
    this.#counters = deps.counters;
    this.#countsPerMinute = deps.countsPerMinute ?? 60;
  }

  /** Takes a place among the calls that count tokens, which have a limit of their own (relay.md 6.4). */
  takeCount(userId: number): Soon<RequestPlace | RequestRefusal> {
    const limit = this.#countsPerMinute;
    return this.#takeFree({ code: 'rate_limited:count_tokens', key: `rateLimit:CT:${userId}`, limit });
  }

  /** Takes a place among the questions that an upstream answers for nothing: a limit of their own, too (REQ-25). */
  takeQuestion(userId: number): Soon<RequestPlace | RequestRefusal> {
    const limit = questionsPerMinute;
    return this.#takeFree({ code: 'rate_limited:user_requests', key: `rateLimit:Q:${userId}`, limit });
  }

  #takeFree(window: Omit<LimitedWindow, 'windowMs'>): Soon<RequestPlace | RequestRefusal> {
    const windows = [{ ...window, windowMs: 60_000 }];
    const slots = this.#counters.slideAll(windows);
    if (slots instanceof Promise) return slots.then((taken) => this.#judge(windows, taken));
    return this.#judge(windows, slots);
  }

  /** Takes a place; undefined while no limit is on. Answers at once when the counters live in this process. */
  take(request: ModelRequest): Soon<RequestPlace | RequestRefusal | undefined> {
    const windows = windowsOf(request);
    if (windows.length === 0) return undefined;
    const slots = this.#counters.slideAll(windows);
    if (slots instanceof Promise) return slots.then((taken) => this.#judge(windows, taken));
    return this.#judge(windows, slots);
  }

  #judge(windows: readonly LimitedWindow[], slots: readonly Slot[]): RequestPlace | RequestRefusal {
    const pairs = windows.flatMap((window, at) => {
      const slot = slots[at];
      return slot ? [{ window, slot }] : [];
    });
    const refused = pairs.find(({ slot }) => !slot.allowed);
    if (refused) return { refusal: refusalOf(refused.window, refused.slot), headers: headersOf(refused, 'refused') };
    const tightest = pairs.reduce((least, pair) => (pair.slot.remaining < least.slot.remaining ? pair : least));
    let open = true;
    return {
      refusal: undefined,
      headers: headersOf(tightest, 'allowed'),
      remaining: tightest.slot.remaining,
      finish: (outcome) => {
        if (!open) return;
        open = false;
        if (outcome === 'success') return;
        const isGiven = (code: WindowCode) => outcome === 'refused' || code === 'rate_limited:user_success';
        for (const { window, slot } of pairs.filter(({ window: { code } }) => isGiven(code))) {
          // Counters never reject, and nobody needs to wait for this.
          void this.#counters.giveBack(window.key, slot.member);
        }
      },
    };
  }
}

/** The windows that count, in the order in which they are asked; none when the limit is off. */
function windowsOf({ userId, group, options }: ModelRequest): LimitedWindow[] {
  const minutes = options.get('ModelRequestRateLimitDurationMinutes');
  if (!options.get('ModelRequestRateLimitEnabled') || minutes <= 0) return [];
  const groups = options.get('ModelRequestRateLimitGroup');
  const own = Object.hasOwn(groups, group) ? groups[group] : undefined;
  const [total, successes] = own ?? [
    options.get('ModelRequestRateLimitCount'),
    options.get('ModelRequestRateLimitSuccessCount'),
  ];
  const windowMs = minutes * 60_000;
  const windows: LimitedWindow[] = [
    { code: 'rate_limited:user_success', key: `rateLimit:MRRLS:${userId}`, limit: successes, windowMs },
  ];
  if (total > 0)
    windows.push({ code: 'rate_limited:user_requests', key: `rateLimit:MRRL:${userId}`, limit: total, windowMs });
  return windows;
}

function refusalOf(window: LimitedWindow, slot: Slot): TollgateError {
  const params: ErrorParams = { limit: window.limit, minutes: window.windowMs / 60_000 };
  return new TollgateError(window.code, params, { retryAfterSeconds: seconds(slot.resetMs) });
}

function headersOf({ window, slot }: { window: KeyedWindow; slot: Slot }, state: 'allowed' | 'refused'): LimitHeaders {
  const headers = requestHeaders(window.limit, slot);
  return state === 'refused' ? [['Retry-After', String(seconds(slot.resetMs))], ...headers] : headers;
}

/** What an answer says of a limit of requests: how many, how many are left, and when the next one comes back. */
export function requestHeaders(limit: number, { remaining, resetMs }: Slot): LimitHeaders {
  return [
    ['X-RateLimit-Limit-Requests', String(limit)],
    ['X-RateLimit-Remaining-Requests', String(remaining)],
    ['X-RateLimit-Reset-Requests', `${seconds(resetMs)}s`],
  ];
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
