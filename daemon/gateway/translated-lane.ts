/**
 * The translated lane: what the upstream says is decoded into the canonical shape and encoded for the client. The same
 * machinery serves an upstream of the client's own format that answers in another manner than it was asked: a stream
 * that is to become one body, and a body that is to become a stream (relay.md 5.3, 20.3).
 */
import { TollgateError } from '../errors.ts';
import type { FollowUp } from '../relay/call-format.ts';
import { isTextInput } from '../relay/canonical/arguments.ts';
import type { ChatRequest, ChatResponse, ChatTool, OutputItem } from '../relay/canonical/chat.ts';
import { AnswerCollector } from '../relay/canonical/collect.ts';
import type { ChatEvent } from '../relay/canonical/event.ts';
import { restoreNumbers, withExactArguments } from '../relay/canonical/exact-numbers.ts';
import { joinPieces } from '../relay/canonical/join-pieces.ts';
import { replayAnswer } from '../relay/canonical/replay.ts';
import type { EventReshaper } from '../relay/canonical/think-tags.ts';
import type { CountedOutput, ToolCounts, Usage } from '../relay/canonical/usage.ts';
import type { ChatFormat, Machine, Scope, UpstreamFormat, WireEvent } from '../relay/format.ts';
import { AnswerLosses } from '../relay/formats/answer-loss.ts';
import { asAnswer, parseJson } from '../relay/formats/fields.ts';
import { encodeEvents } from '../relay/framing/sse.ts';
import { madeFiles } from '../relay/handed-out.ts';
import { isObject, type JsonObject } from '../relay/json.ts';
import { type ItemNames, itemNames, type StoredAnswer, storedUnder } from '../relay/stored-answer.ts';
import { AnswerEvents } from './answer-events.ts';
import type { AnswerShape } from './answer-shape.ts';
import { ChatMeter } from './chat-meter.ts';
import { decodedAnswer } from './decoded.ts';
import type { ShownError } from './failure-answer.ts';
import type { Lane, StreamCollector, StreamReader, Unusable, WholeAnswer } from './lane.ts';
import { ownRefusal } from './own-refusal.ts';
import { missingUsage, withWholeUsage } from './told-usage.ts';

export interface Translation {
  /** Format of the client. */
  readonly client: ChatFormat;
  /** Format of the upstream. */
  readonly upstream: UpstreamFormat;
  /** The client's request, by which tools are known. */
  readonly request: ChatRequest;
  readonly scope: Scope;
  /** Decides whose token weights apply to an answer that its upstream does not count. */
  readonly countedAs: string;
  /** Estimate of the prompt, for usage that the client asked for and the upstream does not report. */
  readonly promptTokens: number;
  /** How the upstream was asked for its answer; default `whole`. */
  readonly manner?: 'stream' | 'whole';
  /** How the channel wants its answers; undefined: as they come. */
  readonly shape?: AnswerShape | undefined;
  /** The client is shown the model by the name that the upstream reports. */
  readonly showsUpstreamModel: boolean;
}

/** A lane between two chat formats, or between two manners of one. */
export function translatedLane(translation: Translation): Lane {
  const { client, upstream } = translation;
  return {
    conversion: client.id === upstream.id ? undefined : [client.id, upstream.id],
    whole: (body) => readWhole(translation, body),
    stream: () => new TranslatedStream(translation),
    collect: () => new TranslatedCollector(translation),
  };
}

function readWhole(translation: Translation, body: Buffer): WholeAnswer | Unusable | FollowUp {
  const json = asAnswer(parseJson(body.toString('utf8')));
  if (json === undefined) return { kind: 'unreadable' };
  const next = translation.upstream.followUp?.(json, translation.manner ?? 'whole');
  if (next !== undefined) return { kind: 'follow-up', ...next };
  try {
    return answerOf(translation, decodedAnswer(translation, json, body), json);
  } catch (error) {
    if (!(error instanceof TollgateError)) throw error;
    return unusable(translation, error, json);
  }
}

