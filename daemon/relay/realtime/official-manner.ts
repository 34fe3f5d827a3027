/**
 * OpenAI's official manner of realtime sessions, and that of its beta, which vendors imitate: members of a session side
 * by side, and other names for events and for the parts of messages.
 */
import { asList, asNumber, asObject, asObjects, asText, asTexts, inexpressible, present } from '../formats/fields.ts';
import type { Json, JsonObject } from '../json.ts';

/** A session's members side by side, as the beta has them. */
export type FlatSession = JsonObject;

/** What the official manner calls differently. */
const renamed: readonly (readonly [beta: string, official: string])[] = [
  ['response.text.', 'response.output_text.'],
  ['response.audio.', 'response.output_audio.'],
  ['response.audio_transcript.', 'response.output_audio_transcript.'],
];
/** The parts of an assistant's message. */
const officialParts: Readonly<Record<string, string>> = { text: 'output_text', audio: 'output_audio' };
const betaParts: Readonly<Record<string, string>> = { output_text: 'text', output_audio: 'audio' };

/** What was not heard is cut by the vendor itself. */
export const cutEvents: ReadonlySet<string> = new Set(['conversation.item.truncate', 'output_audio_buffer.clear']);

/** What a manner calls the members that may be refused. */
export interface SoundMembers {
  readonly heard: string;
  readonly spoken: string;
}

export const betaMembers: SoundMembers = {
  heard: 'session.input_audio_format',
  spoken: 'session.output_audio_format',
};
export const officialMembers: SoundMembers = {
  heard: 'session.audio.input.format',
  spoken: 'session.audio.output.format',
};

/** Samples a second of OpenAI's `pcm16`, and of what those vendors say. */
export const usualRate = 24_000;
const rates: ReadonlySet<number> = new Set([16_000, usualRate]);

/** The official manner's session with its members side by side. */
export function flatSession(session: JsonObject): FlatSession {
  const audio = asObject(session.audio);
  const input = asObject(audio?.input);
  const output = asObject(audio?.output);
  return present({
    instructions: session.instructions,
    modalities: session.output_modalities,
    tools: session.tools,
    max_response_output_tokens: session.max_output_tokens,
    voice: output?.voice,
    input_audio_format: input?.format,
    output_audio_format: output?.format,
    turn_detection: input?.turn_detection,
    input_audio_noise_reduction: input?.noise_reduction,
    input_audio_transcription: input?.transcription,
  });
}

/** A session whose members stand side by side in the official manner. */
export function officialSession(session: FlatSession): JsonObject {
  const { id, model, instructions, tools, tool_choice, voice } = session;
  return {
    type: 'realtime',
    object: 'realtime.session',
    ...present({
      id,
      model,
      instructions,
      output_modalities: officialModalities(session.modalities),
      tools,
      tool_choice,
      max_output_tokens: session.max_response_output_tokens,
    }),
    audio: {
      input: present({
        format: session.input_audio_format,
        turn_detection: session.turn_detection,
        noise_reduction: session.input_audio_noise_reduction,
        transcription: session.input_audio_transcription,
      }),
      output: present({ format: session.output_audio_format, voice }),
    },
  };
}

/** PCM as the official manner names it. */
export function pcmAt(rate: number): JsonObject {
  return { type: 'audio/pcm', rate };
}

/** Samples a second that the client will send; undefined: as before. Throws `convert_request_failed` for other sound. */
export function heardRate({ input_audio_format: format }: FlatSession, members: SoundMembers): number | undefined {
  const rate = format === undefined ? undefined : rateOf(format);
  if (rate === 'unknown') throw inexpressible(members.heard, 'this model hears PCM at 16 or 24 kHz');
  return rate;
}

/** Throws `convert_request_failed` for sound that a vendor of 24 kHz does not say. */
export function checkSpoken({ output_audio_format: format }: FlatSession, members: SoundMembers): void {
  if (format === undefined || rateOf(format) === usualRate) return;
  throw inexpressible(members.spoken, 'this model speaks PCM at 24 kHz');
}

