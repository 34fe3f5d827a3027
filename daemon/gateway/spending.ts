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
import { emptyUsage, withCompletion } from '../relay/canonical/usage.ts';
import type { AnswerMeter } from './lane.ts';
import { SoundRate } from './sound-rate.ts';
import {
  BYTES_PER_SPARSE_TOKEN,
  COMPARED_EVENTS,
  endOfEvents,
  guessBytesPerToken,
  guessEachEvent,
  guessTokens,
  SMALL_BYTES,
} from './token-guess.ts';

/** Enlarges the hold of this request by so much. Throws the ledger's refusals. */
export type Extend = (amount: number) => Promise<void>;

export interface SpendingFacts {
  readonly price: Price;
  readonly group: GroupRatio;
  /** Estimate of the prompt, until the upstream says more. */
  readonly promptTokens: number;
  readonly held: number;
  /** What user and key had to spend before that, as last known. */
  readonly balance: number;
  readonly extend: Extend;
}

/** Output between two looks at the cost, unless the stream is slower than the clock that looks as well. */
const TOKENS_BETWEEN_REVIEWS = 256;
/** Before the first one, by a guess. */
const TOKENS_BEFORE_REVIEW = 1.5 * HELD_OUTPUT_TOKENS.streamed;
/**
 * With so many slices there is time to see that words were more than they looked like. With less, they are taken for twice
 * as many, and the first look comes before the first hold is used up: all streams of a balance together may overdraw it
 * by one slice.
 */
const AMPLE_SLICES = 256;
const CAUTIOUS_TOKENS_BEFORE_REVIEW = 0.75 * HELD_OUTPUT_TOKENS.streamed;
/** What is left of a balance that runs out is looked at no more often. */
const LEAST_TOKENS = 32;
/** Held at one time for what waits to be read, by caution: sound in small events looks like a great many words. */
const MOST_COVERED_TOKENS = { 1: 64 * HELD_OUTPUT_TOKENS.streamed, 2: 8 * HELD_OUTPUT_TOKENS.streamed };
const LEAST_BYTES = 1024;
const MOST_BYTES = 64 * 1024;

export class Spending {
  readonly #facts: SpendingFacts;
  #held: number;
  #bytes = 0;
  #reviewAtBytes = MOST_BYTES;
  #isPlanned = false;
  /** What went before the first look is planned: small events that came one by one, too few to compare. */
  #opening: Buffer[] = [];
  #running = 0;
  /** Quota of a slice; 0: words cost nothing, though prompt and tools may. */
  readonly #slice: number;
  readonly #sound: SoundRate;
  /** How many times more than they look like the words may be. */
  #caution: 1 | 2 = 1;
  /** By the last look, or the guess before it. */
  #bytesPerToken = BYTES_PER_SPARSE_TOKEN;
  #lookedAtBytes = 0;
  /** Tokens that were held for and not said at the last look. */
  #tokensLeft: number = HELD_OUTPUT_TOKENS.streamed;
  /** The books could not be reached when more was asked for at last. */
  #isUnanswered = false;
  #extension: Promise<TollgateError | undefined> | undefined;
  #isCovering = false;
  /** Bytes of what is unread that have been looked at. */
  #allowance = 0;

