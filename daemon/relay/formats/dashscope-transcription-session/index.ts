/**
 * Transcripts by Alibaba DashScope's Qwen models that listen in sessions: a file is read to them, and they tell what
 * they hear sentence by sentence. Source: providers/ali.md and the vendor's reference of Qwen-ASR-Realtime, read 2026-11.
 */
import { readWav, samplesAt } from '../../audio/wav-file.ts';
import type { CallReply, StepwiseFormat } from '../../call-format.ts';
import type { TimedText, TranscriptionAnswer, TranscriptionRequest } from '../../canonical/transcription.ts';
import { addUsage, type Usage } from '../../canonical/usage.ts';
import type { JsonObject } from '../../json.ts';
import type { UnusableAnswer } from '../../native-answer.ts';
import type { SocketTalk, SocketTurn } from '../../socket-talk.ts';
import { joined, readHeardUsage } from '../dashscope-sentences.ts';
import { openSession, readSessionEvent, type SessionEvent, sessionFrames } from '../dashscope-session.ts';
import { asNumber, asText, asWord, inexpressible, present } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';

/** Samples a second; files of telephone lines are left as they are. */
const usualRate = 16_000;
const telephoneRate = 8000;
/** Bytes of sound in one event. */
const frameBytes = 12_800;
const opusTypes = new Set(['audio/ogg', 'audio/opus']);
const completed = 'conversation.item.input_audio_transcription.completed';
/** Events that tell when something was said. */
const started = 'input_audio_buffer.speech_started';
const stopped = 'input_audio_buffer.speech_stopped';
const finished = 'session.finished';
const told = new Set([completed, started, stopped, finished]);

export const dashscopeTranscriptionSession: StepwiseFormat<TranscriptionRequest, TranscriptionAnswer> = {
  id: 'dashscope-transcription-session',

  open(asked, scope) {
    const { language, prompt, form } = asked;
    if (form === 'diarized_json') throw inexpressible('response_format', 'this channel tells no speakers');
    if (asked.task === 'translate') throw inexpressible('model', 'this model does not translate');
    if (asked.wordTimes) scope.lose('timestamp_granularities');
    loseUnsaid(asked, scope);
    const sound = soundOf(asked);
    const corpus = prompt === undefined ? {} : { corpus: { text: prompt } };
    const body = openSession({
      modalities: ['text'],
      input_audio_format: sound.format,
      sample_rate: sound.rate,
      input_audio_transcription: { ...present({ language }), ...corpus },
      // As the vendor recommends.
      turn_detection: { type: 'server_vad', threshold: 0, silence_duration_ms: 400 },
    });
    return { request: { body, talk: new HeardSession(sound.pieces) }, read: readEvents };
  },
};

/** A file in a form that these models hear. */
interface Sound {
  readonly format: 'pcm' | 'opus';
  readonly rate: number;
  readonly pieces: Iterable<Buffer>;
}

function soundOf({ audio }: TranscriptionRequest): Sound {
  const file = Buffer.from(audio.data, 'base64');
  if (opusTypes.has(audio.mediaType)) return { format: 'opus', rate: usualRate, pieces: piecesOf(file) };
  const wav = readWav(file);
  if (wav === undefined) throw inexpressible('file', 'this model hears WAV files of 16 bits and Opus only');
  const rate = wav.rate === telephoneRate ? telephoneRate : usualRate;
  return { format: 'pcm', rate, pieces: samplesAt(wav, rate, frameBytes / 2) };
}

function* piecesOf(file: Buffer): Generator<Buffer> {
  for (let start = 0; start < file.length; start += frameBytes) yield file.subarray(start, start + frameBytes);
}

/** One session: the file goes when it has been set up, and what is heard of it is told line by line. */
class HeardSession implements SocketTalk {
  readonly #pieces: Iterable<Buffer>;
  #hasBegun = false;
  #hasTold = false;

  constructor(pieces: Iterable<Buffer>) {
    this.#pieces = pieces;
  }

  hear(frame: Buffer, kind: 'text' | 'binary'): SocketTurn {
    const event = kind === 'text' ? readSessionEvent(frame) : undefined;
    if (event === undefined) return {};
    const opening = this.#hasTold ? {} : { contentType: 'application/json' };
    this.#hasTold = true;
    const isLast = event.type === finished || event.refusal !== undefined;
    // What may still change is only a sign of life.
    const words = isLast || told.has(event.type) ? JSON.stringify(event.members) : '';
    return { ...opening, tell: Buffer.from(`${words}\n`), ...(isLast ? { end: true } : this.#answerTo(event)) };
  }

  #answerTo({ type }: SessionEvent): SocketTurn {
    if (type !== 'session.updated' || this.#hasBegun) return {};
    this.#hasBegun = true;
    return { say: sessionFrames(this.#events()) };
  }

  *#events(): Generator<JsonObject> {
    for (const piece of this.#pieces) yield { type: 'input_audio_buffer.append', audio: piece.toString('base64') };
    yield { type: 'session.finish' };
  }
}

function readEvents({ body }: CallReply): TranscriptionAnswer | UnusableAnswer {
  const heard = new HeardSentences();
  let usage: Usage | undefined;
  let isComplete = false;
  for (const line of body.toString('utf8').split('\n')) {
    const event = line === '' ? undefined : readSessionEvent(line);
    if (event === undefined) continue;
    if (event.refusal !== undefined) return { kind: 'error', body: event.refusal };
    if (event.type === finished) isComplete = true;
    const part = event.type === completed ? readHeardUsage(event.members.usage) : undefined;
    usage = usage === undefined || part === undefined ? (part ?? usage) : addUsage(usage, part);
    heard.take(event);
  }
  return isComplete ? { ...heard.transcript(), usage } : { kind: 'unreadable' };
}

/** Sentences, and the times that were told of each beside it. */
class HeardSentences {
  readonly #times = new Map<string, { start: number; end: number }>();
  readonly #segments: TimedText[] = [];
  #language: string | undefined;
  #end = 0;

  take({ type, members }: SessionEvent): void {
    const id = asWord(members.item_id) ?? '';
    const known = this.#times.get(id) ?? { start: this.#end, end: this.#end };
    if (type === started) this.#times.set(id, { ...known, start: secondsOf(members.audio_start_ms) });
    else if (type === stopped) this.#times.set(id, { ...known, end: secondsOf(members.audio_end_ms) });
    else if (type === completed) {
      const { start } = known;
      const end = Math.max(start, known.end);
      this.#segments.push({ text: asText(members.transcript) ?? '', start, end });
      this.#language ??= asWord(members.language);
      this.#end = end;
    }
  }

  transcript() {
    const segments = this.#segments.filter(({ text }) => text !== '');
    const text = joined(segments.map((segment) => segment.text));
    return { ...present({ language: this.#language }), text, segments };
  }
}

function secondsOf(milliseconds: JsonObject[string] | undefined): number {
  return Math.max(0, asNumber(milliseconds) ?? 0) / 1000;
}
