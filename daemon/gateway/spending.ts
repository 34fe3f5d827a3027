/** Keeps a hold ahead of what a stream has cost so far (relay.md 15.8, D20). */
import { isQuotaRefusal } from '../domain/ledger.ts';
import { extensionAmount, type GroupRatio, isFree, type Price, runningCost, sliceAmount } from '../domain/pricing.ts';
import type { TollgateError } from '../errors.ts';
import { emptyUsage } from '../relay/canonical/usage.ts';
import type { AnswerMeter } from './lane.ts';

/** Enlarges the hold of this request by so much. Throws the ledger's refusals. */
export type Extend = (amount: number) => Promise<void>;

export interface SpendingFacts {
  readonly price: Price;
  readonly group: GroupRatio;
  /** Estimate of the prompt, until the upstream says more. */
  readonly promptTokens: number;
  readonly held: number;
  readonly extend: Extend;
}

/** Output between two looks at the cost, unless the stream is slower than the clock that looks as well. */
const TOKENS_BETWEEN_REVIEWS = 256;
const LEAST_BYTES = 2 * 1024;
const MOST_BYTES = 64 * 1024;
/** Events up to this size are taken for a few tokens in their wrapping, until the first review knows better. */
const SPARSE_EVENT_BYTES = 600;
/** Before the first review. Up to a dozen tokens in each event leave it within a slice of the first hold. */
const SPARSE_BYTES = 16 * 1024;
const BLANK_LINE = Buffer.from('\n\n');

export class Spending {
  readonly #facts: SpendingFacts;
  #held: number;
  #bytes = 0;
  #reviewAtBytes = 0;
  #running = 0;
  #extending = false;

  constructor(facts: SpendingFacts) {
    this.#facts = facts;
    this.#held = facts.held;
    const metered = facts.price.mode === 'token' && !isFree(facts.price, facts.group);
    if (!metered) this.#reviewAtBytes = Number.POSITIVE_INFINITY;
  }

  /** All that is held by now. */
  get held(): number {
    return this.#held;
  }

  /** What was said has used up the hold, and the books have not yet said whether there is more. */
  get isAwaited(): boolean {
    return this.#extending && this.#running >= this.#held;
  }

  /** Notes bytes that went to the client; true when it is time for a review. */
  passed(bytes: Buffer): boolean {
    this.#bytes += bytes.length;
    if (this.#bytes < this.#reviewAtBytes) return false;
    // The first piece only shows how large its events are: dense ones are looked at sooner.
    if (this.#reviewAtBytes > 0) return true;
    this.#reviewAtBytes = isSparse(bytes) ? SPARSE_BYTES : LEAST_BYTES;
    return this.#bytes >= this.#reviewAtBytes;
  }

  /**
   * Compares the running cost with the hold and extends it when they meet. Resolves to the refusal that ends the
   * stream, undefined to go on. Delivery does not wait for it, unless it `isAwaited`.
   */
  async review(meter: AnswerMeter): Promise<TollgateError | undefined> {
    if (this.#reviewAtBytes === Number.POSITIVE_INFINITY) return undefined;
    const reported = meter.usage();
    const output = meter.outputTokens();
    this.#planNext(output);
    const prompt = this.#facts.promptTokens;
    const usage = reported ?? { ...emptyUsage('estimated'), prompt, tools: meter.tools?.() ?? {} };
    const { price, group } = this.#facts;
    const running = runningCost({ price, group, usage: { ...usage, completion: Math.max(usage.completion, output) } });
    this.#running = running;
    if (this.#extending) return undefined;
    // One review ahead: by the next look a further half slice may have gone out.
    const slice = sliceAmount({ price, group });
    if (running + Math.ceil(slice / 2) < this.#held) return undefined;
    const refusal = await this.#extend([extensionAmount({ running, held: this.#held }), running + slice - this.#held]);
    return refusal !== undefined && running >= this.#held ? refusal : undefined;
  }

  /** Tries the amounts in turn, the comfortable one first; resolves to the last refusal. */
  async #extend(amounts: readonly number[]): Promise<TollgateError | undefined> {
    this.#extending = true;
    let refusal: TollgateError | undefined;
    try {
      for (const amount of amounts) {
        if (amount <= 0) continue;
        refusal = await this.#extendBy(amount);
        if (refusal === undefined) return undefined;
      }
      return refusal;
    } finally {
      this.#extending = false;
    }
  }

  async #extendBy(amount: number): Promise<TollgateError | undefined> {
    try {
      await this.#facts.extend(amount);
      this.#held += amount;
      return undefined;
    } catch (error) {
      // Accounting trouble does not cut a running answer: the next review asks again.
      return isQuotaRefusal(error) ? error : undefined;
    }
  }

  #planNext(output: number): void {
    const bytesPerToken = output === 0 ? MOST_BYTES : this.#bytes / output;
    const step = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, Math.floor(TOKENS_BETWEEN_REVIEWS * bytesPerToken)));
    this.#reviewAtBytes = this.#bytes + step;
  }
}

function isSparse(bytes: Buffer): boolean {
  let events = 0;
  let end = 0;
  for (let at = bytes.indexOf(BLANK_LINE); at >= 0 && events < 16; at = bytes.indexOf(BLANK_LINE, end)) {
    events += 1;
    end = at + BLANK_LINE.length;
  }
  return events > 0 && end / events <= SPARSE_EVENT_BYTES;
}
