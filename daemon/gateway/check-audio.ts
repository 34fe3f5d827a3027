/** The limits of calls for speech and for transcripts (relay.md 5.7, 5.8). */
import type { JsonObject } from '../relay/json.ts';
import { isAbsent, refuse } from './check-calls.ts';
import type { Form } from './form.ts';

const MAX_INPUT_CHARACTERS = 100_000;
const SPEECH_FORMS = new Set(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']);
const TRANSCRIPT_FORMS = new Set(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json']);

/** True: the answer is to come as events. */
export function checkSpeech(body: JsonObject): boolean {
  const { input, speed, stream_format: form } = body;
  if (typeof input !== 'string' || input === '') refuse('input', 'must be a text that is not empty');
  // Each of them has at least one unit: the cheap count settles most.
  if (input.length > MAX_INPUT_CHARACTERS && [...input].length > MAX_INPUT_CHARACTERS) {
    refuse('input', `must have at most ${MAX_INPUT_CHARACTERS} characters`);
  }
  if (!isAbsent(speed) && (typeof speed !== 'number' || speed < 0.25 || speed > 4)) {
    refuse('speed', 'must be a number from 0.25 to 4');
  }
  oneOf(body, 'response_format', SPEECH_FORMS);
  if (!isAbsent(form) && form !== 'audio' && form !== 'sse') refuse('stream_format', 'must be audio or sse');
  return form === 'sse';
}

/** The part of a form that is transcribed. */
export const RECORDING = 'file';

/** True: the transcript is to come as events. */
export function checkTranscript(body: JsonObject, form: Form | undefined): boolean {
  const files = form?.parts.filter((part) => part.kind === 'file' && part.name === RECORDING) ?? [];
  if (files.length !== 1) refuse(RECORDING, 'must be one file');
  oneOf(body, 'response_format', TRANSCRIPT_FORMS);
  if (!isAbsent(body.stream) && typeof body.stream !== 'boolean') refuse('stream', 'must be true or false');
  return body.stream === true;
}

function oneOf(body: JsonObject, field: string, words: ReadonlySet<string>): void {
  const value = body[field];
  if (isAbsent(value)) return;
  if (typeof value !== 'string' || !words.has(value)) refuse(field, `must be one of ${[...words].join(', ')}`);
}
