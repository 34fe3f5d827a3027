/** Gemini's signatures, in the place where its own OpenAI-compatible surface puts them. */
import type { Seal } from '../../canonical/chat.ts';
import { unwrapSeal } from '../../canonical/seal.ts';
import type { JsonObject } from '../../json.ts';
import { asObject, asWord } from '../fields.ts';

/** The signature of a message, a call or an image. */
export function decodeThoughtSignature(holder: JsonObject): Seal | undefined {
  const google = asObject(asObject(holder.extra_content)?.google);
  const data = asWord(google?.thought_signature);
  return data === undefined ? undefined : unwrapSeal(data, 'gemini-generate');
}

/** What `extra_content` says; only Gemini's own seals stand there. */
export function thoughtSignature(seal: Seal): JsonObject {
  return { google: { thought_signature: seal.data } };
}
