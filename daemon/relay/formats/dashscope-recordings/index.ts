/**
 * Transcripts by Alibaba DashScope's models that hear files at an address only (Paraformer, Fun-ASR, Qwen's filetrans):
 * the file is put into the vendor's own storage, a task is given out, and its transcript fetched from where it lies.
 * Source: providers/ali.md and the vendor's references of these models and of its temporary storage, read 2026-11.
 */
import type { CallReply, CallSteps, FollowUp, StepwiseFormat, WireRequest } from '../../call-format.ts';
import type { Transcript, TranscriptionAnswer, TranscriptionRequest } from '../../canonical/transcription.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { UnusableAnswer } from '../../native-answer.ts';
import { taskOperation } from '../dashscope-images/index.ts';
import { joined, readHeardUsage, transcriptOf } from '../dashscope-sentences.ts';
import { refusalOf } from '../dashscope-socket-task.ts';
import { asNumber, asObject, asObjects, asText, asWord, inexpressible, parseJson, present } from '../fields.ts';
import { endingOfType } from '../media.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';

/** Asking for a place in the vendor's storage. */
export const uploadOperation = 'uploads';
/** Giving out a task. */
const submitOperation = 'submit';

/** Milliseconds between two looks at a task: short ones are done soon, long ones need not be asked often. */
const firstPollMs = 1000;
const pollStepMs = 100;
const longestPollMs = 5000;
/** The vendor's word for a file in which nobody speaks. */
const silence = new Set(['SUCCESS_WITH_NO_VALID_FRAGMENT', 'ASR_RESPONSE_HAVE_NO_WORDS']);
const bytesPerMegabyte = 1024 * 1024;

type Verdict = TranscriptionAnswer | FollowUp | UnusableAnswer;

export const dashscopeRecordings: StepwiseFormat<TranscriptionRequest, TranscriptionAnswer> = {
  id: 'dashscope-recordings',
  open: (asked, scope) => new RecordingSteps(asked, scope),
};

/** One task, from the place for its file to the place of its transcript. */
class RecordingSteps implements CallSteps<TranscriptionAnswer> {
  readonly request: WireRequest;
  readonly #audio: TranscriptionRequest['audio'];
  readonly #name: string;
  #step: 'place' | 'upload' | 'task' = 'place';
  /** Where the file lies, as the vendor's own interfaces name it. */
  #file = '';
  #polls = 0;

  constructor(asked: TranscriptionRequest, scope: Scope) {
    this.#audio = asked.audio;
    this.#name = `${scope.newId('audio-')}.${endingOfType(asked.audio.mediaType)}`;
    this.request = { body: taskOf(asked, scope), operation: uploadOperation, method: 'GET' };
  }

