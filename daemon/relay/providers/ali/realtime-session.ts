/** What a realtime session is like, in OpenAI's two manners and in Qwen's words. Source: as of `realtime.ts`. */
import { asNumber, asObject, asObjects, asWord, present } from '../../formats/fields.ts';
import { isForeignVoice } from '../../formats/foreign-voices.ts';
import type { Json, JsonObject } from '../../json.ts';
import {
  checkSpoken,
  type FlatSession,
  flatModalities,
  functionsOf,
  officialSession,
  pcmAt,
  type SoundMembers,
  usualRate,
} from '../../realtime/official-manner.ts';

/** Samples a second that these models hear, and no others. */
export const heardRate = 16_000;
const mostTemperature = 1.99;
/** These find the ends of what is said by its meaning, where they are asked to. */
const findsMeaning = /^qwen(?:3\.[5-9]|[4-9])/;

/** These hear, and see nothing. */
export const hearsOnly = /^qwen-audio/;

/** True for a session as the official manner asks for it; newer sessions of Qwen's own have its members, but no type. */
export function isOfficialSession(session: JsonObject): boolean {
  return session.type === 'realtime';
}

/** The language that a translator of OpenAI's is asked for, in the official manner. */
export function targetLanguage(session: JsonObject): Json | undefined {
  return asObject(asObject(session.audio)?.output)?.language;
}

/**
 * What Qwen is told of a change; members that it does not know are left out, and so are formats, which are what they are.
 * Throws `convert_request_failed` for sound that it does not say, and for tools that are no functions.
 */
export function qwenSession(session: FlatSession, model: string, members: SoundMembers): JsonObject {
  checkSpoken(session, members);
  const voice = asWord(session.voice);
  const temperature = asNumber(session.temperature);
  const language = asWord(asObject(session.input_audio_transcription)?.language);
  const common = {
    instructions: session.instructions,
    modalities: flatModalities(session),
    voice: voice !== undefined && isForeignVoice(voice) ? undefined : voice,
    turn_detection: detectionOf(session.turn_detection, model),
    tools: functionsOf(session)?.map(({ type, ...own }) => ({ type: type ?? 'function', function: own })),
  };
  if (hearsOnly.test(model)) return present(common);
  return present({
    ...common,
    temperature: temperature === undefined ? undefined : Math.min(mostTemperature, temperature),
    max_tokens: asNumber(session.max_response_output_tokens),
    // Transcripts come unasked.
    input_audio_transcription: language === undefined ? undefined : { language },
    translation: session.translation,
  });
}

function detectionOf(value: Json | undefined, model: string): Json | undefined {
  const asked = asObject(value);
  if (asked === undefined) return value === null ? null : undefined;
  const { threshold, prefix_padding_ms, silence_duration_ms } = asked;
  if (hearsOnly.test(model)) return hearersDetection(asked);
  const type = asked.type === 'semantic_vad' && findsMeaning.test(model) ? 'semantic_vad' : 'server_vad';
  return present({ type, threshold, prefix_padding_ms, silence_duration_ms });
}

/** Qwen-Audio finds ends by meaning under a name of its own. */
function hearersDetection({ type, threshold, silence_duration_ms }: JsonObject): JsonObject {
  const name = asWord(type) ?? '';
  if (name.startsWith('smart_turn')) return { type: name };
  return name === 'semantic_vad'
    ? { type: 'smart_turn' }
    : present({ type: 'server_vad', threshold, silence_duration_ms });
}

/** A session of Qwen's in the words of the beta. */
export function betaSession(session: JsonObject): JsonObject {
  return { ...toldSession(session), input_audio_format: 'pcm16', output_audio_format: 'pcm16' };
}

/**
 * A session of Qwen's in the official manner.
 * @param sentRate samples a second that the client sends, whatever the model hears
 */
export function qwenOfficialSession(session: JsonObject, sentRate: number): JsonObject {
  const sound = { input_audio_format: pcmAt(sentRate), output_audio_format: pcmAt(usualRate) };
  return officialSession({ ...toldSession(session), ...sound });
}

function toldSession({ max_tokens, tools, ...session }: JsonObject): FlatSession {
  const flat = tools && asObjects(tools).map(({ function: own, ...tool }) => ({ ...tool, ...asObject(own) }));
  return { ...session, ...present({ tools: flat, max_response_output_tokens: max_tokens }) };
}
