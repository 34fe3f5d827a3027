/** Whether the payment provider could reach the callback address: a call to it from here, which must come back (REQ-34). */
import type { OptionsView } from '../contract/options.ts';
import type { Stores } from '../store/database.ts';
import type { CodeSubject } from '../store/verification-codes.ts';
import { callbackUrl, missingPaymentKeys } from './orders.ts';
import { randomToken } from './random-text.ts';

/** What became of the call. */
export type ProbeOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  /** The egress guard refuses the address; a provider could not reach it either. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'unreached' };

export interface PaymentSelfTestDeps {
  /** Not the counters: any node may be called back, and without Redis each has its own. */
  readonly stores: Pick<Stores, 'verificationCodes'>;
  readonly options: () => OptionsView;
  readonly probe: (url: string) => Promise<ProbeOutcome>;
  /** Milliseconds of a clock that only rises. */
  readonly monotonic: () => number;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
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
/** Longer than any call, by as much as the clocks of nodes may differ. */
const awaitedSeconds = 120;

export class PaymentSelfTest {
  readonly #deps: PaymentSelfTestDeps;

  constructor(deps: PaymentSelfTestDeps) {
    this.#deps = deps;
  }

  /** Calls the callback address as the provider would. */
  async run(): Promise<SelfTestResult> {
    const { stores, options, probe, monotonic, nowSeconds } = this.#deps;
    const missing = missingPaymentKeys(options());
    const url = callbackUrl(options());
    if (missing.length > 0) return { callbackUrl: url, missing, reason: 'not_configured', status: 0, timeMs: 0 };
    const nonce = randomToken();
    const call = callOf(nonce);
    const createdAt = nowSeconds();
    await stores.verificationCodes.replace({ ...call, codeHash: '', createdAt, expiresAt: createdAt + awaitedSeconds });
    const began = monotonic();
    const outcome = await probe(`${url}?${marker}=${nonce}`);
    const timeMs = Math.round(monotonic() - began);
    const hasArrived = (await stores.verificationCodes.find(call)) === undefined;
    if (!hasArrived) await stores.verificationCodes.delete(call);
    const status = outcome.kind === 'answered' ? outcome.status : 0;
    const reason = outcome.kind === 'answered' ? (hasArrived ? '' : 'elsewhere') : outcome.kind;
    return { callbackUrl: url, missing, reason, status, timeMs };
  }

  /** Uses up what a call of the test brings; every other notification passes unseen. */
  async arrived(params: Readonly<Record<string, string>>): Promise<void> {
    const nonce = Object.hasOwn(params, marker) ? (params[marker] ?? '') : '';
    if (!/^[\w-]{43}$/.test(nonce)) return;
    const { stores, nowSeconds } = this.#deps;
    await stores.verificationCodes.consume(callOf(nonce), { codeHash: '', nowSeconds: nowSeconds() });
  }
}

function callOf(nonce: string): CodeSubject {
  return { purpose: 'payment-self-test', subject: nonce };
}
