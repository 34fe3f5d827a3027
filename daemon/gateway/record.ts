/** Step 12: what is remembered of a request beside its money: prompt and answer texts, metrics (relay.md 16.2, 16.3). */
import type { Account, Bill, Outcome } from './settle.ts';

/** One finished request, as metrics and body logs see it. */
export interface FinishedRequest {
  readonly account: Account;
  readonly outcome: Outcome;
  readonly bill: Bill;
}

/** Called once per settled request, behind the answer; must not throw and must not wait. */
export type FinishListener = (finished: FinishedRequest) => void;

export class Recorder {
  readonly #listeners: readonly FinishListener[];
  readonly #report: (error: unknown) => void;

  constructor(deps: { listeners: readonly FinishListener[]; report: (error: unknown) => void }) {
    this.#listeners = deps.listeners;
    this.#report = deps.report;
  }

  record(account: Account, end: { outcome: Outcome; bill: Bill }): void {
    for (const listener of this.#listeners) {
      try {
        listener({ account, ...end });
      } catch (error) {
        // A broken listener must not turn an answered request into a failed one.
        this.#report(error);
      }
    }
  }
}
