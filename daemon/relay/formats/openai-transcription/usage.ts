/** `usage` of speech and of transcripts: tokens, or seconds (relay.md 5.7, 5.8). */
import { emptyUsage, tokenCount, type Usage } from '../../canonical/usage.ts';
import type { Json } from '../../json.ts';
import { asNumber, asObject } from '../fields.ts';

/** Tokens of so many seconds of audio: whole seconds, 1000 a minute, rounded half up. */
export function audioTokens(seconds: number): number {
  return Math.round((tokenCount(Math.ceil(seconds)) * 1000) / 60);
}

/** A usage by the length of the audio that was read. */
export function usageOfSeconds(seconds: number, source: Usage['source']): Usage {
  const prompt = audioTokens(seconds);
  return { ...emptyUsage(source), prompt, promptAudio: prompt, units: { seconds } };
}

/** Undefined when the object is missing or says nothing. */
export function readTranscriptUsage(value: Json | undefined): Usage | undefined {
  const wire = asObject(value);
  const seconds = asNumber(wire?.seconds);
  if (seconds !== undefined && seconds > 0 && wire?.input_tokens === undefined)
    return usageOfSeconds(seconds, 'upstream');
  const input = asObject(wire?.input_token_details) ?? asObject(wire?.prompt_tokens_details);
  const output = asObject(wire?.output_token_details) ?? asObject(wire?.completion_tokens_details);
  const prompt = tokenCount(wire?.input_tokens ?? wire?.prompt_tokens);
  const completion = tokenCount(wire?.output_tokens ?? wire?.completion_tokens);
  if (prompt === 0 && completion === 0) return undefined;
  const audio = tokenCount(input?.audio_tokens);
  return {
    ...emptyUsage(),
    // Some vendors leave the audio out of the prompt (Mistral).
    prompt: audio > prompt ? prompt + audio : prompt,
    promptAudio: audio,
    completion,
    completionAudio: tokenCount(output?.audio_tokens),
  };
}
