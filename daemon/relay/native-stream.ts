/**
 * The native lane's stream: bytes of whole events go on as they came, and what must be known of them is read in
 * passing, as late and as little as possible. Only events that the client must not see as they are get touched: a
 * usage report that is unasked for or not the last one, a mapped model name, an error of the upstream.
 */
import { TollgateError } from '../errors.ts';
import { editAnswer } from './body-edit.ts';
import {
  type CountedOutput,
  emptyUsage,
  mergeUsage,
  type ToolCounts,
  type Usage,
  withTools,
} from './canonical/usage.ts';
import type { ClientError } from './error-body.ts';
import { SseSplitter } from './framing/sse.ts';
import type { JsonObject } from './json.ts';
import {
  type EventSpan,
  endMarkIn,
  eventAround,
  eventsIn,
  fieldsAlone,
  isTorn,
  lastWithout,
  mayEnd,
  nothing,
  opensAnotherDialect,
  patched,
  payloadOf,
  type SlicePatch,
  StreamEvent,
  withErrorWord,
  withReport,
} from './native-events.ts';
import type { StreamProfile, StreamTail, ToolMark } from './native-profile.ts';
import { StreamTap } from './native-tap.ts';
import { ShownUsage } from './native-usage.ts';
import { NativeWording, type WordingOptions } from './native-wording.ts';
import { type StoredAnswer, storedAnswer } from './stored-answer.ts';
import { tokenFamilyOf } from './tokens/estimate.ts';
import { madeImageTokens } from './tokens/image-tokens.ts';

export interface NativeStreamOptions extends WordingOptions {
  readonly profile: StreamProfile;
  /** The client did not ask to see usage. Without effect where the protocol always shows it. */
  readonly hideUsage: boolean;
  /** Decides whose token weights apply; default `model`. */
  readonly countedAs?: string;
  /** Estimate of the prompt, for a usage report that the upstream did not send. */
  readonly promptTokens: () => number;
  /** The answer is to be heard: what it says aloud may be handed out behind its first words. */
  readonly isHeard?: boolean;
  /** The vendor tells of failures in a report beside a piece of the answer, too. */
  readonly reportsBeside?: boolean;
  /** For protocols that name it in the error that ends a stream. */
  readonly requestId?: string;
}

const audioMark = Buffer.from('"audio"');
const endMarkEvent = Buffer.from('data: [DONE]\n\n');
const USAGE_MEMBER_REACH = 12;
const byte = { openBrace: 0x7b, closeBrace: 0x7d } as const;

/** One answer on its way through. Feed it with `push`, then close it with `end` or `fail`. */
export class NativeStream {
  readonly #options: NativeStreamOptions;
  readonly #splitter = new SseSplitter();
  readonly #tap: StreamTap;
  readonly #readUsage: (event: JsonObject) => Usage | undefined;
  readonly #wording: NativeWording;
  /** Undefined for a client that is shown no usage, or all of it. */
  readonly #shown: ShownUsage | undefined;
  #usage: Usage | undefined;
  #tools: ToolCounts | undefined;
  #first: StreamEvent | undefined;
  #error: JsonObject | undefined;
  #handedOut: string | undefined;
  #output: 'none' | 'blank' | 'present' = 'none';
  #sawEndMark = false;
  #sentEndMark = false;
  #isComplete = false;

  constructor(options: NativeStreamOptions) {
    this.#options = options;
    this.#tap = new StreamTap(options.profile, tokenFamilyOf(options.countedAs ?? options.model));
    this.#readUsage = options.profile.usageReader();
    this.#shown = options.profile.usageOnRequest && !options.hideUsage ? new ShownUsage(options.profile) : undefined;
    this.#wording = new NativeWording(options);
  }

  /** The error object that the upstream put into the stream. Nothing of it, or after it, is passed on. */
  get error(): JsonObject | undefined {
    return this.#error;
  }

  /** Text, reasoning, a tool call, a refusal or media has come. */
  get hasOutput(): boolean {
    return this.#output !== 'none';
  }