  constructor(facts: SpendingFacts) {
    this.#facts = facts;
    this.#held = facts.held;
    this.#slice = sliceAmount(facts);
    this.#sound = new SoundRate(facts.price);
    if (facts.balance < AMPLE_SLICES * this.#slice) this.#caution = 2;
    const metered = facts.price.mode === 'token' && !isFree(facts.price, facts.group);
    if (metered) return;
    this.#reviewAtBytes = Number.POSITIVE_INFINITY;
    this.#isPlanned = true;
  }

  /** All that is held by now. */
  get held(): number {
    return this.#held;
  }

  /** What was said has used up the hold, or what is unread may, and the books have not yet said whether there is more. */
  get isAwaited(): boolean {
    return this.#isCovering || (this.#extension !== undefined && this.#running >= this.#held);
  }

  /** How many bytes of these events may be read now; 0: none before they are covered. */
  portion(events: Buffer): number {
    if (this.#reviewAtBytes === Number.POSITIVE_INFINITY) return events.length;
    const size = Math.min(this.#allowance, events.length);
    this.#allowance = 0;
    if (size > 0) return size;
    // What comes event by event is looked at by its bytes.
    if (events.length <= SMALL_BYTES) return events.length;
    const said = ((this.#bytes - this.#lookedAtBytes) / this.#bytesPerToken) * this.#caution;
    const isCovered = said + this.#guess(events) * this.#caution <= this.#tokensLeft;
    return isCovered || this.#slice === 0 ? events.length : 0;
  }

  /** Holds what these events may cost, as far as there is more. Resolves to the refusal that ends the stream. */
  async cover(events: Buffer, meter: AnswerMeter): Promise<TollgateError | undefined> {
    this.#isCovering = true;
    try {
      await this.#extension;
      const wanted = Math.min(this.#guess(events) * this.#caution, MOST_COVERED_TOKENS[this.#caution]);
      const refusal = await this.review(meter, wanted);
      const paid = this.#isUnanswered ? wanted : Math.min(wanted, Math.max(LEAST_TOKENS, this.#tokensLeft));
      this.#allowance = this.#endOf(events, paid / this.#caution);
      return refusal;
    } finally {
      this.#isCovering = false;
    }
  }

  #guess(events: Buffer): number {
    const { bytesPerToken: soundBytes } = this.#sound;
    return this.#caution === 1 ? guessTokens(events, soundBytes).tokens : guessEachEvent(events, soundBytes).tokens;
  }

  /** Behind one event at least. */
  #endOf(events: Buffer, tokens: number): number {
    const { bytesPerToken: soundBytes } = this.#sound;
    if (this.#caution === 1)
      return endOfEvents(events, Math.floor(tokens * guessTokens(events, soundBytes).bytesPerToken));
    return guessEachEvent(events, soundBytes, tokens).end || endOfEvents(events, 0);
  }

  /** Notes bytes that went to the client; true when it is time for a review. */
  passed(bytes: Buffer): boolean {
    this.#bytes += bytes.length;
    if (!this.#isPlanned) this.#planFirst(bytes);
    return this.#bytes >= this.#reviewAtBytes;
  }

  /**
   * Compares the running cost, and that of so many tokens more, with the hold and extends it when they meet. Resolves to
   * the refusal that ends the stream, undefined to go on. Delivery does not wait for it, unless it `isAwaited`.
   */
  async review(meter: AnswerMeter, unreadTokens = 0): Promise<TollgateError | undefined> {
    if (this.#reviewAtBytes === Number.POSITIVE_INFINITY) return undefined;
    const reported = meter.usage();
    const counted = meter.counted();
    const output = this.#sound.inWords(counted);
    this.#planNext(output, TOKENS_BETWEEN_REVIEWS);
    const prompt = this.#facts.promptTokens;
    const usage = reported ?? { ...emptyUsage('estimated'), prompt, tools: meter.tools?.() ?? {} };
    const { price, group } = this.#facts;
    const said = counted.completion > usage.completion ? withCompletion(usage, counted) : usage;
    const running = runningCost({ price, group, usage: { ...usage, ...said } });
    this.#running = running;
    this.#sound.learn(this.#bytes, Math.max(usage.completionAudio, counted.completionAudio));
    this.#lookedAtBytes = this.#bytes;
    this.#countLeft();
    if (this.#extension !== undefined) return undefined;
    // One review ahead: by the next look a further half slice may have gone out.
    const ahead = Math.max(TOKENS_BETWEEN_REVIEWS, unreadTokens);
    const needed = running + Math.ceil((this.#slice * ahead) / HELD_OUTPUT_TOKENS.streamed);
    this.#isUnanswered = false;
    if (needed < this.#held) return undefined;
    // Sound says far less than it looks like: what an ample balance holds for one event pays for many with a slice more.
    const further = unreadTokens > 0 && this.#caution === 1 ? this.#slice : 0;
    const comfortable = Math.max(extensionAmount({ running, held: this.#held }), needed + further - this.#held);
    const refusal = await this.#extend([comfortable, running + this.#slice - this.#held]);
    this.#countLeft();
    if (refusal === undefined) return undefined;
    if (running >= this.#held) return refusal;
    this.#planNext(output, Math.min(TOKENS_BETWEEN_REVIEWS, Math.max(LEAST_TOKENS, this.#tokensLeft)));
    return undefined;
  }

  #countLeft(): void {
    this.#tokensLeft = ((this.#held - this.#running) / Math.max(1, this.#slice)) * HELD_OUTPUT_TOKENS.streamed;
  }

  #extend(amounts: readonly number[]): Promise<TollgateError | undefined> {
    this.#extension = this.#tryInTurn(amounts).finally(() => {
      this.#extension = undefined;
    });
    return this.#extension;
  }

  /** The comfortable amount first; resolves to the last refusal. */
  async #tryInTurn(amounts: readonly number[]): Promise<TollgateError | undefined> {
    let refusal: TollgateError | undefined;
    for (const amount of amounts) {
      if (amount <= 0) continue;
      refusal = await this.#extendBy(amount);
      if (refusal === undefined) return undefined;
      this.#caution = 2;
    }
    return refusal;
  }

  async #extendBy(amount: number): Promise<TollgateError | undefined> {
    try {
      await this.#facts.extend(amount);
      this.#held += amount;
      return undefined;
    } catch (error) {
      if (isQuotaRefusal(error)) return error;
      // Accounting trouble does not cut a running answer: the next review asks again.
      this.#isUnanswered = true;
      return undefined;
    }
  }

  /** By a guess, since reading all of an answer to know costs more than passing it on. */
  #planFirst(bytes: Buffer): void {
    this.#opening.push(bytes);
    const bytesPerToken = guessBytesPerToken(bytes) ?? this.#guessByOpening();
    if (bytesPerToken === undefined) return;
    this.#isPlanned = true;
    this.#opening = [];
    this.#bytesPerToken = bytesPerToken;
    const tokens = this.#caution === 1 ? TOKENS_BEFORE_REVIEW : CAUTIOUS_TOKENS_BEFORE_REVIEW / this.#caution;
    this.#reviewAtBytes = bytesFor(tokens * bytesPerToken);
  }

  /** Events that come one by one tell their words from their wrapping only together: looked at now and then, not each time. */
  #guessByOpening(): number | undefined {
    const isTime = this.#opening.length % COMPARED_EVENTS === 0;
    return isTime ? guessBytesPerToken(Buffer.concat(this.#opening)) : undefined;
  }

  #planNext(output: number, tokens: number): void {
    this.#bytesPerToken = output === 0 ? MOST_BYTES : this.#bytes / output;
    this.#isPlanned = true;
    this.#opening = [];
    this.#reviewAtBytes = this.#bytes + bytesFor(tokens * this.#bytesPerToken);
  }
}

function bytesFor(wanted: number): number {
  return Math.min(MOST_BYTES, Math.max(LEAST_BYTES, Math.floor(wanted)));
}
