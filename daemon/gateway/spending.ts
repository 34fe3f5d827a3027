/** Keeps a hold ahead of what a stream has cost so far (relay.md 15.8, D20). */
import { isQuotaRefusal } from '../domain/ledger.ts';
import {
  extensionAmount,
  type GroupRatio,
  HELD_OUTPUT_TOKENS,
  isFree,
  type Price,
  runningCost,
  sliceAmount,
} from '../domain/pricing.ts';
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
/** Before the first one: what a first hold pays for, and half of what may be overdrawn (D20), since pieces are passed on whole. */
const TOKENS_BEFORE_REVIEW = 1.5 * HELD_OUTPUT_TOKENS.streamed;
/** Events up to this size are taken for a few tokens in their wrapping, until so many have come that the last can be compared. */
const SPARSE_EVENT_BYTES = 600;
const COMPARED_EVENTS = 8;
/** Of text, as a guess before the first review. */
const BYTES_PER_TOKEN = 4;
const BLANK_LINE = Buffer.from('\n\n');
const QUOTE = 0x22;

export class Spending {
  readonly #facts: SpendingFacts;
  #held: number;
  #bytes = 0;
  #reviewAtBytes = MOST_BYTES;
  #isPlanned = false;
  /** What went before the first look is planned: small events that came one by one, too few to compare. */
  #opening: Buffer[] = [];
  #running = 0;
  #extending = false;

  constructor(facts: SpendingFacts) {
    this.#facts = facts;
    this.#held = facts.held;
    const metered = facts.price.mode === 'token' && !isFree(facts.price, facts.group);
    if (metered) return;
    this.#reviewAtBytes = Number.POSITIVE_INFINITY;
    this.#isPlanned = true;
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
    if (!this.#isPlanned) this.#planFirst(bytes);
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

  /** By a guess, since reading all of an answer to know costs more than passing it on. */
  #planFirst(bytes: Buffer): void {
    this.#opening.push(bytes);
    const bytesPerToken = guessBytesPerToken(bytes) ?? this.#guessByOpening();
    if (bytesPerToken === undefined) return;
    this.#isPlanned = true;
    this.#opening = [];
    this.#reviewAtBytes = bytesFor(TOKENS_BEFORE_REVIEW * bytesPerToken);
  }

  /** Events that come one by one tell their words from their wrapping only together: looked at now and then, not each time. */
  #guessByOpening(): number | undefined {
    const isTime = this.#opening.length % COMPARED_EVENTS === 0;
    return isTime ? guessBytesPerToken(Buffer.concat(this.#opening)) : undefined;
  }

  #planNext(output: number): void {
    const bytesPerToken = output === 0 ? MOST_BYTES : this.#bytes / output;
    this.#isPlanned = true;
    this.#opening = [];
    this.#reviewAtBytes = this.#bytes + bytesFor(TOKENS_BETWEEN_REVIEWS * bytesPerToken);
  }
}

function bytesFor(wanted: number): number {
  return Math.min(MOST_BYTES, Math.max(LEAST_BYTES, Math.floor(wanted)));
}

/** Undefined for small events as long as too few have come together to tell their words from their wrapping. */
function guessBytesPerToken(bytes: Buffer): number | undefined {
  const ends = [0];
  while (ends.length <= COMPARED_EVENTS) {
    const at = bytes.indexOf(BLANK_LINE, ends.at(-1));
    if (at < 0) break;
    ends.push(at + BLANK_LINE.length);
  }
  const events = ends.length - 1;
  if (events === 0 || (ends.at(-1) ?? 0) / events > SPARSE_EVENT_BYTES) return BYTES_PER_TOKEN;
  if (events < COMPARED_EVENTS) return undefined;
  const [first = 0, second = 0, third = 0, last = 0] = ends.slice(-4);
  const eventBytes = (last - second) / 2;
  if (eventBytes > SPARSE_EVENT_BYTES) return BYTES_PER_TOKEN;
  const words = differingBytes(bytes, [first, second, third]) + differingBytes(bytes, [second, third, last]);
  return eventBytes / Math.max(1, words / 2 / BYTES_PER_TOKEN);
}

/** Bytes of the value in which an event differs from the one before it; of one that says the same again, all. */
function differingBytes(bytes: Buffer, [before, start, end]: readonly [number, number, number]): number {
  let from = start;
  while (from < end && bytes[from] === bytes[before + from - start]) from += 1;
  // A model that repeats itself: what of it is words cannot be told, and too early a look does no harm.
  if (from === end) return end - start;
  let until = end;
  while (until > from && bytes[until - 1] === bytes[start - (end - until) - 1]) until -= 1;
  while (from > start && bytes[from - 1] !== QUOTE) from -= 1;
  while (until < end && bytes[until] !== QUOTE) until += 1;
  return until - from;
}
