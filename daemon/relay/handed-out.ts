/**
 * Ids that an answer hands out for what its upstream keeps and nobody else knows: the container that tools of a message
 * worked in, the files that they made there, the message itself, and what a chat answer said aloud. A later request may
 * name them.
 */
import { asList, asObject, asObjects, asWord } from './formats/fields.ts';
import type { JsonObject } from './json.ts';

/** Of a message, which has it at its top, or of the event that tells of a message's beginning or end. */
export function handedOutContainer({ container, delta, message }: JsonObject): string | undefined {
  return asWord(asObject(container ?? asObject(delta ?? message)?.container)?.id);
}

/** The id of a message, or of the event that begins one: a thread goes on from it, where its request was of a thread. */
export function messageId({ id, message }: JsonObject): string | undefined {
  return asWord(message === undefined ? id : asObject(message)?.id);
}

/** Of an answer or a chunk; only one choice can be heard. */
export function handedOutSpeech({ choices }: JsonObject): string | undefined {
  const choice = asObject(asList(choices)[0]);
  const said = asObject(choice?.message) ?? asObject(choice?.delta);
  return said?.audio === undefined ? undefined : asWord(asObject(said.audio)?.id);
}

/** True for a request whose answer is to be heard: only such have speech to hand out. */
export function asksForSpeech({ modalities }: JsonObject): boolean {
  return Array.isArray(modalities) && modalities.includes('audio');
}

/** Files that the tool of a message's block made, by the block of its result. */
export function madeFiles({ content }: JsonObject): readonly string[] {
  return asObjects(asObject(content)?.content).flatMap(({ file_id }) => asWord(file_id) ?? []);
}
