/**
 * GLM's realtime sessions, whose events are those of OpenAI's beta with other words in places. Clients may speak the
 * official manner, the beta's, or GLM's own. Source: providers/zhipu.md, the vendor's AsyncAPI file and the document of
 * its SDK, read 2026-11.
 */
import { asList, asNumber, asObject, asWord } from '../../formats/fields.ts';
import type { JsonObject } from '../../json.ts';
import {
  betaItem,
  betaMembers,
  cutEvents,
  type FlatSession,
  flatSession,
  officialEvents,
  officialMembers,
  plainWish,
} from '../../realtime/official-manner.ts';
import {
  type RealtimeDialect,
  type RealtimeOpening,
  type ToldOn,
  toUpstream,
} from '../../realtime/realtime-dialect.ts';
import { noteSessionLosses } from '../../realtime/session-losses.ts';
import { pictureMade, takePictures } from '../../realtime/shown-pictures.ts';
import { betaSession, glmOfficialSession, glmSession, isOfficialSession, isOwnSession } from './realtime-session.ts';
import { frameEvent, GlmSight } from './realtime-sight.ts';

/** Signs of life, and an end that `response.done` tells too. */
const OWN_EVENTS = new Set(['heartbeat', 'response.cancelled', 'response.function_call.simple_browser']);

/** How a session with GLM is told on. */
export function glmRealtime(opening: RealtimeOpening): RealtimeDialect {
  return new GlmRealtime(opening);
}

class GlmRealtime implements RealtimeDialect {
  readonly opening: readonly JsonObject[];
  /** `own`: as GLM's own clients speak, which need nothing but the model's name. */
  #manner: 'official' | 'beta' | 'own';
  #isKnown: boolean;
  readonly #lose: RealtimeOpening['lose'];
  /** All that has been set so far: the vendor wants most of it again with every change. */
  #session: JsonObject;
  readonly #sight = new GlmSight();
  #pictures = 0;

  constructor({ model, manner, lose }: RealtimeOpening) {
    this.#lose = lose;
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

  get seesJpegOnly(): boolean {
    return this.#manner !== 'own';
  }

  fromClient(event: JsonObject): ToldOn {
    if (event.type === 'session.update') return this.#update(event);
    if (this.#manner === 'own') return toUpstream(event);
    switch (event.type) {
      case 'conversation.item.create':
        return this.#addItem(event);
      case 'response.create': {
        const wish = plainWish(event, this.#lose);
        return toUpstream(...this.#sight.again(), wish);
      }
      case 'input_audio_buffer.append':
      case 'input_audio_buffer.commit':
        return toUpstream(...this.#sight.again(), event);
      case 'input_audio_buffer.clear':
        this.#sight.lost();
        return toUpstream(event);
      case frameEvent:
        return toUpstream(...this.#see([event]));
      default:
        return cutEvents.has(asWord(event.type) ?? '') ? toUpstream() : toUpstream(event);
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
        return this.#manner === 'beta' ? [told] : officialEvents(type, told);
    }
  }

  #update(event: JsonObject): ToldOn {
    const asked = asObject(event.session) ?? {};
    this.#learnManner(asked);
    const { model = '' } = this.#session;
    if (this.#manner === 'own') return toUpstream({ ...event, session: { ...asked, model } });
    const isOfficial = this.#manner === 'official';
    const flat: FlatSession = isOfficial ? flatSession(asked) : asked;
    const changes = glmSession(flat, isOfficial ? officialMembers : betaMembers);
    noteSessionLosses({ asked, told: changes, manner: this.#manner }, this.#lose);
    this.#session = { ...this.#session, ...changes };
    return toUpstream({ ...event, session: this.#session });
  }

  /** Only the first words tell how somebody speaks. */
  #learnManner(session: JsonObject): void {
    if (isOwnSession(session)) this.#manner = 'own';
    else if (!this.#isKnown) this.#manner = isOfficialSession(session) ? 'official' : 'beta';
    this.#isKnown = true;
  }

  /** Pictures are frames of a call with video, which stand beside what is said. */
  #addItem(event: JsonObject): ToldOn {
    const { pictures, item } = takePictures(asObject(event.item) ?? {});
    if (pictures.length === 0) return toUpstream({ ...event, item: itemFor(item) });
    const seen = this.#see(pictures.map((picture) => ({ type: frameEvent, video_frame: picture })));
    if (asList(item.content).length > 0) return toUpstream(...seen, { ...event, item: itemFor(item) });
    this.#pictures += 1;
    return { upstream: seen, client: this.fromServer(pictureMade(item, this.#pictures)) };
  }

  /** The session is told once that it will see; what was said so far is kept then, and would be lost on the way back. */
  #see(frames: readonly JsonObject[]): readonly JsonObject[] {
    const hasSeen = this.#sight.isOpen;
    for (const frame of frames) this.#sight.show(frame);
    if (hasSeen) return frames;
    this.#session = { ...this.#session, beta_fields: { chat_mode: 'video_passive' } };
    return [{ type: 'session.update', session: this.#session }, ...frames];
  }

  #sessionFor(session: JsonObject): JsonObject {
    return this.#manner === 'beta' ? betaSession(session) : glmOfficialSession(session);
  }
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

/** The vendor wants to be told what an item is. */
function itemFor(item: JsonObject): JsonObject {
  return { object: 'realtime.item', ...betaItem(item) };
}