  /** The answer came to its end. Meaningful after `end`. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Undefined where no upstream keeps answers of this format. */
  get stored(): StoredAnswer | undefined {
    const response = this.#first && this.#options.profile.storedResponse?.(this.#first);
    return response && storedAnswer(response, () => this.#tap.items());
  }

  /** The id under which the upstream keeps something of the answer that is not stored as a whole. */
  get handedOut(): string | undefined {
    return this.#handedOut;
  }

  /** By what a thread goes on from this answer; undefined where there are no threads. */
  get messageId(): string | undefined {
    const first = this.#first?.json;
    return first && this.#options.profile.messageId?.(first);
  }

  /** Ids of the files that hosted tools made, as far as the answer has come; reads them when asked. */
  madeFiles(): readonly string[] {
    // Of an answer that is stored, items are parts of it and no files.
    if (this.#options.profile.storedResponse !== undefined) return [];
    return this.#tap.items().flatMap(({ id }) => id ?? []);
  }

  /** What the upstream has reported so far: each field's last value above 0. */
  usage(): Usage | undefined {
    return withTools(this.#usage, this.#tools);
  }

  /** Tools that the upstream ran, also where it reports no usage; may read the stream, as `counted`. */
  tools(): ToolCounts | undefined {
    return this.#tools ?? this.#tap.record().tools?.();
  }

  /** Output counted locally; reads whatever was not read yet, so ask only where it matters. */
  counted(): CountedOutput {
    return this.#tap.counted(madeImageTokens(this.#options.countedAs ?? this.#options.model));
  }

  /** The upstream has said how the answer ended; reads whatever was not read yet, so ask only of one that broke off. */
  hasSaidItsEnd(): boolean {
    return this.#tap.record().saidItsEnd ?? this.#tap.finish() !== 'none';
  }

  /** Nothing but white space came, and not because a limit or filter cut it. */
  isBlank(): boolean {
    return this.#output !== 'present' && !this.#tap.wasCut();
  }

  /**
   * Bytes for the client that are complete by now. `chunk` belongs to the stream from here on and may be changed.
   * Throws `bad_response_body` for an event above 64 MiB, and where the stream opens in another dialect.
   */
  push(chunk: Buffer): Buffer | undefined {
    if (this.#isClosed()) return undefined;
    const slice = this.#splitter.push(chunk);
    return slice === undefined ? undefined : this.#pass(slice);
  }

  /** The upstream's body ended: what the client still has to get. */
  end(): Buffer | undefined {
    const rest = this.#splitter.end();
    const pieces = rest === undefined || this.#isClosed() || isTorn(rest) ? [] : [this.#pass(rest) ?? nothing];
    if (this.#error === undefined) {
      const held = this.#heldBack();
      if (held.length > 0) pieces.push(held);
      this.#isComplete = this.#sawEndMark || this.#tap.finish() !== 'none';
      if (this.#isComplete) pieces.push(...this.#closing());
    }
    return pieces.length === 0 ? undefined : Buffer.concat(pieces);
  }

  /** The last bytes of a stream that ends badly (relay.md 4.6). */
  fail(error: ClientError): Buffer {
    const held = this.#heldBack();
    const usage = this.#owesUsage ? this.#shownUsage() : undefined;
    const last = this.#tap.record().end(error, { ...this.#tail(), usage });
    return held.length === 0 ? last : Buffer.concat([held, last]);
  }

  /** Nothing that still comes concerns the client. */
  #isClosed(): boolean {
    return this.#error !== undefined || this.#sawEndMark;
  }

  #pass(whole: Buffer): Buffer | undefined {
    const clean = this.#beforeError(fieldsAlone(whole));
    if (this.#options.profile.tools !== undefined) this.#noteTools(clean, this.#options.profile.tools);
    const isAnswer = this.#output === 'present' || this.#readOpening(clean);
    if (this.#options.isHeard === true) this.#noteSpeech(clean);
    const slice = this.#beforeEndMark(this.#takeUsage(clean));
    if (!isAnswer) return undefined;
    if (slice.length > 0) this.#tap.keep(slice);
    const shown = this.#wording.apply(slice);
    // An end mark that was held back follows the report that is known by now.
    if (this.#sawEndMark && !this.#sentEndMark && this.#usage !== undefined) {
      return Buffer.concat([shown, ...this.#closing()]);
    }
    return shown.length === 0 ? undefined : shown;
  }

  /** The event whose report waited for what follows: nothing does. */
  #heldBack(): Buffer {
    const event = this.#shown?.ending();
    if (event === undefined) return nothing;
    this.#tap.keep(event);
    return this.#wording.apply(event);
  }

  /** The part of the slice before the first event that tells of a failure. */
  #beforeError(slice: Buffer): Buffer {
    const { answerMark } = this.#options.profile;
    for (const span of withErrorWord(slice)) if (this.#isError(slice, span)) return slice.subarray(0, span.start);
    if (this.#options.reportsBeside === true) {
      for (const span of withReport(slice)) if (this.#isError(slice, span)) return slice.subarray(0, span.start);
    }
    if (answerMark === undefined) return slice;
    for (const span of lastWithout(answerMark, slice))
      if (this.#isError(slice, span)) return slice.subarray(0, span.start);
    return slice;
  }

  #isError(slice: Buffer, span: EventSpan): boolean {
    const event = new StreamEvent(slice, span);
    if (!this.#options.profile.isError(event)) return false;
    this.#error = event.json;
    // Of an answer that failed the vendor may still tell what it used (`response.failed`).
    this.#noteUsage(event.json);
    return true;
  }

  /** Returns what the event itself reports. */
  #noteUsage(json: JsonObject | undefined): Usage | undefined {
    const usage = json && this.#readUsage(json);
    if (usage !== undefined) this.#usage = mergeUsage(this.#usage, usage);
    return usage;
  }

  /** Reads every usage report of the slice, and takes it out where it is not the one that the client asked for. */
  #takeUsage(slice: Buffer): Buffer {
    const { profile } = this.#options;
    const patches: SlicePatch[] = [];
    const { usageMark } = profile;
    const before = slice.length === 0 ? undefined : this.#shown?.before(slice);
    let at = slice.indexOf(usageMark);
    while (at >= 0) {
      let next = at + usageMark.length;
      if (profile.usageMember.test(slice.toString('latin1', Math.max(0, at - USAGE_MEMBER_REACH), at))) {
        const span = eventAround(slice, at);
        next = span.end;
        const event = new StreamEvent(slice, span);
        const { json } = event;
        const usage = this.#noteUsage(json);
        this.#noteHandedOut(event);
        if (json !== undefined && profile.usageOnRequest) {
          const whole = withoutUsage(slice, span, profile.hideUsage(json));
          const report = whole && { slice, span, event, usage, patch: whole };
          const patch = report && this.#shown !== undefined ? this.#shown.take(report, this.#usage) : whole;
          if (patch !== undefined) patches.push(patch);
        }
      }
      at = slice.indexOf(usageMark, next);
    }
    const rest = patched(slice, patches);
    return before === undefined || before.length === 0 ? rest : Buffer.concat([before, rest]);
  }

  /** Reads every event of the slice that tells of tools beside usage. */
  #noteTools(slice: Buffer, { mark, before, read }: ToolMark): void {
    let at = slice.indexOf(mark);
    while (at >= 0) {
      let next = at + mark.length;
      if (slice.toString('latin1', Math.max(0, at - before.length), at) === before) {
        const span = eventAround(slice, at);
        next = span.end;
        const { json } = new StreamEvent(slice, span);
        const tools = json && read(json);
        if (tools !== undefined) this.#tools = { ...this.#tools, ...tools };
      }
      at = slice.indexOf(mark, next);
    }
  }

  /** Notes the end mark and holds it back while the client has yet to see usage. */
  #beforeEndMark(slice: Buffer): Buffer {
    const { endMark } = this.#options.profile;
    const mark = mayEnd(slice) ? endMarkIn(slice) : undefined;
    if (mark === undefined) return slice;
    if (endMark === undefined) return slice.subarray(0, mark.start);
    this.#sawEndMark = true;
    if (this.#owesUsage) return slice.subarray(0, mark.start);
    this.#sentEndMark = true;
    return slice.subarray(0, mark.end);
  }

  /** Looks for the first output. False when the answer turns out to be an error, which then is not passed on. */
  #readOpening(slice: Buffer): boolean {
    const { profile } = this.#options;
    for (const span of eventsIn(slice)) {
      const event = new StreamEvent(slice, span);
      if (this.#first === undefined && profile.isError(event)) {
        this.#error = event.json;
        return false;
      }
      const facts = profile.readEvent(event);
      if (facts === undefined) {
        if (opensAnotherDialect(event)) throw new TollgateError('bad_response_body');
        continue;
      }
      this.#first ??= event;
      if (facts.isSubstantial || facts.hasMedia || facts.text.trim() !== '') {
        this.#output = 'present';
        this.#noteHandedOut(event);
        return true;
      }
      if (facts.text !== '') this.#output = 'blank';
    }
    return true;
  }

  /** Reads events that bring sound until one has told its id. */
  #noteSpeech(slice: Buffer): void {
    let at = slice.indexOf(audioMark);
    while (at >= 0 && this.#handedOut === undefined) {
      const span = eventAround(slice, at);
      this.#noteHandedOut(new StreamEvent(slice, span));
      at = slice.indexOf(audioMark, span.end);
    }
  }

  #noteHandedOut(event: StreamEvent): void {
    const { handedOut } = this.#options.profile;
    if (handedOut !== undefined && event.json !== undefined) this.#handedOut = handedOut(event.json) ?? this.#handedOut;
  }

  get #owesUsage(): boolean {
    return this.#shown?.isSent === false;
  }

  #shownUsage(): Usage {
    return this.#usage ?? { ...emptyUsage('estimated'), prompt: this.#options.promptTokens(), ...this.counted() };
  }

