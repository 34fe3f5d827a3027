/** Whether the payment provider could reach the callback address: a call to it from here, which must come back (REQ-34). */
import type { Counters } from '../cluster/counters.ts';
import type { OptionsView } from '../contract/options.ts';
import { callbackUrl, missingPaymentKeys } from './orders.ts';
import { randomToken } from './random-text.ts';

/** What became of the call. */
export type ProbeOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  /** The egress guard refuses the address; a provider could not reach it either. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'unreached' };

export interface PaymentSelfTestDeps {
  readonly counters: Pick<Counters, 'put' | 'take' | 'read'>;
  readonly options: () => OptionsView;
  readonly probe: (url: string) => Promise<ProbeOutcome>;
  /** Milliseconds of a clock that only rises. */
  readonly monotonic: () => number;
}

export interface SelfTestResult {
  /** "" while the site does not know its own address. */
  readonly callbackUrl: string;
  readonly missing: readonly string[];
  readonly reason: '' | 'elsewhere' | 'not_configured' | 'refused' | 'unreached';
  /** 0 without an answer. */
  readonly status: number;
  readonly timeMs: number;
}

/** Name of the parameter that marks a call of the test. */
const marker = 'self_test';
const waitMs = 60_000;

export class PaymentSelfTest {
  readonly #deps: PaymentSelfTestDeps;

  constructor(deps: PaymentSelfTestDeps) {
    this.#deps = deps;
  }

  /** Calls the callback address as the provider would. */
  async run(): Promise<SelfTestResult> {
    const { counters, options, probe, monotonic } = this.#deps;
    const missing = missingPaymentKeys(options());
    const url = callbackUrl(options());
    if (missing.length > 0) return { callbackUrl: url, missing, reason: 'not_configured', status: 0, timeMs: 0 };
    const nonce = randomToken();
    await counters.put(keyOf(nonce), 'sent', waitMs);
    const began = monotonic();
    const outcome = await probe(`${url}?${marker}=${nonce}`);
    const timeMs = Math.round(monotonic() - began);
    const hasArrived = (await counters.take(keyOf(nonce))) === 'arrived';
    const status = outcome.kind === 'answered' ? outcome.status : 0;
    const reason = outcome.kind === 'answered' ? (hasArrived ? '' : 'elsewhere') : outcome.kind;
    return { callbackUrl: url, missing, reason, status, timeMs };
  }

  /** Notes that a call of the test has arrived; every other notification passes unseen. */
  async arrived(params: Readonly<Record<string, string>>): Promise<void> {
    const nonce = Object.hasOwn(params, marker) ? (params[marker] ?? '') : '';
    if (!/^[\w-]{43}$/.test(nonce)) return;
    const { counters } = this.#deps;
    if ((await counters.read(keyOf(nonce))) === 'sent') await counters.put(keyOf(nonce), 'arrived', waitMs);
  }
}

function keyOf(nonce: string): string {
  return `payment-self-test:${nonce}`;
}
