/**
 * GLM's realtime sessions, whose events are those of OpenAI's beta with other words in places. Clients may speak the
 * official manner, the beta's, or GLM's own. Source: providers/zhipu.md, the vendor's AsyncAPI file and the document of
 * its SDK, read 2026-11.
 */
import { asList, asNumber, asObject, asObjects, asText, asWord } from '../../formats/fields.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { RealtimeDialect, RealtimeOpening, ToldOn } from '../../realtime/realtime-dialect.ts';
import {
  betaSession,
  type FlatSession,
  flatSession,
  glmSession,
  isOfficialSession,
  isOwnSession,
  officialSession,
} from './realtime-session.ts';
import { frameEvent, framesOf, GlmSight } from './realtime-sight.ts';

/** Signs of life, and an end that `response.done` tells too. */
const OWN_EVENTS = new Set(['heartbeat', 'response.cancelled', 'response.function_call.simple_browser']);
/** What was not heard is cut by the vendor itself. */
const UNKNOWN_EVENTS = new Set(['conversation.item.truncate', 'output_audio_buffer.clear']);
/** What the official manner calls differently. */
const RENAMED: readonly (readonly [beta: string, official: string])[] = [
  ['response.text.', 'response.output_text.'],
  ['response.audio.', 'response.output_audio.'],
  ['response.audio_transcript.', 'response.output_audio_transcript.'],
];
/** The parts of an assistant's message. */
const officialParts: Readonly<Record<string, string>> = { text: 'output_text', audio: 'output_audio' };
const betaParts: Readonly<Record<string, string>> = { output_text: 'text', output_audio: 'audio' };

const betaMembers = { heard: 'session.input_audio_format', spoken: 'session.output_audio_format' };
const officialMembers = { heard: 'session.audio.input.format', spoken: 'session.audio.output.format' };

const NOTHING: ToldOn = { upstream: [], client: [] };

/** How a session with GLM is told on. */
export function glmRealtime(opening: RealtimeOpening): RealtimeDialect {
  return new GlmRealtime(opening);
}

class GlmRealtime implements RealtimeDialect {
  readonly opening: readonly JsonObject[];
  /** `own`: as GLM's own clients speak, which need nothing but the model's name. */
  #manner: 'official' | 'beta' | 'own';
  #isKnown: boolean;
  /** All that has been set so far: the vendor wants most of it again with every change. */
  #session: JsonObject;
  readonly #sight = new GlmSight();
  #pictures = 0;

