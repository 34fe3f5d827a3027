/** Readers of what comes in pieces where client and upstream speak the same: images as events, speech, transcripts. */

import { AudioMeter } from '../relay/audio/audio-meter.ts';
import type { AudioFacts } from '../relay/audio/length.ts';
import type { CallAnswer, MediaFacts } from '../relay/call-format.ts';
import { usageOfFile } from '../relay/calls/audio.ts';
import { type CallEvents, callEventsOf } from '../relay/calls/events.ts';
import { membersOf, type NativeCallRequest } from '../relay/calls/reader.ts';
import { type CountedOutput, emptyUsage, reportedOutput, type Usage } from '../relay/canonical/usage.ts';
import type { FormatId } from '../relay/format.ts';
import { asWord } from '../relay/formats/fields.ts';
import { isPcm, usageOfSpeech } from '../relay/formats/openai-speech/index.ts';
import { encodeSse } from '../relay/framing/sse.ts';
import type { JsonObject } from '../relay/json.ts';
import { EventPass } from './event-pass.ts';
import type { StreamReader } from './lane.ts';

/** Undefined for formats whose answers never stream. */
export function streamOf(
  call: { readonly format: FormatId; readonly model: string },
  asked: NativeCallRequest,
): ((contentType: string) => StreamReader) | undefined {
  const events = callEventsOf(call.format);
  if (events === undefined) return undefined;
  const { model } = call;
  const { audio, json } = asked;
  return (contentType) => {
    if (isSound(contentType)) return new SoundPass(asked, contentType);
    if (events.soundOf !== undefined) return spokenEvents({ events, model }, asked);
    return new EventPass({
      events,
      model,
      usage: () => audio && usageOfFile(audio),
      media: (images, end) => (audio === undefined ? imagesOf(json, images, end) : { audio }),
    });
  };
}

/** Speech that comes as events: what was heard is billed by its length where nothing reports it, as where the client left. */
function spokenEvents(
  { events, model }: { readonly events: CallEvents; readonly model: string },
  { json, scope }: NativeCallRequest,
): EventPass {
  const meter = new AudioMeter(isPcm(json, '') ? 'pcm' : 'file');
  return new EventPass({
    events,
    model,
    hear: (piece) => meter.push(piece),
    usage: () => usageOfSpeech(json, meter.facts(), scope.promptTokens ?? 0),
    media: () => ({ audio: meter.facts() }),
  });
}

/** A complete answer as events of the client's format; undefined where it cannot be. */
export function replayOf(format: FormatId): ((answer: CallAnswer) => Buffer | undefined) | undefined {
  const events = callEventsOf(format);
  if (events === undefined) return undefined;
  return ({ body, contentType, usage }) => {
    if (events.sound !== undefined && isSound(contentType)) {
      const heard = [events.sound({ piece: body }), events.sound({ end: usage ?? emptyUsage() })];
      return Buffer.concat(heard.map((event) => encodeSse({ data: JSON.stringify(event) })));
    }
    const members = membersOf(body);
    const said = members && events.replay(members);
    return (
      said && Buffer.concat(said.map((event) => encodeSse({ event: String(event.type), data: JSON.stringify(event) })))
    );
  };
}

/** True for bytes that a client listens to. */
export function isSound(contentType: string): boolean {
  return /^(?:audio\/|application\/(?:octet-stream|ogg)|video\/)/i.test(contentType);
}

/** What the log tells of images that came as events. */
function imagesOf(json: JsonObject, count: number, end: JsonObject | undefined): MediaFacts {
  if (count === 0) return {};
  const size = asWord(end?.size) ?? asWord(json.size);
  return { image: { count, size, quality: asWord(end?.quality) ?? asWord(json.quality) } };
}

/** Sound on its way through: not a byte is held back. */
class SoundPass implements StreamReader {
  readonly #asked: NativeCallRequest;
  readonly #meter: AudioMeter;
  #hasOutput = false;
  #isComplete = false;
  readonly error = undefined;
  readonly stored = undefined;

  constructor(asked: NativeCallRequest, contentType: string) {
    this.#asked = asked;
    this.#meter = new AudioMeter(isPcm(asked.json, contentType) ? 'pcm' : 'file');
  }

  get hasOutput(): boolean {
    return this.#hasOutput;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  get media(): MediaFacts {
    return { audio: this.#heard };
  }

  get #heard(): AudioFacts {
    return this.#meter.facts();
  }

  push(chunk: Buffer): Buffer {
    this.#meter.push(chunk);
    this.#hasOutput = true;
    return chunk;
  }

  end(): undefined {
    this.#isComplete = true;
    return undefined;
  }

  /** Sound has no word for an error: whoever delivers it breaks the connection. */
  fail(): Buffer {
    return Buffer.alloc(0);
  }

  usage(): Usage | undefined {
    if (!this.#hasOutput) return undefined;
    const { json, scope } = this.#asked;
    return usageOfSpeech(json, this.#heard, scope.promptTokens ?? 0);
  }

  counted(): CountedOutput {
    return reportedOutput(this.usage());
  }

  isBlank(): boolean {
    return !this.#hasOutput;
  }
}
