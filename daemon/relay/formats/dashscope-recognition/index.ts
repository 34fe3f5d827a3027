/**
 * Transcripts by Alibaba DashScope's models that listen while somebody speaks (Paraformer, Fun-ASR, Qwen-Audio, Gummy): a file is
 * read to them over their socket. Gummy also translates. Source: providers/ali.md and the vendor's references of these
 * models, read 2026-11.
 */
import { wavRate } from '../../audio/wav-file.ts';
import type { CallReply, StepwiseFormat } from '../../call-format.ts';
import type { TranscriptionAnswer, TranscriptionRequest } from '../../canonical/transcription.ts';
import type { Usage } from '../../canonical/usage.ts';
import type { Scope } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import type { UnusableAnswer } from '../../native-answer.ts';
import type { SocketTalk, SocketTurn } from '../../socket-talk.ts';
import { readHeardUsage, transcriptOf } from '../dashscope-sentences.ts';
import { finishTask, readTaskEvent, runTask, type TaskEvent, taskId } from '../dashscope-socket-task.ts';
import { asFlag, asObject, asObjects, inexpressible, present, some } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';

/** What the vendor calls the forms that its listeners know, by the type of the file. */
const forms: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/ogg': 'opus',
  'audio/opus': 'opus',
  'audio/speex': 'speex',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
};
/** Samples a second, where the file is no WAV and does not tell. */
const usualRate = 16_000;
/** Bytes of sound in one frame. */
const frameBytes = 12_800;
const target = 'en';

/** True for models that tell what they hear in another language. */
function translates(model: string): boolean {
  return model.startsWith('gummy');
}

export const dashscopeRecognition: StepwiseFormat<TranscriptionRequest, TranscriptionAnswer> = {
  id: 'dashscope-recognition',

  open(asked, scope) {
    const { model, audio } = asked;
    const id = taskId(scope);
    const sound = Buffer.from(audio.data, 'base64');
    const parameters = parametersOf(asked, sound, scope);
    const body = runTask({ id, model, task: 'asr', function: 'recognition', parameters });
    return { request: { body, talk: new HeardTask(id, sound) }, read: (reply) => readEvents(reply, asked) };
  },
};

function parametersOf(asked: TranscriptionRequest, sound: Buffer, scope: Scope): JsonObject {
  const { model, audio, language, task, form } = asked;
  const format = forms[audio.mediaType];
  if (format === undefined) throw inexpressible('file', 'this model hears WAV, MP3, Ogg, AAC and AMR files only');
  if (form === 'diarized_json') throw inexpressible('response_format', 'this channel tells no speakers');
  const isTranslation = task === 'translate';
  if (isTranslation && !translates(model)) throw inexpressible('model', 'this model does not translate');
  loseUnsaid(asked, scope);
  if (asked.prompt !== undefined) scope.lose('prompt');
  const common = { format, sample_rate: wavRate(sound) ?? usualRate };
  if (!translates(model)) return { ...common, ...(language === undefined ? {} : { language_hints: [language] }) };
  return {
    ...common,
    ...present({ source_language: language }),
    transcription_enabled: !isTranslation,
    translation_enabled: isTranslation,
    ...(isTranslation ? { translation_target_languages: [target] } : {}),
  };
}

/** One task: the file goes as soon as it has begun, and what is heard of it is told line by line. */
class HeardTask implements SocketTalk {
  readonly #id: string;
  readonly #sound: Buffer;
  #hasBegun = false;

  constructor(id: string, sound: Buffer) {
    this.#id = id;
    this.#sound = sound;
  }

  hear(frame: Buffer, kind: 'text' | 'binary'): SocketTurn {
    const event = kind === 'text' ? readTaskEvent(frame) : undefined;
    if (event === undefined) return {};
    const hasBegun = this.#hasBegun;
    this.#hasBegun = true;
    const opening = hasBegun ? {} : { contentType: 'application/json' };
    if (event.name === 'task-started') return hasBegun ? {} : { ...opening, say: this.#frames() };
    const isLast = event.name !== 'result-generated';
    // What may still change is only a sign of life.
    const words = isLast || isFinal(event) ? frame.toString('utf8').replaceAll(/[\r\n]+/g, ' ') : '';
    return { ...opening, tell: Buffer.from(`${words}\n`), ...(isLast ? { end: true } : {}) };
  }

  *#frames(): Generator<string | Buffer> {
    for (let start = 0; start < this.#sound.length; start += frameBytes) {
      yield this.#sound.subarray(start, start + frameBytes);
    }
    yield finishTask(this.#id);
  }
}

/** The sentence of an event: as it was said, or as it was translated. */
function sentencesIn({ output }: TaskEvent): readonly (JsonObject | undefined)[] {
  return [asObject(output?.sentence), asObject(output?.transcription), ...asObjects(output?.translations)];
}

function isFinal(event: TaskEvent): boolean {
  const sentences = sentencesIn(event).flatMap(some);
  return sentences.length === 0 || sentences.some(({ sentence_end: isOver }) => asFlag(isOver) === true);
}

function readEvents({ body }: CallReply, { task }: TranscriptionRequest): TranscriptionAnswer | UnusableAnswer {
  const sentences: JsonObject[] = [];
  let usage: Usage | undefined;
  let isComplete = false;
  for (const line of body.toString('utf8').split('\n')) {
    const event = line === '' ? undefined : readTaskEvent(line);
    if (event === undefined) continue;
    if (event.refusal !== undefined) return { kind: 'error', body: event.refusal };
    if (event.name === 'task-finished') isComplete = true;
    // Counted from the beginning each time.
    usage = readHeardUsage(event.usage) ?? usage;
    const { output } = event;
    const wanted =
      task === 'translate'
        ? asObjects(output?.translations).filter(({ lang }) => lang === target)
        : [asObject(output?.sentence) ?? asObject(output?.transcription)];
    for (const sentence of wanted) {
      if (asFlag(sentence?.sentence_end) === true && sentence?.heartbeat !== true) sentences.push(sentence ?? {});
    }
  }
  if (!isComplete) return { kind: 'unreadable' };
  return { ...transcriptOf(sentences), usage };
}