  read({ body, asked }: CallReply): Verdict {
    const members = asObject(parseJson(body.toString('utf8')));
    if (this.#step === 'place') return this.#upload(members);
    if (this.#step === 'upload') return this.#submit(asked);
    return this.#look(members);
  }

  #upload(members: JsonObject | undefined): Verdict {
    const place = asObject(members?.data) ?? asObject(members?.output);
    const [host, folder] = [asWord(place?.upload_host), asWord(place?.upload_dir)];
    if (place === undefined || host === undefined || folder === undefined) return refused(members);
    const most = asNumber(place.max_file_size_mb);
    if (most !== undefined && (this.#audio.data.length * 3) / 4 > most * bytesPerMegabyte) {
      return { kind: 'error', body: refusalOf('InvalidParameter', `the file must have at most ${most} MB`) };
    }
    const key = `${folder}/${this.#name}`;
    this.#file = `oss://${key}`;
    this.#step = 'upload';
    // The file must be the last field.
    const form = {
      OSSAccessKeyId: place.oss_access_key_id ?? '',
      Signature: place.signature ?? '',
      policy: place.policy ?? '',
      key,
      'x-oss-object-acl': place.x_oss_object_acl ?? 'private',
      'x-oss-forbid-overwrite': place.x_oss_forbid_overwrite ?? 'true',
      success_action_status: '200',
      file: `data:${this.#audio.mediaType};base64,${this.#audio.data}`,
    };
    return { kind: 'follow-up', address: host, body: form, encoding: 'form', afterMs: 0 };
  }

  #submit(asked: Json | undefined): Verdict {
    this.#step = 'task';
    const task = asObject(asked) ?? asObject(this.request.body) ?? {};
    const isSingle = takesOne(asWord(task.model) ?? '');
    const input = { ...asObject(task.input), ...(isSingle ? { file_url: this.#file } : { file_urls: [this.#file] }) };
    const headers = { 'x-dashscope-async': 'enable', 'x-dashscope-ossresourceresolve': 'enable' };
    return { kind: 'follow-up', operation: submitOperation, body: { ...task, input }, headers, afterMs: 0 };
  }

  #look(members: JsonObject | undefined): Verdict {
    const output = asObject(members?.output);
    const status = asWord(output?.task_status);
    const id = asWord(output?.task_id);
    if (id !== undefined && (status === 'PENDING' || status === 'RUNNING' || status === 'SUSPENDED')) {
      const afterMs = Math.min(longestPollMs, firstPollMs + pollStepMs * this.#polls);
      this.#polls += 1;
      return { kind: 'follow-up', operation: taskOperation + encodeURIComponent(id), isAfterWork: true, afterMs };
    }
    const result = asObject(output?.result) ?? asObjects(output?.results)[0];
    const usage = readHeardUsage(members?.usage);
    const address = asWord(result?.transcription_url);
    if (address !== undefined) return { address, read: readTranscript, usage };
    if (silence.has(asWord(result?.code) ?? asWord(output?.code) ?? '')) return { text: '', segments: [], usage };
    return refused(result ?? output, members);
  }
}

/** What the task is told, without the file. */
function taskOf(asked: TranscriptionRequest, scope: Scope): JsonObject {
  const { model, language, form, task, wordTimes } = asked;
  if (task === 'translate') throw inexpressible('model', 'this model does not translate');
  const isDiarized = form === 'diarized_json';
  if (isDiarized && !tellsSpeakers(model)) throw inexpressible('response_format', 'this model tells no speakers');
  loseUnsaid(asked, scope);
  if (asked.prompt !== undefined) scope.lose('prompt');
  if (takesOne(model)) {
    const words = wordTimes ? { enable_words: true } : {};
    return { model, input: {}, parameters: { ...present({ language }), enable_itn: false, ...words } };
  }
  // The older models know no hint.
  const knowsHints = !/^paraformer-(?:v1|8k|mtl)/.test(model);
  if (language !== undefined && !knowsHints) scope.lose('language');
  const hints = language !== undefined && knowsHints ? { language_hints: [language] } : {};
  return { model, input: {}, parameters: { ...hints, ...(isDiarized ? { diarization_enabled: true } : {}) } };
}

/** Of files with one channel. */
function tellsSpeakers(model: string): boolean {
  return /^paraformer|^fun-asr|^qwen-audio/.test(model);
}

/** One family names its file, the others list theirs. */
function takesOne(model: string): boolean {
  return model.startsWith('qwen3-');
}

/** The first of these that says what went wrong. */
function refused(...said: readonly (JsonObject | undefined)[]): UnusableAnswer {
  const words = said.find((entry) => asWord(entry?.code) !== undefined);
  return words === undefined ? { kind: 'unreadable' } : { kind: 'error', body: refusalOf(words.code, words.message) };
}

/** The file in which a transcript lies. */
function readTranscript(file: Buffer): Transcript | undefined {
  const members = asObject(parseJson(file.toString('utf8')));
  if (!Array.isArray(members?.transcripts)) return undefined;
  const tracks = asObjects(members.transcripts);
  const whole = joined(tracks.map(({ text }) => asText(text) ?? ''));
  return transcriptOf(
    tracks.flatMap(({ sentences }) => asObjects(sentences)),
    whole,
  );
}
