/**
 * Steps 7 and 8: one upstream try. Sends the planned request and judges the first bytes of the answer: a refusal, an
 * error inside a 200 and an empty answer are failures; anything else is a reply that can be delivered.
 */
import type { UpstreamFailure } from '../errors.ts';
import type { Usage } from '../relay/canonical/usage.ts';
import { PieceList } from '../relay/framing/piece-list.ts';
import { type Reframer, reframerOf } from '../relay/framing/reframe.ts';
import type { FurtherQuestion } from '../relay/further-question.ts';
import type { JsonObject } from '../relay/json.ts';
import {
  type OutgoingCall,
  type OutgoingRequest,
  type ReplyHeaders,
  type ReplyReceiver,
  type Transport,
  TransportError,
} from '../upstream/transport.ts';
import { askClosing, tellToStop } from './afterwards.ts';
import { brokenTransport, type FailedAttempt, foreignRefusal, interrupted, unusableReply } from './attempt-failure.ts';
import { Questions, refused } from './follow-up.ts';
import { failureOf } from './kept-words.ts';
import type { Lane, StreamCollector, StreamReader } from './lane.ts';
import { hasLastWord, isAnswer, isWholeAnyway, wholeOf } from './lane.ts';
import type { Plan } from './plan.ts';
import { openingPortion, Portions } from './portions.ts';
import type { AttemptResult, LiveStream, StreamListener } from './reply.ts';
import { MAX_ERROR_BYTES, refusalText, TypedReply } from './typed-reply.ts';

/** Largest answer that is read as a whole. */
const MAX_WHOLE_BYTES = 128 * 1024 * 1024;
/** An opening without any output is held back up to here; then it is delivered as it is. */
const MAX_HELD_BYTES = 256 * 1024;

type Mode = 'waiting' | 'refusal' | 'whole' | 'stream' | 'collect';