  #tail(): StreamTail {
    const { renameModel, model, requestId = '' } = this.#options;
    return { first: this.#first, model, isRenamed: renameModel, requestId };
  }

  #closing(): Buffer[] {
    const { profile } = this.#options;
    const pieces: Buffer[] = [];
    const held = this.#heldBack();
    if (held.length > 0) pieces.push(held);
    if (this.#shown?.isSent === false) {
      const own = this.#shown.own(this.#usage);
      pieces.push(profile.usageEvent(this.#shownUsage(), this.#tail(), own) ?? nothing);
      this.#shown.isSent = true;
    }
    if (!this.#sentEndMark) {
      if (profile.endMark !== undefined) pieces.push(endMarkEvent);
      if (profile.lastEvent !== undefined && !this.#tap.sawLast()) pieces.push(profile.lastEvent);
    }
    this.#sentEndMark = true;
    return pieces;
  }
}

function withoutUsage(
  slice: Buffer,
  span: EventSpan,
  hidden: 'all' | readonly (readonly string[])[],
): SlicePatch | undefined {
  // Not by a spread, which makes an object of its own kind each time: 1 % of a call.
  if (hidden === 'all') return { start: span.start, end: span.end, bytes: nothing };
  const start = slice.indexOf(byte.openBrace, span.start);
  const end = slice.lastIndexOf(byte.closeBrace, span.end - 1) + 1;
  const payload = slice.subarray(start, end);
  // A payload over several lines has field names in between; nobody sends usage that way.
  if (payload.toString() !== payloadOf(slice, span)) return undefined;
  const bytes = editAnswer(
    payload,
    hidden.map((path) => ({ path, remove: true })),
  );
  return bytes === payload ? undefined : { start, end, bytes };
}