/** What a codec says of a success that is no answer; a prompt that was blocked is judged by the vendor's adapter. */
function unusable({ upstream }: Translation, error: TollgateError, body: JsonObject): Unusable {
  if (error.code === 'prompt_blocked') return { kind: 'error', body, usage: upstream.readUsage(body) };
  return { kind: error.code === 'empty_response' ? 'empty' : 'unreadable', usage: upstream.readUsage(body) };
}

function answerOf(translation: Translation, response: ChatResponse, raw: JsonObject): WholeAnswer | Unusable {
  if (response.error !== undefined)
    return { kind: 'error', body: isObject(response.error.raw) ? response.error.raw : raw, usage: response.usage };
  const answer = new TranslatedAnswer(translation, shaped(translation, response));
  const usage = answer.usage();
  return answer.isVoid || (!answer.hasOutput && usage === undefined) ? { kind: 'empty', usage } : answer;
}

/** The answer as the channel wants it. */
function shaped({ shape }: Translation, response: ChatResponse): ChatResponse {
  if (shape === undefined) return response;
  const reshaper = shape();
  const collector = new AnswerCollector();
  for (const told of replayAnswer(response)) for (const event of reshaper.push(told)) collector.push(event);
  return collector.result();
}

class TranslatedAnswer implements WholeAnswer {
  readonly #translation: Translation;
  readonly #response: ChatResponse;
  readonly #events: readonly ChatEvent[];
  readonly #meter: ChatMeter;

  constructor(translation: Translation, response: ChatResponse) {
    this.#translation = translation;
    this.#response = response;
    this.#meter = new ChatMeter(translation.countedAs);
    this.#events = replayAnswer(response);
    const losses = new AnswerLosses(translation.client.id, translation.scope);
    losses.seeParts(response);
    for (const event of this.#events) {
      this.#meter.see(event);
      losses.see(event);
    }
  }

  get hasOutput(): boolean {
    return this.#meter.hasOutput;
  }

  /** Only what it used is left of it. */
  get isVoid(): boolean {
    return this.#meter.isVoid;
  }

