/** What a realtime session is like, in OpenAI's two manners and in GLM's words. Source: as of `realtime.ts`. */
import {
  asList,
  asNumber,
  asObject,
  asObjects,
  asTexts,
  asWord,
  inexpressible,
  present,
} from '../../formats/fields.ts';
import { isForeignVoice } from '../../formats/foreign-voices.ts';
import type { Json, JsonObject } from '../../json.ts';

/** A session's members side by side, as the beta has them. */
export type FlatSession = JsonObject;

/** What a manner calls the members that may be refused. */
export interface SoundMembers {
  readonly heard: string;
  readonly spoken: string;
}

/** Samples a second of OpenAI's `pcm16`, and of all that GLM says. */
const usualRate = 24_000;
const rates: ReadonlySet<number> = new Set([16_000, usualRate]);
const most = { temperature: 1, tokens: 1024 };

/** True for a session as only GLM's own clients ask for it. */
export function isOwnSession(session: JsonObject): boolean {
  const format = asWord(session.input_audio_format) ?? '';
  return session.beta_fields !== undefined || /^(?:wav|pcm$|pcm(?!16)\d)/.test(format);
}

/** True for a session as the official manner asks for it. */
export function isOfficialSession(session: JsonObject): boolean {
  return session.type !== undefined || session.audio !== undefined || session.output_modalities !== undefined;
}

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
  });
}

/**
 * What GLM is told of a change; members that it does not know are left out. Throws `convert_request_failed` for sound in
 * other forms than its own, and for tools that are no functions.
 */
export function glmSession(session: FlatSession, members: SoundMembers): JsonObject {
  const input = session.input_audio_format === undefined ? undefined : rateOf(session.input_audio_format);
  if (input === 'unknown') throw inexpressible(members.heard, 'this model hears PCM at 16 or 24 kHz');
  const output = session.output_audio_format === undefined ? undefined : rateOf(session.output_audio_format);
  if (output === 'unknown') throw inexpressible(members.spoken, 'this model speaks PCM at 24 kHz');
  const tools = asObjects(session.tools);
  if (tools.length !== asList(session.tools).length || tools.some(({ type }) => type !== 'function')) {
    throw inexpressible('session.tools', 'this model calls functions only');
  }
  const voice = asWord(session.voice);
  const temperature = asNumber(session.temperature);
  const noise = asObject(session.input_audio_noise_reduction);
  const modalities = asTexts(session.modalities);
  return present({
    instructions: session.instructions,
    input_audio_format: input === undefined ? undefined : `pcm${input / 1000}`,
    turn_detection: detectionOf(session.turn_detection),
    tools: session.tools === undefined ? undefined : tools.map(toolOf),
    // An answer in sound has its words beside it.
    modalities: modalities.includes('audio') ? ['text', 'audio'] : modalities.length > 0 ? ['text'] : undefined,
    voice: voice !== undefined && isForeignVoice(voice) ? undefined : voice,
    temperature: temperature === undefined ? undefined : Math.min(most.temperature, temperature),
    max_response_output_tokens: tokensOf(session.max_response_output_tokens),
    input_audio_noise_reduction: noise && { type: noise.type ?? 'near_field' },
  });
}

/** Samples a second of a format that both know. */
function rateOf(format: Json): number | 'unknown' {
  if (format === 'pcm16') return usualRate;
  const named = asObject(format);
  const rate = asNumber(named?.rate) ?? usualRate;
  return named?.type === 'audio/pcm' && rates.has(rate) ? rate : 'unknown';
}

/** Nobody listens for the ends of what is said: the client says them. */
function detectionOf(value: Json | undefined): JsonObject | undefined {
  if (value === undefined) return undefined;
  return { type: value === null || asObject(value)?.type === 'client_vad' ? 'client_vad' : 'server_vad' };
}

/** Descriptions are not optional here. */
function toolOf({ type, name, description, parameters }: JsonObject): JsonObject {
  return present({ type, name, description: description ?? name, parameters });
}

function tokensOf(value: Json | undefined): string | undefined {
  const tokens = asNumber(value);
  return tokens === undefined ? undefined : String(Math.min(most.tokens, tokens));
}

/** A session of GLM's in the words of the beta. */
export function betaSession(session: JsonObject): JsonObject {
  const { beta_fields: _, greeting_config: __, ...rest } = session;
  return {
    ...rest,
    ...present({
      input_audio_format: heardFormat(session.input_audio_format) && 'pcm16',
      output_audio_format: session.output_audio_format === undefined ? undefined : 'pcm16',
      turn_detection: toldDetection(session.turn_detection),
      max_response_output_tokens: toldTokens(session.max_response_output_tokens),
    }),
  };
}

/** A session of GLM's in the official manner. */
export function officialSession(session: JsonObject): JsonObject {
  const { id, model, instructions, modalities, tools, voice } = session;
  const heard = heardFormat(session.input_audio_format);
  const input = present({
    format: heard && { type: 'audio/pcm', rate: heard },
    turn_detection: toldDetection(session.turn_detection),
    noise_reduction: session.input_audio_noise_reduction,
  });
  const format = session.output_audio_format === undefined ? undefined : { type: 'audio/pcm', rate: usualRate };
  return {
    type: 'realtime',
    object: 'realtime.session',
    ...present({
      id,
      model,
      instructions,
      output_modalities: modalities === undefined ? undefined : asTexts(modalities).filter(isSaidAlone(modalities)),
      tools,
      max_output_tokens: toldTokens(session.max_response_output_tokens),
    }),
    audio: { input, output: present({ format, voice }) },
  };
}

/** The official manner names one modality: sound has its words beside it. */
function isSaidAlone(modalities: Json): (name: string) => boolean {
  const hasSound = asTexts(modalities).includes('audio');
  return (name) => name === 'audio' || !hasSound;
}

function heardFormat(format: Json | undefined): number | undefined {
  const name = asWord(format);
  if (name === undefined) return undefined;
  return name === 'pcm16' ? 16_000 : usualRate;
}

function toldDetection(value: Json | undefined): Json | undefined {
  const type = asWord(asObject(value)?.type);
  if (type === undefined) return undefined;
  return type === 'client_vad' ? null : { type };
}

function toldTokens(value: Json | undefined): number | undefined {
  const tokens = Number(asWord(value) ?? Number.NaN);
  return Number.isFinite(tokens) ? tokens : asNumber(value);
}
