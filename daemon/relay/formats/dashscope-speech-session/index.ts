/**
 * Speech of Alibaba DashScope's Qwen models that speak in sessions while they are still being told what. Source:
 * providers/ali.md and the vendor's reference of Qwen-TTS-Realtime, read 2026-11.
 */
import { wavHead } from '../../audio/wav-file.ts';
import type { StepwiseFormat } from '../../call-format.ts';
import type { SpeechAnswer, SpeechRequest } from '../../canonical/speech.ts';
import { addUsage } from '../../canonical/usage.ts';
import type { Scope } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import type { SocketTalk, SocketTurn } from '../../socket-talk.ts';
import { openSession, readSessionEvent, refusalIn, sessionFrames } from '../dashscope-session.ts';
import { readSpokenUsage } from '../dashscope-speech/index.ts';
import { SpokenSound, spokenForm, spokenRate, spokenSpeed, spokenVoice, textPieces } from '../dashscope-spoken.ts';
import { asObject, asText, present } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';

/** Code points that one event brings; the vendor cuts the text into sentences itself. */
const pieceLength = 2000;
const defaultVoice = 'Cherry';
/** Voices that were copied or designed for their owner are all that these have. */
const isOwned = /-v[cd]-/;

export const dashscopeSpeechSession: StepwiseFormat<SpeechRequest, SpeechAnswer> = {
  id: 'dashscope-speech-session',

  open(asked, scope) {
    // The first of these models knows samples only, at one rate and one speed.
    const isFirst = asked.model.startsWith('qwen-tts');
    const form = spokenForm(asked, isFirst ? ['wav', 'pcm'] : ['mp3', 'wav', 'pcm', 'opus'], scope);
    const sound = new SpokenSound({ text: asked.input, form });
    const body = openSession({
      ...sessionOf(asked, scope),
      ...present({ speech_rate: speedOf(asked, isFirst, scope) }),
      mode: 'server_commit',
      // An answer may come in several parts, and a file has one header.
      response_format: form === 'wav' ? 'pcm' : form,
      sample_rate: spokenRate,
    });
    const talk = new SpokenSession({ text: asked.input, sound, isHeaded: form === 'wav' });
    return { request: { body, talk }, live: sound, read: (reply) => sound.read(reply) };
  },
};

function sessionOf(asked: SpeechRequest, scope: Scope): JsonObject {
  const { model, instructions } = asked;
  loseUnsaid(asked, scope);
  const isFollowed = model.includes('-instruct');
  if (instructions !== undefined && !isFollowed) scope.lose('instructions');
  const voice = spokenVoice(asked, isOwned.test(model) ? undefined : defaultVoice, scope);
  return { voice, ...(isFollowed ? present({ instructions }) : {}) };
}

function speedOf(asked: SpeechRequest, isFirst: boolean, scope: Scope): number | undefined {
  if (!isFirst) return spokenSpeed(asked);
  if (asked.speed !== undefined) scope.lose('speed');
  return undefined;
}

/** One session: the text goes when it has been set up, the sound comes as it is spoken. */
class SpokenSession implements SocketTalk {
  readonly #text: string;
  readonly #sound: SpokenSound;
  readonly #isHeaded: boolean;
  #hasBegun = false;

  /** @param what.isHeaded samples are told as a file */
  constructor({ text, sound, isHeaded }: { text: string; sound: SpokenSound; isHeaded: boolean }) {
    this.#text = text;
    this.#sound = sound;
    this.#isHeaded = isHeaded;
  }

  hear(frame: Buffer, kind: 'text' | 'binary'): SocketTurn {
    const event = kind === 'text' ? readSessionEvent(frame) : undefined;
    switch (event?.type) {
      case 'session.updated':
        return this.#begin();
      case 'response.audio.delta':
        return this.#speak(Buffer.from(asText(event.members.delta) ?? '', 'base64'));
      case 'response.done':
        return this.#count(asObject(event.members.response));
      case 'session.finished':
        return this.#sound.complete();
      default:
        return event?.refusal === undefined ? {} : this.#sound.fail(event.refusal);
    }
  }

  #begin(): SocketTurn {
    const hadBegun = this.#hasBegun;
    this.#hasBegun = true;
    return hadBegun ? {} : { say: sessionFrames(this.#events()) };
  }

  #speak(samples: Buffer): SocketTurn {
    const isFirst = this.#isHeaded && !this.#sound.hasSpoken && samples.length > 0;
    return this.#sound.speak(isFirst ? Buffer.concat([wavHead(spokenRate), samples]) : samples);
  }

  /** Every part of the answer reports what it cost. */
  #count(response: JsonObject | undefined): SocketTurn {
    const { reported } = this.#sound;
    const usage = readSpokenUsage(response?.usage);
    this.#sound.report(reported === undefined || usage === undefined ? usage : addUsage(reported, usage));
    return response?.status === 'failed' ? this.#sound.fail(refusalIn(asObject(response.status_details)?.error)) : {};
  }

  *#events(): Generator<JsonObject> {
    for (const text of textPieces(this.#text, pieceLength)) yield { type: 'input_text_buffer.append', text };
    yield { type: 'session.finish' };
  }
}
