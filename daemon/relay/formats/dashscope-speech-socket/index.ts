/**
 * Speech of Alibaba DashScope's CosyVoice and Qwen-Audio models, which speak over a socket while they read. Source:
 * providers/ali.md and the vendor's reference of CosyVoice's socket, read 2026-11.
 */
import type { LiveSound, StepwiseFormat, WireRequest } from '../../call-format.ts';
import type { SpeechAnswer, SpeechRequest } from '../../canonical/speech.ts';
import { emptyUsage, type Usage } from '../../canonical/usage.ts';
import type { Scope } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import type { SocketTalk, SocketTurn } from '../../socket-talk.ts';
import { continueTask, finishTask, readTaskEvent, runTask, taskId } from '../dashscope-socket-task.ts';
import { readSpokenUsage } from '../dashscope-speech/index.ts';
import { asObject, inexpressible, parseJson, present } from '../fields.ts';
import { isForeignVoice } from '../foreign-voices.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  opus: 'audio/ogg',
};
/** Every form knows it, and it is what clients of `pcm` expect. */
const sampleRate = 24_000;
/** Code points that one command brings: the vendor takes 20,000 characters and counts some of them twice. */
const pieceLength = 10_000;
/** Models that follow instructions. */
const follows = /^cosyvoice-v3-flash|^cosyvoice-v3\.5|^qwen-audio/;
/** Each model has voices of its own; those that are not here speak only with voices that their owner made. */
const defaultVoices: readonly (readonly [model: RegExp, voice: string])[] = [
  [/^cosyvoice-v1/, 'longxiaochun'],
  [/^cosyvoice-v2/, 'longxiaochun_v2'],
  [/^cosyvoice-v3-/, 'longanyang'],
  [/^qwen-audio/, 'longanlingxi'],
];

export const dashscopeSpeechSocket: StepwiseFormat<SpeechRequest, SpeechAnswer> = {
  id: 'dashscope-speech-socket',

  open(asked, scope) {
    const form = formOf(asked, scope);
    const id = taskId(scope);
    const task = new SpokenTask({ id, text: asked.input, mediaType: mediaTypes[form] ?? 'audio/mpeg' });
    return {
      request: requestOf(id, asked, { form, talk: task, scope }),
      live: task,
      // Sound goes on as it comes: what is read is a task that ended without any.
      read({ body }) {
        const refusal = asObject(parseJson(body.toString('utf8')));
        return refusal === undefined || task.error === undefined ? { kind: 'empty' } : { kind: 'error', body: refusal };
      },
    };
  },
};

function formOf({ form = 'mp3' }: SpeechRequest, scope: Scope): string {
  if (form in mediaTypes) return form;
  scope.lose('response_format');
  return 'mp3';
}

function requestOf(
  id: string,
  asked: SpeechRequest,
  { form, talk, scope }: { form: string; talk: SocketTalk; scope: Scope },
): WireRequest {
  const { model, speed, instructions } = asked;
  loseUnsaid(asked, scope);
  const isFollowed = follows.test(model);
  if (instructions !== undefined && !isFollowed) scope.lose('instructions');
  const parameters: JsonObject = {
    text_type: 'PlainText',
    voice: voiceOf(asked, scope),
    format: form,
    sample_rate: sampleRate,
    ...present({
      rate: speed === undefined ? undefined : Math.min(2, Math.max(0.5, speed)),
      instruction: isFollowed ? instructions : undefined,
    }),
  };
  return { body: runTask({ id, model, task: 'tts', function: 'SpeechSynthesizer', parameters }), talk };
}

function voiceOf({ model, voice }: SpeechRequest, scope: Scope): string {
  const isForeign = voice !== undefined && isForeignVoice(voice);
  if (voice !== undefined && !isForeign) return voice;
  const known = defaultVoices.find(([pattern]) => pattern.test(model))?.[1];
  if (known === undefined) throw inexpressible('voice', 'this model speaks with voices that were made for it only');
  if (isForeign) scope.lose('voice');
  return known;
}

/** One task: the text goes as soon as it has begun, the sound comes as it is spoken. */
class SpokenTask implements SocketTalk, LiveSound {
  readonly #what: { readonly id: string; readonly text: string; readonly mediaType: string };
  #usage: Usage | undefined;
  #hasBegun = false;
  #hasSpoken = false;
  #isComplete = false;
  #error: JsonObject | undefined;

  constructor(what: { id: string; text: string; mediaType: string }) {
    this.#what = what;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  get error(): JsonObject | undefined {
    return this.#error;
  }

  usage(): Usage {
    if (this.#usage !== undefined) return this.#usage;
    const characters = billedCharacters(this.#what.text);
    return { ...emptyUsage('estimated'), prompt: characters, units: { characters } };
  }

  hear(frame: Buffer, kind: 'text' | 'binary'): SocketTurn {
    if (kind === 'binary') return frame.length === 0 ? {} : this.#speak(frame);
    const event = readTaskEvent(frame);
    // Counted from the beginning each time.
    this.#usage = readSpokenUsage(event?.usage) ?? this.#usage;
    switch (event?.name) {
      case 'task-started':
        if (this.#hasBegun) return {};
        this.#hasBegun = true;
        return { say: this.#commands() };
      case 'task-finished':
        this.#isComplete = true;
        return this.#end({});
      case 'task-failed':
        this.#error = event.refusal;
        return this.#end(event.refusal ?? {});
      default:
        return {};
    }
  }

  #speak(sound: Buffer): SocketTurn {
    if (this.#hasSpoken) return { tell: sound };
    this.#hasSpoken = true;
    return { contentType: this.#what.mediaType, tell: sound };
  }

  #end(words: JsonObject): SocketTurn {
    if (this.#hasSpoken) return { end: true };
    return { contentType: 'application/json', tell: Buffer.from(JSON.stringify(words)), end: true };
  }

  *#commands(): Generator<string> {
    const { id, text } = this.#what;
    for (let start = 0; start < text.length; ) {
      const end = pieceEnd(text, start);
      yield continueTask(id, text.slice(start, end));
      start = end;
    }
    yield finishTask(id);
  }
}

/** Where a piece that begins here ends; no pair of surrogates is torn apart. */
function pieceEnd(text: string, start: number): number {
  const end = Math.min(text.length, start + pieceLength);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** As the vendor counts: Han characters twice, all others once. */
function billedCharacters(text: string): number {
  let count = 0;
  for (const character of text) count += /\p{Script=Han}/u.test(character) ? 2 : 1;
  return count;
}