export class Attempt implements ReplyReceiver, LiveStream {
  readonly #plan: Plan;
  readonly #wantsStream: boolean;
  readonly #nowMs: () => number;
  readonly #startedMs = performance.now();
  #mode: Mode = 'waiting';
  #status = 0;
  #headers: ReplyHeaders = {};
  readonly #pieces = new PieceList();
  #bytes = 0;
  #reframe: Reframer | undefined;
  #reader: StreamReader | undefined;
  #collector: StreamCollector | undefined;
  #listener: StreamListener | undefined;
  /** Of a stream: what may be read on, in its order. */
  readonly #portions = new Portions(
    (events) => this.#portionOf(events),
    (events) => this.#readStream(events),
  );
  #isPaused = false;
  /** How the stream ended while nobody listened yet. */
  #ending: 'open' | 'ended' | TransportError = 'open';
  #call: OutgoingCall | undefined;
  #transport: Transport | undefined;
  /** What the answer that runs has been asked by; undefined: by the plan's request, or nothing is awaited any more. */
  #question: FurtherQuestion | undefined;
  #questions: Questions | undefined;
  #passes = false;
  #settled = false;
  #firstOutputMs: number | undefined;
  #resolve: (result: AttemptResult) => void = () => {};

  /** @param deps.nowMs Unix milliseconds, for dates in upstream headers */
  constructor(plan: Plan, deps: { wantsStream: boolean; nowMs: () => number }) {
    this.#plan = plan;
    this.#wantsStream = deps.wantsStream;
    this.#nowMs = deps.nowMs;
  }

  /** Sends the request; resolves once the reply can be judged. */
  run(transport: Transport): Promise<AttemptResult> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#transport = transport;
      this.#call = transport.send(this.#plan.request, new TypedReply(this, this.#plan.call.capability));
    });
  }

  /** The client left: nothing more is wanted. */
  callOff(): void {
    this.abort();
    if (this.#settled) this.#listener?.onBroken(new TransportError('total-timeout', true));
    const answered = this.#mode !== 'waiting' && this.#mode !== 'refusal';
    const heard = this.#reader?.usage() === undefined ? undefined : this.#reader;
    this.#finish({ kind: 'called-off', answered, ...(heard === undefined ? {} : { heard }) });
  }

  /** The node stops and will not wait for the answer any longer. */
  interrupt(): void {
    if (this.#settled) return;
    this.#fail(interrupted(this.#plan));
  }

  /** Monotonic time of the first output; undefined while there was none. */
  get firstOutputMs(): number | undefined {
    return this.#firstOutputMs;
  }

  /** Milliseconds from the beginning to the first output; undefined while there was none. */
  get firstOutputAgeMs(): number | undefined {
    return this.#firstOutputMs === undefined ? undefined : this.#firstOutputMs - this.#startedMs;
  }

  /** Milliseconds since the attempt began. */
  get ageMs(): number {
    return performance.now() - this.#startedMs;
  }

  get contentType(): string | undefined {
    return this.#passes && this.#reader?.writesEvents !== true ? this.#type : undefined;
  }

  get reader(): StreamReader {
    if (this.#reader === undefined) throw new TypeError('the attempt has no stream');
    return this.#reader;
  }

  /** The error object inside the stream, as the provider's adapter reads it; undefined when there is none. */
  reportedFailure(): UpstreamFailure | undefined {
    const error = this.#reader?.error;
    return error === undefined ? undefined : this.#readFailure(JSON.stringify(error));
  }

  attach(listener: StreamListener): void {
    this.#listener = listener;
    // As one piece: an error behind it ends the delivery after the first look.
    const held = this.#pieces.take();
    if (held.length > 0) listener.onBytes(held);
    if (this.#ending === 'ended') listener.onEnd();
    else if (this.#ending !== 'open') listener.onBroken(this.#ending);
    this.#portions.goOn();
  }

  pause(waitingBytes: number): void {
    this.#isPaused = true;
    this.#call?.pause(waitingBytes);
  }

  /** Nothing more is asked for before what is unread has gone on without another pause. */
  resume(): void {
    this.#isPaused = false;
    this.#portions.goOn();
    if (!this.#isPaused) this.#call?.resume();
  }

  /** An upstream that would go on by itself is told that nobody waits any longer. */
  abort(): void {
    this.#portions.drop();
    this.#call?.abort();
    const path = this.#question?.callOff;
    this.#question = undefined;
    if (path !== undefined && this.#transport !== undefined) tellToStop(this.#transport, this.#plan, path);
  }

  onHead(status: number, headers: ReplyHeaders): void {
    this.#status = status;
    this.#headers = headers;
    const contentType = this.#type;
    this.#reframe = reframerOf(contentType);
    const isStream = this.#reframe !== undefined || /^text\/event-stream/i.test(contentType);
    if (status < 200 || status > 299) this.#mode = 'refusal';
    else if (!isStream && this.#plan.lane.passes?.(contentType) !== true) this.#mode = 'whole';
    else if (this.#wantsStream || !isStream) {
      this.#passes = !isStream;
      this.#mode = 'stream';
      this.#reader = this.#plan.lane.stream(contentType);
    } else {
      this.#mode = 'collect';
      this.#collector = this.#plan.lane.collect();
    }
  }

  onData(chunk: Buffer): void {
    if (this.#mode === 'stream') this.#pushStream(chunk);
    else if (this.#mode === 'collect') {
      // Nobody waits for a first token of an answer that is collected anyway.
      this.#call?.tokenSeen();
      this.#guarded(() => {
        const events = this.#eventsOf(chunk);
        if (events !== undefined) this.#collector?.push(events);
      });
      if (this.#collector?.isComplete === true) this.#close();
    } else this.#keep(chunk);
  }

  onEnd(): void {
    // The last line of a stream of lines may lack its end.
    if (this.#reframe !== undefined) this.onData(Buffer.from('\n'));
    this.#portions.end(() => this.#ended());
  }

  onError(error: TransportError): void {
    this.#portions.end(() => this.#broken(error));
  }

  #ended(): void {
    if ((this.#mode === 'stream' || this.#mode === 'collect') && this.#close()) return;
    if (this.#mode === 'refusal') this.#refuse();
    else if (this.#mode === 'stream') this.#endStream();
    else
      this.#guarded(() => {
        if (this.#mode === 'collect' && this.#collector !== undefined) this.#judge(this.#collector.end());
        else this.#judgeWhole(wholeOf(this.#plan, this.#pieces.take(), this.#headers));
      });
  }

  #broken(error: TransportError): void {
    if (this.#mode === 'refusal' && error.kind !== 'undecodable') this.#refuse();
    else if (this.#settled && hasLastWord(this.#reader)) this.#endStream();
    else if (this.#settled) this.#breakOff(error);
    else if (isWholeAnyway(error, this.#mode === 'whole' ? this.#pieces : this.#collector)) this.onEnd();
    else if (this.#questions?.again(this.#question, error) !== true)
      this.#fail(brokenTransport(this.#plan, error, this.#mode === 'waiting' ? 'before-head' : 'in-body'));
  }

  #breakOff(error: TransportError): void {
    this.#ending = error;
    this.#listener?.onBroken(error);
  }

  get #type(): string {
    return this.#headers['content-type'] ?? '';
  }

  /** Asks again where the answer is still being made, and judges what is one. */
  #judgeWhole(answer: ReturnType<Lane['whole']>): void {
    this.#question = undefined;
    if (isAnswer(answer) || answer.kind !== 'follow-up') this.#judge(answer);
    else {
      this.#question = answer;
      this.#questions ??= new Questions(this.#plan, (request) => this.#ask(request));
      if (this.#questions.next(answer)) return;
      this.#fail(brokenTransport(this.#plan, new TransportError('total-timeout', true), 'in-body'));
    }
  }

  #ask(request: OutgoingRequest): void {
    if (this.#settled || this.#transport === undefined) return;
    this.#mode = 'waiting';
    this.#pieces.take();
    this.#bytes = 0;
    this.#call = this.#transport.send(request, new TypedReply(this, this.#plan.call.capability));
  }

  #pushStream(chunk: Buffer): void {
    this.#guarded(() => {
      const events = this.#eventsOf(chunk);
      if (events !== undefined) this.#portions.offer(events);
    });
  }

  /** Bytes that are no events say nothing of tokens; before anybody listens, only the first output is wanted. */
  #portionOf(events: Buffer): number {
    if (this.#passes) return events.length;
    if (this.#listener !== undefined) return this.#listener.portion?.(events) ?? events.length;
    return this.#settled ? 0 : openingPortion(events);
  }

  #readStream(events: Buffer): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    this.#guarded(() => {
      const bytes = reader.push(events);
      if (reader.hasOutput && this.#firstOutputMs === undefined) {
        this.#firstOutputMs = performance.now();
        this.#call?.tokenSeen();
      }
      if (bytes !== undefined) this.#pass(bytes);
      if (!this.#settled) this.#judgeOpening(reader);
    });
    if (this.#question !== undefined && reader.isComplete) this.#close();
  }

  /** Asks what the end of a stream leaves to be asked; its answer is the last event, and then the stream ends. */
  #close(): boolean {
    // Most answers have none: every stream comes by here.
    if (this.#question === undefined || this.#transport === undefined) return false;
    const { closing, ...rest } = this.#question;
    if (closing === undefined) return false;
    this.#question = rest;
    this.#call?.abort();
    // An end that waited behind what was just read is not the end yet.
    this.#portions.end(() => undefined);
    askClosing(this.#transport, this.#plan, closing).then((event) => {
      if (event !== undefined) this.onData(event);
      this.onEnd();
    });
    return true;
  }

  /** What came, as server-sent events. */
  #eventsOf(chunk: Buffer): Buffer | undefined {
    return this.#reframe === undefined ? chunk : this.#reframe(chunk);
  }

  #pass(bytes: Buffer): void {
    if (this.#listener !== undefined) this.#listener.onBytes(bytes);
    else {
      this.#pieces.push(bytes);
      this.#bytes += bytes.length;
    }
  }

  /** Nothing has been delivered yet: an error fails the attempt, the first output makes it a reply. */
  #judgeOpening(reader: StreamReader): void {
    if (reader.hasOutput || this.#bytes > MAX_HELD_BYTES) {
      this.#finish({ kind: 'reply', reply: { kind: 'stream', live: this, headers: this.#headers } });
    } else if (reader.error !== undefined) {
      this.#question = undefined;
      this.#unusable(reader.error);
    }
  }

  #endStream(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    this.#guarded(() => {
      const rest = reader.end();
      if (rest !== undefined) this.#pass(rest);
    });
    this.#ending = 'ended';
    if (this.#settled) this.#listener?.onEnd();
    else if (reader.error !== undefined && !reader.hasOutput) this.#unusable(reader.error);
    else if (reader.hasOutput || (reader.isComplete && reader.usage() !== undefined)) {
      this.#finish({ kind: 'reply', reply: { kind: 'stream', live: this, headers: this.#headers } });
    } else this.#fail(unusableReply(this.#plan, 'empty_response'));
  }

  #judge(answer: ReturnType<StreamCollector['end']>): void {
    if (isAnswer(answer)) {
      this.#firstOutputMs = performance.now();
      this.#finish({ kind: 'reply', reply: { kind: 'whole', answer, headers: this.#headers } });
    } else if (answer.kind === 'error') this.#unusable(answer.body, answer.usage);
    else if (answer.kind === 'unfinished') {
      this.#fail(brokenTransport(this.#plan, new TransportError('reset', true), 'in-body'));
    } else {
      const code = answer.kind === 'empty' ? 'empty_response' : 'bad_response_body';
      this.#fail(unusableReply(this.#plan, code), answer.usage);
    }
  }

  /** An error object inside a 200. */
  #unusable(body: JsonObject, usage?: Usage): void {
    this.#fail({ failure: this.#readFailure(JSON.stringify(body)), nature: 'unusable' }, usage);
  }

  #refuse(): void {
    const said = refusalText(this.#pieces.take());
    if (this.#question?.address !== undefined) this.#fail(foreignRefusal(this.#plan, this.#status, said));
    else
      this.#guarded(() => {
        const failure = this.#readFailure(said);
        if (this.#questions?.again(this.#question, failure) !== true) this.#fail(refused(failure, this.#question));
      });
  }

  #readFailure(body: string): UpstreamFailure {
    return failureOf(this.#plan, { status: this.#status, headers: this.#headers, body, nowMs: this.#nowMs() });
  }

  #keep(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#mode === 'refusal' && this.#bytes > MAX_ERROR_BYTES) {
      this.#call?.abort();
      this.#refuse();
    } else if (this.#bytes > MAX_WHOLE_BYTES) this.#fail(unusableReply(this.#plan, 'bad_response_body'));
    else this.#pieces.push(chunk);
  }

  /** A reader that cannot go on (an endless event, a translation that fails) ends the call like a broken body. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (cause) {
      this.#portions.drop();
      this.#call?.abort();
      if (this.#settled) this.#breakOff(new TransportError('undecodable', true, cause));
      else this.#fail(unusableReply(this.#plan, 'bad_response_body', cause));
    }
  }

  #fail(failed: FailedAttempt, used?: Usage): void {
    this.abort();
    const usage = used ?? this.#reader?.usage() ?? this.#collector?.usage?.();
    this.#finish({ kind: 'failed', failed: usage === undefined ? failed : { ...failed, spent: { usage } } });
  }

  #finish(result: AttemptResult): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#resolve(result);
  }
}