  constructor({ model, manner }: RealtimeOpening) {
    this.#manner = manner ?? 'official';
    this.#isKnown = manner !== undefined;
    // What OpenAI's sessions are by themselves, and these are not.
    this.#session = {
      model,
      input_audio_format: 'pcm24',
      output_audio_format: 'pcm',
      turn_detection: { type: 'server_vad' },
      beta_fields: { chat_mode: 'audio' },
    };
    this.opening = [{ type: 'session.update', session: this.#session }];
  }

  fromClient(event: JsonObject): ToldOn {
    if (event.type === 'session.update') return this.#update(event);
    if (this.#manner === 'own') return { upstream: [event], client: [] };
    switch (event.type) {
      case 'conversation.item.create':
        return this.#addItem(event);
      case 'response.create': {
        const { response: _, ...plain } = event;
        return upstream(...this.#sight.again(), plain);
      }
      case 'input_audio_buffer.append':
      case 'input_audio_buffer.commit':
        return upstream(...this.#sight.again(), event);
      case 'input_audio_buffer.clear':
        this.#sight.lost();
        return upstream(event);
      case frameEvent:
        return upstream(...this.#see([event]));
      default:
        return UNKNOWN_EVENTS.has(asWord(event.type) ?? '') ? NOTHING : upstream(event);
    }
  }

  fromServer(event: JsonObject): readonly JsonObject[] {
    const told = ended(event);
    if (this.#manner === 'own') return [told];
    const type = asWord(told.type) ?? '';
    if (OWN_EVENTS.has(type)) return [];
    // An answer takes what was seen with it.
    if (type === 'response.created') this.#sight.lost();
    switch (type) {
      case 'session.created':
      case 'session.updated':
        return [{ ...told, session: this.#sessionFor(asObject(told.session) ?? {}) }];
      case 'response.function_call_arguments.done':
        return [called(told)];
      default:
        return this.#manner === 'beta' ? [told] : official(type, told);
    }
  }

  #update(event: JsonObject): ToldOn {
    const asked = asObject(event.session) ?? {};
    this.#learnManner(asked);
    const { model = '' } = this.#session;
    if (this.#manner === 'own') return upstream({ ...event, session: { ...asked, model } });
    const isOfficial = this.#manner === 'official';
    const flat: FlatSession = isOfficial ? flatSession(asked) : asked;
    const changes = glmSession(flat, isOfficial ? officialMembers : betaMembers);
    this.#session = { ...this.#session, ...changes };
    return upstream({ ...event, session: this.#session });
  }

  /** Only the first words tell how somebody speaks. */
  #learnManner(session: JsonObject): void {
    if (isOwnSession(session)) this.#manner = 'own';
    else if (!this.#isKnown) this.#manner = isOfficialSession(session) ? 'official' : 'beta';
    this.#isKnown = true;
  }

  /** Pictures are frames of a call with video, which stand beside what is said. */
  #addItem(event: JsonObject): ToldOn {
    const { frames, item } = framesOf(asObject(event.item) ?? {});
    if (frames.length === 0) return upstream({ ...event, item: itemFor(item) });
    const seen = this.#see(frames);
    if (asList(item.content).length > 0) return upstream(...seen, { ...event, item: itemFor(item) });
    return { upstream: seen, client: this.#ownAnswer(item) };
  }

  /** The session is told once that it will see; what was said so far is kept then, and would be lost on the way back. */
  #see(frames: readonly JsonObject[]): readonly JsonObject[] {
    const hasSeen = this.#sight.isOpen;
    for (const frame of frames) this.#sight.show(frame);
    if (hasSeen) return frames;
    this.#session = { ...this.#session, beta_fields: { chat_mode: 'video_passive' } };
    return [{ type: 'session.update', session: this.#session }, ...frames];
  }

  /** The vendor answers no frame, and clients wait to hear of what they made. */
  #ownAnswer(item: JsonObject): readonly JsonObject[] {
    this.#pictures += 1;
    const made: JsonObject = {
      id: `item_picture_${this.#pictures}`,
      object: 'realtime.item',
      status: 'completed',
      ...item,
      content: [{ type: 'input_image' }],
    };
    return this.fromServer({
      type: 'conversation.item.created',
      event_id: `event_picture_${this.#pictures}`,
      item: made,
    });
  }

  #sessionFor(session: JsonObject): JsonObject {
    return this.#manner === 'beta' ? betaSession(session) : officialSession(session);
  }
}

function upstream(...events: readonly JsonObject[]): ToldOn {
  return { upstream: events, client: [] };
}

/**
 * An answer's end with its usage where clients look for it. A beginning that calls itself an end, as the vendor's
 * document shows it, is a beginning.
 */
function ended(event: JsonObject): JsonObject {
  if (event.type !== 'response.done') return event;
  const response = asObject(event.response);
  if (response?.status === 'in_progress') return { ...event, type: 'response.created' };
  if (event.usage === undefined || response?.usage !== undefined) return event;
  const { usage, ...plain } = event;
  return { ...plain, response: { ...response, usage } };
}

/** A call with what its answer must name: the vendor takes answers without. */
function called(event: JsonObject): JsonObject {
  const index = asNumber(event.output_index) ?? 0;
  const id = asWord(event.call_id) ?? `call_${asWord(event.response_id) ?? ''}_${index}`;
  return { ...event, call_id: id, item_id: asWord(event.item_id) ?? id, output_index: index };
}

function official(type: string, event: JsonObject): readonly JsonObject[] {
  if (type === 'conversation.item.created') {
    const told = { ...event, item: officialItem(asObject(event.item) ?? {}) };
    const isDone = told.item.status !== 'incomplete' && told.item.status !== 'in_progress';
    const added = { ...told, type: 'conversation.item.added' };
    return isDone ? [added, { ...told, type: 'conversation.item.done' }] : [added];
  }
  if (type === 'response.created' || type === 'response.done') {
    return [{ ...event, response: officialResponse(asObject(event.response) ?? {}) }];
  }
  if (type === 'response.output_item.added' || type === 'response.output_item.done') {
    return [{ ...event, item: officialItem(asObject(event.item) ?? {}) }];
  }
  const renamed = RENAMED.find(([beta]) => type.startsWith(beta));
  if (renamed === undefined) return [event];
  const [beta, name] = renamed;
  return [{ output_index: 0, content_index: 0, ...event, type: name + type.slice(beta.length) }];
}

function officialResponse({ modalities, output, ...rest }: JsonObject): JsonObject {
  return {
    ...rest,
    ...(modalities === undefined ? {} : { output_modalities: modalities }),
    ...(output === undefined ? {} : { output: asObjects(output).map(officialItem) }),
  };
}

function officialItem(item: JsonObject): JsonObject {
  return item.role === 'assistant' ? withParts(item, officialParts) : item;
}

/** The vendor wants to be told what an item is. */
function itemFor(item: JsonObject): JsonObject {
  return { object: 'realtime.item', ...withParts(item, betaParts) };
}

function withParts(item: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  if (!Array.isArray(item.content)) return item;
  const content = asObjects(item.content).map((part): Json => {
    const name = names[asText(part.type) ?? ''];
    return name === undefined ? part : { ...part, type: name };
  });
  return { ...item, content };
}
