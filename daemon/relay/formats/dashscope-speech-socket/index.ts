/**
 * Speech of Alibaba DashScope's CosyVoice, Qwen-Audio and Sambert models, which speak over a socket: the first two while
 * they read. Source: providers/ali.md and the vendor's references of CosyVoice's and Sambert's sockets, read 2026-11.
 */
import type { StepwiseFormat, WireRequest } from '../../call-format.ts';
import type { SpeechAnswer, SpeechRequest } from '../../canonical/speech.ts';
import type { Scope } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import type { SocketTalk, SocketTurn } from '../../socket-talk.ts';
import { continueTask, finishTask, readTaskEvent, runTask, taskId } from '../dashscope-socket-task.ts';
import { readSpokenUsage } from '../dashscope-speech/index.ts';
import { SpokenSound, spokenForm, spokenRate, spokenSpeed, spokenVoice, textPieces } from '../dashscope-spoken.ts';
import { present } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';

const forms = ['mp3', 'wav', 'pcm', 'opus'] as const;
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

/** Models that are a voice, and read a text as a whole. */
function isOneVoice(model: string): boolean {
  return model.startsWith('sambert');
}

export const dashscopeSpeechSocket: StepwiseFormat<SpeechRequest, SpeechAnswer> = {
  id: 'dashscope-speech-socket',

  open(asked, scope) {
    const isWhole = isOneVoice(asked.model);
    const form = spokenForm(asked, isWhole ? ['mp3', 'wav', 'pcm'] : forms, scope);
    const id = taskId(scope);
    const sound = new SpokenSound({ text: asked.input, form });
    const talk = new SpokenTask({ id, text: isWhole ? '' : asked.input, sound });
    return { request: requestOf(id, asked, { form, talk, scope }), live: sound, read: (reply) => sound.read(reply) };
  },
};

function requestOf(
  id: string,
  asked: SpeechRequest,
  { form, talk, scope }: { form: string; talk: SocketTalk; scope: Scope },
): WireRequest {
  const { model, input, instructions } = asked;
  loseUnsaid(asked, scope);
  const isFollowed = follows.test(model);
  if (instructions !== undefined && !isFollowed) scope.lose('instructions');
  const parameters: JsonObject = {
    text_type: 'PlainText',
    ...present({ voice: voiceOf(asked, scope) }),
    format: form,
    sample_rate: spokenRate,
    ...present({ rate: spokenSpeed(asked), instruction: isFollowed ? instructions : undefined }),
  };
  const text = isOneVoice(model) ? { text: input } : {};
  return { body: runTask({ id, model, task: 'tts', function: 'SpeechSynthesizer', parameters, ...text }), talk };
}

/** Undefined for a model that is the voice. */
function voiceOf(asked: SpeechRequest, scope: Scope): string | undefined {
  const { model, voice } = asked;
  if (!isOneVoice(model)) return spokenVoice(asked, defaultVoices.find(([pattern]) => pattern.test(model))?.[1], scope);
  if (voice !== undefined && !model.startsWith(`sambert-${voice}`)) scope.lose('voice');
  return undefined;
}

/** One task: the text goes as soon as it has begun, the sound comes as it is spoken. */
class SpokenTask implements SocketTalk {
  /** `text`: what the first frame did not bring. */
  readonly #what: { readonly id: string; readonly text: string; readonly sound: SpokenSound };
  #hasBegun = false;

  constructor(what: { id: string; text: string; sound: SpokenSound }) {
    this.#what = what;
  }

  hear(frame: Buffer, kind: 'text' | 'binary'): SocketTurn {
    const { sound } = this.#what;
    if (kind === 'binary') return sound.speak(frame);
    const event = readTaskEvent(frame);
    // Counted from the beginning each time.
    sound.report(readSpokenUsage(event?.usage));
    switch (event?.name) {
      case 'task-started':
        return this.#begin();
      case 'task-finished':
        return sound.complete();
      case 'task-failed':
        return sound.fail(event.refusal ?? {});
      default:
        return {};
    }
  }

  #begin(): SocketTurn {
    const hadBegun = this.#hasBegun;
    this.#hasBegun = true;
    return hadBegun || this.#what.text === '' ? {} : { say: this.#commands() };
  }

  *#commands(): Generator<string> {
    const { id, text } = this.#what;
    for (const piece of textPieces(text, pieceLength)) yield continueTask(id, piece);
    yield finishTask(id);
  }
}