  get stored(): StoredAnswer | undefined {
    const items = this.#response.choices.flatMap((choice) => choice.items);
    return storedOf(this.#translation, this.#response.id, () => items.map(namesOf));
  }

  get handedOut(): string | undefined {
    return this.#meter.handedOut ?? this.madeFiles()[0];
  }

  madeFiles(): readonly string[] {
    if (!showsFiles(this.#translation)) return [];
    return this.#response.choices.flatMap((choice) => choice.items.flatMap(filesOf));
  }

  usage(): Usage | undefined {
    return this.#meter.usage();
  }

  tools(): ToolCounts | undefined {
    return this.#meter.tools();
  }

  counted(): CountedOutput {
    return this.#meter.counted();
  }

  isBlank(): boolean {
    return this.#meter.isBlank();
  }

  body(): Buffer {
    const { client, request } = this.#translation;
    const answer = withWholeUsage(this.#response, this.#translation, this.#meter);
    const written = JSON.stringify(client.encodeResponse(answer, request, this.#shownScope));
    // Some answers repeat the tools of their request.
    const json = request.numbers === undefined ? written : restoreNumbers(written);
    if (client.argumentsAsText === true && !request.tools.some(isClientTool)) return Buffer.from(json);
    const items = this.#response.choices.flatMap((choice) => choice.items);
    const inputs = items.flatMap((item) => (item.type === 'tool-call' ? item.input : []));
    return Buffer.from(withExactArguments(json, inputs));
  }

  events(): Buffer {
    const { client, request } = this.#translation;
    const encoder = client.encodeStream(request, this.#shownScope);
    const events = [...this.#events, ...missingUsage(this.#translation, this.#meter)];
    const wire = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()];
    return encodeEvents(wire.map((event) => told(event, request)));
  }

  get #shownScope(): Scope {
    const { scope, showsUpstreamModel } = this.#translation;
    const { model } = this.#response;
    return showsUpstreamModel && model !== undefined ? { ...scope, model } : scope;
  }
}

/** A tool that the client runs and whose calls have objects on its wire, whatever the rest have. */
function isClientTool({ kind }: ChatTool): boolean {
  return kind !== 'hosted' && !isTextInput(kind);
}

function told(event: WireEvent, { numbers }: ChatRequest): WireEvent {
  return numbers === undefined ? event : { ...event, data: restoreNumbers(event.data) };
}

/** Only Responses keeps its answers, and only its own clients can name them later. */
function isKeeping({ client, upstream }: Translation): boolean {
  return upstream.id === 'openai-responses' && client.id === upstream.id;
}

/** Only Claude's tools make files, and only clients of its dialect are shown their ids. */
function showsFiles({ client, upstream }: Translation): boolean {
  return upstream.id === 'anthropic-messages' && client.id === upstream.id;
}

function filesOf(item: OutputItem): readonly string[] {
  return item.type === 'hosted' && isObject(item.raw) ? madeFiles(item.raw) : [];
}

function storedOf(
  translation: Translation,
  id: string | undefined,
  items: () => readonly ItemNames[],
): StoredAnswer | undefined {
  return id !== undefined && isKeeping(translation) ? storedUnder(id, items) : undefined;
}

/** An item's names, which the client is shown as the upstream gave them. */
function namesOf(item: OutputItem): ItemNames {
  if (item.type === 'hosted') return itemNames(isObject(item.raw) ? item.raw : {});
  return { id: item.id, container: undefined };
}

/** As `namesOf`, where an item begins or is told whole; undefined for all other events. */
function namesIn(event: ChatEvent): ItemNames | undefined {
  switch (event.type) {
    case 'text-start':
    case 'reasoning-start':
    case 'tool-call-start':
    case 'image':
      return { id: event.id, container: undefined };
    case 'hosted':
      return namesOf(event.item);
    default:
      return undefined;
  }
}

class TranslatedStream implements StreamReader {
  readonly #translation: Translation;
  readonly #meter: ChatMeter;
  readonly #losses: AnswerLosses;
  readonly #reshaper: EventReshaper | undefined;
  readonly #events: AnswerEvents;
  readonly #encoder: Machine<ChatEvent, WireEvent>;
  /** The encoder's own, whose model gets the upstream's name; undefined where the client is shown its own. */
  readonly #named: (Scope & { model: string }) | undefined;
  #id: string | undefined;
  /** Undefined where nobody can name them later. */
  readonly #items: ItemNames[] | undefined;
  /** Undefined where the client is shown none. */
  readonly #files: string[] | undefined;

  constructor(translation: Translation) {
    const { client, upstream, request, scope } = translation;
    this.#translation = translation;
    this.#items = isKeeping(translation) ? [] : undefined;
    this.#files = showsFiles(translation) ? [] : undefined;
    this.#meter = new ChatMeter(translation.countedAs);
    this.#losses = new AnswerLosses(client.id, scope);
    this.#reshaper = translation.shape?.();
    this.#events = new AnswerEvents(upstream.decodeStream(scope));
    this.#named = translation.showsUpstreamModel ? { ...scope } : undefined;
    this.#encoder = client.encodeStream(request, this.#named ?? scope);
  }

  get hasOutput(): boolean {
    return this.#meter.hasOutput;
  }

  get isComplete(): boolean {
    return this.#meter.finished && !this.#meter.isVoid;
  }

  get error(): JsonObject | undefined {
    return this.#meter.error;
  }

  get stored(): StoredAnswer | undefined {
    return storedOf(this.#translation, this.#id, () => this.#items ?? []);
  }

  get handedOut(): string | undefined {
    return this.#meter.handedOut ?? this.#files?.[0];
  }

  madeFiles(): readonly string[] {
    return this.#files ?? [];
  }

  usage(): Usage | undefined {
    return this.#meter.usage();
  }

  tools(): ToolCounts | undefined {
    return this.#meter.tools();
  }

  counted(): CountedOutput {
    return this.#meter.counted();
  }

  hasSaidItsEnd(): boolean {
    return this.#meter.finished || this.#events.hasSaidItsEnd;
  }

  isBlank(): boolean {
    return this.#meter.isBlank();
  }

  push(chunk: Buffer): Buffer | undefined {
    return this.#encode(this.#events.push(chunk));
  }

  end(): Buffer | undefined {
    const said = this.#encode(this.#events.end());
    if (!this.#meter.finished || this.#meter.error !== undefined) return said;
    const closing = missingUsage(this.#translation, this.#meter).flatMap((event) => this.#encoder.push(event));
    const tail = encodeEvents(
      [...closing, ...this.#encoder.end()].map((event) => told(event, this.#translation.request)),
    );
    return said === undefined ? tail : Buffer.concat([said, tail]);
  }

  fail(error: ShownError): Buffer {
    const rest = [...(this.#reshaper?.release() ?? []), ...missingUsage(this.#translation, this.#meter)];
    const closing = rest.flatMap((event) => this.#encoder.push(event));
    const events = [...closing, ...this.#encoder.fail(ownRefusal(error))];
    return encodeEvents(events.map((event) => told(event, this.#translation.request)));
  }

  /** An error is not encoded here: it ends the stream with the words that the client may see. */
  #encode(events: readonly ChatEvent[]): Buffer | undefined {
    const wire: WireEvent[] = [];
    for (const event of joinPieces(events)) {
      this.#meter.see(event);
      this.#losses.see(event);
      if (event.type === 'message-start') this.#begin(event);
      if (this.#items !== undefined) note(this.#items, namesIn(event));
      if (this.#files !== undefined && event.type === 'hosted') this.#files.push(...filesOf(event.item));
      if (event.type === 'error') break;
      if (this.#reshaper === undefined) this.#write(wire, event);
      else for (const told of this.#reshaper.push(event)) this.#write(wire, told);
    }
    return wire.length === 0 ? undefined : encodeEvents(wire);
  }

  #begin({ id, model }: Extract<ChatEvent, { type: 'message-start' }>): void {
    this.#id = id;
    if (this.#named !== undefined && model !== undefined) this.#named.model = model;
  }

  #write(wire: WireEvent[], event: ChatEvent): void {
    for (const said of this.#encoder.push(event)) wire.push(told(said, this.#translation.request));
  }
}

function note(items: ItemNames[], names: ItemNames | undefined): void {
  if (names !== undefined) items.push(names);
}

class TranslatedCollector implements StreamCollector {
  readonly #translation: Translation;
  readonly #events: AnswerEvents;
  readonly #collector = new AnswerCollector();
  #finished = false;

  constructor(translation: Translation) {
    this.#translation = translation;
    this.#events = new AnswerEvents(translation.upstream.decodeStream(translation.scope));
  }

  get isComplete(): boolean {
    return this.#finished;
  }

  usage(): Usage | undefined {
    return this.#collector.usage;
  }

  push(chunk: Buffer): void {
    this.#take(this.#events.push(chunk));
  }

  end(): WholeAnswer | Unusable {
    this.#take(this.#events.end());
    const response = this.#collector.result();
    if (response.choices.length === 0 && response.error === undefined) return { kind: 'empty', usage: this.usage() };
    if (!this.#finished && response.error === undefined) return { kind: 'unfinished' };
    return answerOf(this.#translation, response, {});
  }

  #take(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (event.type === 'finish') this.#finished = true;
      this.#collector.push(event);
    }
  }
}
