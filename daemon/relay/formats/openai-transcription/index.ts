/** OpenAI's transcripts and translations towards clients, of vendors that are asked in other words (relay.md 5.8). */
import { TollgateError } from '../../../errors.ts';
import { AudioMeter } from '../../audio/audio-meter.ts';
import { type CallAnswer, type ClientCallFormat, jsonAnswer } from '../../call-format.ts';
import type {
  Segment,
  TimedText,
  Transcript,
  TranscriptionAnswer,
  TranscriptionRequest,
} from '../../canonical/transcription.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asText, asTexts, asWord, invalid, present, remainder } from '../fields.ts';
import { plainTranscript } from './subtitles.ts';
import { usageOfSeconds } from './usage.ts';

type ClientFormat = ClientCallFormat<TranscriptionRequest, TranscriptionAnswer>;

const known = new Set(['model', 'file', 'language', 'prompt', 'response_format', 'stream', 'timestamp_granularities']);

function readFile(value: Json | undefined): TranscriptionRequest['audio'] {
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(asText(value) ?? '');
  if (inline === null) throw invalid('file', 'must be a file with sound');
  return { mediaType: inline[1] ?? '', data: inline[2] ?? '' };
}

/** Members that only OpenAI knows. Cutting as the upstream thinks best is what all others do. */
function unsaidIn(body: JsonObject): string[] {
  const names = Object.keys(remainder(body, known));
  return body.chunking_strategy === 'auto' ? names.filter((name) => name !== 'chunking_strategy') : names;
}

function decode(body: JsonObject, task: TranscriptionRequest['task']): TranscriptionRequest {
  return present({
    model: asWord(body.model) ?? '',
    audio: readFile(body.file),
    task,
    language: asWord(body.language),
    prompt: asWord(body.prompt),
    form: formOf(body),
    wordTimes: asTexts(body.timestamp_granularities).includes('word'),
    unsaid: unsaidIn(body),
  });
}

/** Events are made of an answer in JSON. */
function formOf({ response_format: wanted, stream }: JsonObject): string {
  const form = asWord(wanted) ?? 'json';
  return stream === true && form !== 'diarized_json' ? 'json' : form;
}

/** What is known of an answer beside its words. */
type Facts = Pick<CallAnswer, 'usage' | 'audio'>;

function encode(said: TranscriptionAnswer, asked: TranscriptionRequest): CallAnswer {
  const meter = new AudioMeter('file');
  meter.push(Buffer.from(asked.audio.data, 'base64'));
  const audio = meter.facts();
  const counted = usageOfSeconds(audio.seconds, audio.estimated ? 'estimated' : 'upstream');
  const facts = { usage: said.usage ?? counted, audio };
  if (!('address' in said)) return written(said, asked, facts);
  const { address, read } = said;
  return {
    ...facts,
    body: Buffer.alloc(0),
    contentType: 'application/json',
    files: [address],
    withFiles(files) {
      const file = files.get(address);
      const transcript = file && read(Buffer.from(file.data, 'base64'));
      // Without its words a transcript is nothing.
      if (transcript === undefined) throw new TollgateError('read_response_body_failed');
      return written(transcript, asked, facts);
    },
  };
}

function written({ text, language, segments = [], words }: Transcript, asked: TranscriptionRequest, facts: Facts) {
  const { form, task, wordTimes } = asked;
  const duration = facts.usage?.units.seconds ?? facts.audio?.seconds ?? 0;
  const plain = plainTranscript(form, { text, segments }, duration);
  if (plain !== undefined) return { ...facts, ...plain };
  if (form === 'diarized_json') return jsonAnswer({ task, duration, text, segments: segments.map(turnOf) }, facts);
  if (form !== 'verbose_json') return jsonAnswer({ text }, facts);
  const timed = segments.map((segment, id): JsonObject => ({ id, ...spanOf(segment) }));
  const said = wordTimes && words !== undefined ? { words: words.map(wordOf) } : {};
  return jsonAnswer({ task, ...present({ language }), duration, text, segments: timed, ...said }, facts);
}

function spanOf({ text, start, end }: TimedText) {
  return { text, start, end };
}

/** A vendor that hears one speaker may not say who it is. */
function turnOf({ speaker = 'A', ...segment }: Segment, at: number): JsonObject {
  const id = `seg_${String(at + 1).padStart(3, '0')}`;
  return { type: 'transcript.text.segment', id, ...spanOf(segment), speaker };
}

function wordOf({ text, start, end }: TimedText): JsonObject {
  return { word: text, start, end };
}

export const openaiTranscription: ClientFormat = {
  id: 'openai-transcription',
  decodeRequest: (body) => decode(body, 'transcribe'),
  encodeAnswer: encode,
};

export const openaiTranslation: ClientFormat = {
  id: 'openai-translation',
  decodeRequest: (body) => decode(body, 'translate'),
  encodeAnswer: encode,
};