/** Samples a second of a format that both know. */
function rateOf(format: Json): number | 'unknown' {
  if (format === 'pcm16') return usualRate;
  const named = asObject(format);
  const rate = asNumber(named?.rate) ?? usualRate;
  return named?.type === 'audio/pcm' && rates.has(rate) ? rate : 'unknown';
}

/** The tools of a session; undefined: as before. Throws `convert_request_failed` for those that are no functions. */
export function functionsOf({ tools: asked }: FlatSession): readonly JsonObject[] | undefined {
  if (asked === undefined) return undefined;
  const tools = asObjects(asked);
  if (tools.length === asList(asked).length && tools.every(({ type }) => type === 'function')) return tools;
  throw inexpressible('session.tools', 'this model calls functions only');
}

/** What is answered in, as the beta names it: an answer in sound has its words beside it. */
export function flatModalities({ modalities: asked }: FlatSession): string[] | undefined {
  const modalities = asTexts(asked);
  if (modalities.includes('audio')) return ['text', 'audio'];
  return modalities.length > 0 ? ['text'] : undefined;
}

/** What may be wished of one answer; names of the client's own would fill the log. */
const wishesOfOne = [
  'audio',
  'instructions',
  'max_output_tokens',
  'max_response_output_tokens',
  'metadata',
  'modalities',
  'output_audio_format',
  'output_modalities',
  'prompt',
  'temperature',
  'tool_choice',
  'tools',
  'voice',
];

/**
 * An answer that is wished for, without what may be wished of this one alone, for vendors with no words for that. Throws
 * `convert_request_failed` for one beside the conversation, which they would make a part of it.
 */
export function plainWish({ response, ...event }: JsonObject, lose: (member: string) => void): JsonObject {
  const wishes = asObject(response);
  if (wishes?.conversation === 'none') {
    throw inexpressible('response.conversation', 'this model answers within its conversation only');
  }
  if (Array.isArray(wishes?.input)) {
    throw inexpressible('response.input', 'this model answers within its conversation only');
  }
  for (const wish of wishesOfOne) if ((wishes?.[wish] ?? null) !== null) lose(`response.${wish}`);
  return event;
}

/** The official manner names one modality: sound has its words beside it. */
function officialModalities(modalities: Json | undefined): string[] | undefined {
  if (modalities === undefined) return undefined;
  const told = asTexts(modalities);
  return told.includes('audio') ? ['audio'] : [...told];
}

/** An event of the beta's in the official manner. */
export function officialEvents(type: string, event: JsonObject): readonly JsonObject[] {
  if (type === 'conversation.item.created') {
    const told = { ...event, item: officialItem(asObject(event.item) ?? {}) };
    const isDone = told.item.status !== 'incomplete' && told.item.status !== 'in_progress';
    const added = { ...told, type: 'conversation.item.added' };
    return isDone ? [added, { ...told, type: 'conversation.item.done' }] : [added];
  }
  if (type === 'response.created' || type === 'response.done') {
    return [{ ...event, response: officialResponse(asObject(event.response) ?? {}) }];
  }
  if (type === 'response.output_item.added' || type === 'response.output_item.done') {
    return [{ ...event, item: officialItem(asObject(event.item) ?? {}) }];
  }
  const found = renamed.find(([beta]) => type.startsWith(beta));
  if (found === undefined) return [event];
  const [beta, name] = found;
  return [{ output_index: 0, content_index: 0, ...event, type: name + type.slice(beta.length) }];
}

function officialResponse({ modalities, output, ...rest }: JsonObject): JsonObject {
  return {
    ...rest,
    ...(modalities === undefined ? {} : { output_modalities: modalities }),
    ...(output === undefined ? {} : { output: asObjects(output).map(officialItem) }),
  };
}

function officialItem(item: JsonObject): JsonObject {
  return item.role === 'assistant' ? withParts(item, officialParts) : item;
}

/** An item of the client's with the beta's names for its parts. */
export function betaItem(item: JsonObject): JsonObject {
  return withParts(item, betaParts);
}

function withParts(item: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  if (!Array.isArray(item.content)) return item;
  const content = asObjects(item.content).map((part): Json => {
    const name = names[asText(part.type) ?? ''];
    return name === undefined ? part : { ...part, type: name };
  });
  return { ...item, content };
}
