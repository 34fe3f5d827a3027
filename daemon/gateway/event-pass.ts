/** Events of calls on their way through: whole events go on as they came, the few that matter are read in passing. */
import type { MediaFacts } from '../relay/call-format.ts';
import type { CallEvents } from '../relay/calls/events.ts';
import { type CountedOutput, mergeUsage, type Usage } from '../relay/canonical/usage.ts';
import { asObject, parseJson } from '../relay/formats/fields.ts';
import { usageOfImages } from '../relay/formats/openai-images/usage.ts';
import { SseSplitter } from '../relay/framing/sse.ts';
import type { JsonObject } from '../relay/json.ts';
import { type EventSpan, eventsIn, fieldsAlone, isTorn, payloadOf, StreamEvent } from '../relay/native-events.ts';
import { TextMeter, tokenFamilyOf } from '../relay/tokens/estimate.ts';
import type { ShownError } from './failure-answer.ts';
import type { StreamReader } from './lane.ts';

export interface EventPassOptions {
  readonly events: CallEvents;
  /** Decides whose token weights apply. */
  readonly model: string;
  /** Given the sound that events bring. */
  readonly hear?: ((piece: Buffer) => void) | undefined;
  /** What request and sound tell of the usage, where the upstream reports none. */
  readonly usage?: (() => Usage | undefined) | undefined;
  /** What the log tells of images or audio. */
  readonly media?: ((images: number, end: JsonObject | undefined) => MediaFacts) | undefined;
}

/** Enough of an event to find its type in, however long the rest is. */
const OPENING_BYTES = 400;

export class EventPass implements StreamReader {
  readonly #options: EventPassOptions;
  readonly #splitter = new SseSplitter();
  readonly #text: TextMeter;
  #usage: Usage | undefined;
  #images = 0;
  #end: JsonObject | undefined;
  #error: JsonObject | undefined;
  #hasOutput = false;
  #isComplete = false;
  readonly stored = undefined;

  constructor(options: EventPassOptions) {
    this.#options = options;
    this.#text = new TextMeter(tokenFamilyOf(options.model));
  }

  get hasOutput(): boolean {
    return this.#hasOutput;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  get error(): JsonObject | undefined {
    return this.#error;
  }

  get media(): MediaFacts {
    return this.#options.media?.(this.#images, this.#end) ?? {};
  }

  usage(): Usage | undefined {
    const { events, usage } = this.#options;
    if (events.brings !== undefined) {
      return this.#images === 0 && this.#usage === undefined ? undefined : usageOfImages(this.#usage, this.#images);
    }
    return this.#usage ?? usage?.();
  }

  counted(): CountedOutput {
    return { completion: this.#text.tokens, completionAudio: 0 };
  }

  isBlank(): boolean {
    return !this.#hasOutput;
  }

  push(chunk: Buffer): Buffer | undefined {
    const slice = this.#splitter.push(chunk);
    return slice === undefined ? undefined : this.#pass(slice);
  }

  end(): Buffer | undefined {
    const rest = this.#splitter.end();
    return rest === undefined || isTorn(rest) ? undefined : this.#pass(rest);
  }

  fail(error: ShownError): Buffer {
    return this.#options.events.fail(error);
  }

  #pass(whole: Buffer): Buffer | undefined {
    const slice = fieldsAlone(whole);
    for (const span of eventsIn(slice)) {
      if (this.#error === undefined) this.#see(slice, span);
      if (this.#error !== undefined) return span.start === 0 ? undefined : slice.subarray(0, span.start);
    }
    return slice.length === 0 ? undefined : slice;
  }

  #see(slice: Buffer, span: EventSpan): void {
    const type = typeOf(slice, span);
    const { events } = this.#options;
    if (type === 'error' || type === undefined) {
      const { json } = new StreamEvent(slice, span);
      if (json?.error !== undefined && json.error !== null) this.#error = json;
      return;
    }
    this.#hasOutput = true;
    if (events.brings?.test(type) === true) this.#images += 1;
    if (events.textOf !== undefined) this.#text.add(events.textOf(new StreamEvent(slice, span).json ?? {}) ?? '');
    // All of it, of which the outline of a large event shows the beginning alone.
    if (events.soundOf !== undefined) this.#hear(events.soundOf(asObject(parseJson(payloadOf(slice, span))) ?? {}));
    if (!events.ends.test(type)) return;
    this.#isComplete = true;
    this.#end = new StreamEvent(slice, span).json;
    const usage = this.#end && events.readUsage(this.#end);
    if (usage !== undefined) this.#usage = mergeUsage(this.#usage, usage);
  }

  #hear(piece: Buffer | undefined): void {
    if (piece !== undefined) this.#options.hear?.(piece);
  }
}

/** The event's name, or the type that its payload begins with. */
function typeOf(slice: Buffer, { start, end }: EventSpan): string | undefined {
  const opening = slice.toString('latin1', start, Math.min(end, start + OPENING_BYTES));
  const named = /^event: ?(\S+)$/m.exec(opening)?.[1];
  return named ?? /"type" ?: ?"([\w.]+)"/.exec(opening)?.[1];
}
