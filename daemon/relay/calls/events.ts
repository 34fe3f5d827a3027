/** What must be known of the events of calls that may stream: images as they take shape, speech, transcripts. */
import type { Usage } from '../canonical/usage.ts';
import type { ClientError } from '../error-body.ts';
import { imageStreamError, openaiStreamError } from '../error-body.ts';
import type { FormatId } from '../format.ts';
import { asObjects, asText, asWord } from '../formats/fields.ts';
import { readImageUsage } from '../formats/openai-images/usage.ts';
import { readTranscriptUsage } from '../formats/openai-transcription/usage.ts';
import type { JsonObject } from '../json.ts';

/** One profile a format. */
export interface CallEvents {
  /** Matches the types of events that end an answer. */
  readonly ends: RegExp;
  /** Matches the types of events that each bring an image. */
  readonly brings?: RegExp;
  /** Usage in an event that ends an answer. */
  readUsage(event: JsonObject): Usage | undefined;
  /** Text that an event adds to the answer. */
  textOf?(event: JsonObject): string | undefined;
  /** Sound that an event adds to the answer. */
  soundOf?(event: JsonObject): Buffer | undefined;
  /** A piece of sound, or its end, as the event that brings it; undefined for formats without sound. */
  sound?(heard: { readonly piece: Buffer } | { readonly end: Usage }): JsonObject;
  /** A complete answer as the events that would have brought it; undefined for what is no such answer. */
  replay(body: JsonObject): JsonObject[] | undefined;
  /** Bytes that end a stream which broke (relay.md 4.6). */
  fail(error: ClientError): Buffer;
}

/** Each image is complete at once; the last one brings the usage. */
function replayImages(type: string, { data, usage, created }: JsonObject): JsonObject[] {
  const made = asObjects(data);
  return made.map((image, index) => ({
    type,
    ...image,
    ...(created === undefined ? {} : { created_at: created }),
    ...(usage === undefined || index < made.length - 1 ? {} : { usage }),
  }));
}

const images: CallEvents = {
  ends: /^image_(?:generation|edit)\.completed$/,
  brings: /^image_(?:generation|edit)\.(?:completed|partial_succeeded)$/,
  readUsage: (event) => readImageUsage(event.usage),
  replay: (body) => replayImages('image_generation.completed', body),
  fail: imageStreamError,
};

const imageEdits: CallEvents = { ...images, replay: (body) => replayImages('image_edit.completed', body) };

const speech: CallEvents = {
  ends: /^speech\.audio\.done$/,
  readUsage: (event) => readTranscriptUsage(event.usage),
  soundOf: (event) => Buffer.from(asWord(event.audio) ?? '', 'base64'),
  sound: (heard) => {
    if ('piece' in heard) return { type: 'speech.audio.delta', audio: heard.piece.toString('base64') };
    const { prompt, completion } = heard.end;
    const usage = { input_tokens: prompt, output_tokens: completion, total_tokens: prompt + completion };
    return { type: 'speech.audio.done', usage };
  },
  // Nothing but sound becomes events of sound.
  replay: () => undefined,
  fail: openaiStreamError,
};

/** Turns of a conversation: the words of each, with what lies before them, then who said them. */
function replayTurns(text: string, turns: readonly JsonObject[]): JsonObject[] {
  let told = 0;
  return turns.flatMap((turn, index) => {
    const words = asText(turn.text) ?? '';
    const found = text.indexOf(words, told);
    const end = index === turns.length - 1 || found < 0 ? text.length : found + words.length;
    const delta = text.slice(told, end);
    told = end;
    return [{ type: 'transcript.text.delta', delta, segment_id: turn.id ?? '' }, turn];
  });
}

const transcripts: CallEvents = {
  ends: /^transcript\.text\.done$/,
  readUsage: (event) => readTranscriptUsage(event.usage),
  textOf: (event) => asWord(event.delta),
  replay: ({ text, usage, segments }) => {
    if (typeof text !== 'string') return undefined;
    const done = { type: 'transcript.text.done', text, ...(usage === undefined ? {} : { usage }) };
    const turns = asObjects(segments).filter(({ type }) => type === 'transcript.text.segment');
    return [
      ...(turns.length === 0 ? [{ type: 'transcript.text.delta', delta: text }] : replayTurns(text, turns)),
      done,
    ];
  },
  fail: openaiStreamError,
};

const byFormat: Partial<Record<FormatId, CallEvents>> = {
  'openai-images': images,
  'openai-image-edits': imageEdits,
  'openai-speech': speech,
  'openai-transcription': transcripts,
  'openai-translation': transcripts,
};

/** Undefined for formats whose answers never stream. */
export function callEventsOf(format: FormatId): CallEvents | undefined {
  return byFormat[format];
}
