/**
 * Qwen's realtime sessions, whose events are those of OpenAI's beta with other words in places, and which hear 16 kHz
 * where OpenAI's hear 24. Clients may speak the official manner, the beta's (by its header), or Qwen's own, which passes
 * as it is. Source: the vendor's references of client and server events of Qwen-Omni-Realtime, Qwen-Audio-Realtime and
 * LiveTranslate, read 2026-11.
 */
import { Downsampler } from '../../audio/downsampler.ts';
import { asList, asObject, asText, asWord, inexpressible, present } from '../../formats/fields.ts';
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
  heardRate as rateAsked,
  usualRate,
} from '../../realtime/official-manner.ts';
import {
  type RealtimeDialect,
  type RealtimeOpening,
  type ToldOn,
  toUpstream,
} from '../../realtime/realtime-dialect.ts';
import { noteSessionLosses } from '../../realtime/session-losses.ts';
import { pictureMade, refusePictures, takePictures } from '../../realtime/shown-pictures.ts';
import {
  betaSession,
  heardRate,
  hearsOnly,
  isOfficialSession,
  qwenOfficialSession,
  qwenSession,
  targetLanguage,
} from './realtime-session.ts';

/** These have sessions much like the official manner's, for which nothing is known to be amiss. */
const speaksOfficially = /^qwen(?:3\.[8-9]|[4-9]).*-livetranslate/;
const translates = /-livetranslate/;
/** Of pictures that are kept for somebody who has not said anything yet; characters are those of base64. */
const mostWaiting = { pictures: 100, characters: 16 * 1024 * 1024 };

/** How a session with Qwen is told on; undefined for models whose events pass as they are. */
export function qwenRealtime(opening: RealtimeOpening): RealtimeDialect | undefined {
  return speaksOfficially.test(opening.model) ? undefined : new QwenRealtime(opening);
}

class QwenRealtime implements RealtimeDialect {
  readonly opening: readonly JsonObject[] = [];
  readonly #model: string;
  readonly #lose: RealtimeOpening['lose'];
  /** Undefined: the client has not told yet, and is understood as if it spoke Qwen's own. */
  #manner: 'official' | 'beta' | 'own' | undefined;
  /** Undefined: the client sends what the model hears. */
  #sampler: Downsampler | undefined = new Downsampler();
  /** Pictures are taken only after something was heard. */
  #hasHeard = false;
  #waiting: JsonObject[] = [];
  #pictures = 0;

  constructor({ model, manner, lose }: RealtimeOpening) {
    this.#model = model;
    this.#lose = lose;
    this.#manner = manner;
  }

  get seesJpegOnly(): boolean {
    return this.#isForeign && !hearsOnly.test(this.#model);
  }

  fromClient(event: JsonObject): ToldOn {
    if (event.type === 'session.update') return this.#update(event);
    if (!this.#isForeign) return toUpstream(event);
    switch (event.type) {
      case 'input_audio_buffer.append':
        return this.#hear(event);
      case 'input_audio_buffer.clear':
        if (this.#sampler !== undefined) this.#sampler = new Downsampler();
        return toUpstream(event);
      case 'conversation.item.create':
        return this.#addItem(event);
      case 'response.create':
        return toUpstream(plainWish(event, this.#lose));
      default:
        return cutEvents.has(asWord(event.type) ?? '') ? toUpstream() : toUpstream(event);
    }
  }

  fromServer(event: JsonObject): readonly JsonObject[] {
    const manner = this.#manner;
    if (manner === 'own') return [event];
    const type = asWord(event.type) ?? '';
    const session = asObject(event.session);
    if (session !== undefined) {
      if (manner === 'beta') return [{ ...event, session: betaSession(session) }];
      // Whoever has not told yet finds the session in either manner.
      const own = manner === undefined ? session : {};
      const sentRate = this.#sampler === undefined ? heardRate : usualRate;
      return [{ ...event, session: { ...own, ...qwenOfficialSession(session, sentRate) } }];
    }
    if (manner === undefined) return [event];
    const told = type === 'response.done' ? withUsage(event) : event;
    return manner === 'beta' ? [told] : officialEvents(type, told);
  }

  /** Whoever speaks Qwen's own needs no help. */
  get #isForeign(): boolean {
    return this.#manner === 'official' || this.#manner === 'beta';
  }

  #update(event: JsonObject): ToldOn {
    const asked = asObject(event.session) ?? {};
    this.#manner ??= isOfficialSession(asked) ? 'official' : 'own';
    if (this.#manner === 'own') return toUpstream(event);
    const isOfficial = this.#manner === 'official';
    const flat: FlatSession = isOfficial ? flatSession(asked) : asked;
    const members = isOfficial ? officialMembers : betaMembers;
    const rate = rateAsked(flat, members);
    const language = translates.test(this.#model) ? targetLanguage(asked) : undefined;
    const translation = language === undefined ? asked.translation : { language };
    const session = qwenSession({ ...flat, ...present({ translation }) }, this.#model, members);
    const told = present({ ...session, max_response_output_tokens: session.max_tokens });
    noteSessionLosses({ asked, told, manner: this.#manner }, this.#lose);
    if (rate !== undefined) this.#sampler = rate === heardRate ? undefined : (this.#sampler ?? new Downsampler());
    return toUpstream({ ...event, session });
  }

  #hear(event: JsonObject): ToldOn {
    this.#hasHeard = true;
    const shown = this.#waiting;
    this.#waiting = [];
    if (this.#sampler === undefined) return toUpstream(event, ...shown);
    const audio = this.#sampler.push(Buffer.from(asText(event.audio) ?? '', 'base64')).toString('base64');
    return toUpstream({ ...event, audio }, ...shown);
  }

  /** Pictures have a buffer of their own, beside what is said. */
  #addItem(event: JsonObject): ToldOn {
    const asked = asObject(event.item) ?? {};
    if (hearsOnly.test(this.#model)) refusePictures(asked);
    const { pictures, item } = takePictures(asked);
    const shown = pictures.map((image) => ({ type: 'input_image_buffer.append', image }));
    const now = this.#hasHeard ? shown : [];
    if (!this.#hasHeard) this.#keep(shown);
    if (pictures.length === 0 || asList(item.content).length > 0) {
      return toUpstream(...now, { ...event, item: betaItem(item) });
    }
    this.#pictures += 1;
    return { upstream: now, client: this.fromServer(pictureMade(item, this.#pictures)) };
  }

  /** Throws `convert_request_failed` where too much waits already. */
  #keep(shown: readonly JsonObject[]): void {
    const waiting = [...this.#waiting, ...shown];
    if (waiting.length > mostWaiting.pictures || charactersOf(waiting) > mostWaiting.characters) {
      throw inexpressible(
        'item.content',
        'pictures wait for sound here, at most 100 of 16 MiB in all: send sound first',
      );
    }
    this.#waiting = waiting;
  }
}

function charactersOf(pictures: readonly JsonObject[]): number {
  return pictures.reduce((sum, { image }) => sum + (asText(image)?.length ?? 0), 0);
}

/** The details of the usage under the names that OpenAI gives them. */
function withUsage(event: JsonObject): JsonObject {
  const response = asObject(event.response);
  const usage = asObject(response?.usage);
  if (usage === undefined) return event;
  const { input_tokens_details: input, output_tokens_details: output, ...sums } = usage;
  const details = present({ input_token_details: input, output_token_details: output });
  return { ...event, response: { ...response, usage: { ...sums, ...details } } };
}
