/** What a realtime session is like, in OpenAI's two manners and in GLM's words. Source: as of `realtime.ts`. */
import { asNumber, asObject, asWord, present } from '../../formats/fields.ts';
import { isForeignVoice } from '../../formats/foreign-voices.ts';
import type { Json, JsonObject } from '../../json.ts';
import {
  checkSpoken,
  type FlatSession,
  flatModalities,
  functionsOf,
  heardRate,
  officialSession,
  pcmAt,
  type SoundMembers,
  usualRate,
} from '../../realtime/official-manner.ts';

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

/**
 * What GLM is told of a change; members that it does not know are left out. Throws `convert_request_failed` for sound in
 * other forms than its own, and for tools that are no functions.
 */
export function glmSession(session: FlatSession, members: SoundMembers): JsonObject {
  const heard = heardRate(session, members);
  checkSpoken(session, members);
  const voice = asWord(session.voice);
  const temperature = asNumber(session.temperature);
  const noise = asObject(session.input_audio_noise_reduction);
  return present({
    instructions: session.instructions,
    input_audio_format: heard && `pcm${heard / 1000}`,
    turn_detection: detectionOf(session.turn_detection),
    tools: functionsOf(session)?.map(toolOf),
    modalities: flatModalities(session),
    voice: voice !== undefined && isForeignVoice(voice) ? undefined : voice,
    temperature: temperature === undefined ? undefined : Math.min(most.temperature, temperature),
    max_response_output_tokens: tokensOf(session.max_response_output_tokens),
    input_audio_noise_reduction: noise && { type: noise.type ?? 'near_field' },
  });
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
export function glmOfficialSession(session: JsonObject): JsonObject {
  const heard = heardFormat(session.input_audio_format);
  return officialSession(
    present({
      ...session,
      input_audio_format: heard && pcmAt(heard),
      output_audio_format: session.output_audio_format === undefined ? undefined : pcmAt(usualRate),
      turn_detection: toldDetection(session.turn_detection),
      max_response_output_tokens: toldTokens(session.max_response_output_tokens),
    }),
  );
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
