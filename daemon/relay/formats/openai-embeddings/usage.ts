/**
 * Usage of an embeddings answer: input only, whatever a server writes beside it (relay.md 5.5).
 */
import type { BodyEdit } from '../../body-edit.ts';
import type { Usage } from '../../canonical/usage.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject } from '../fields.ts';
import { readOpenAiUsage } from '../openai-chat/read-usage.ts';

/** Undefined when the answer carries no usage. */
export function findEmbeddingsUsage(body: Json): Usage | undefined {
  const wire = asObject(asObject(body)?.usage);
  if (wire === undefined) return undefined;
  return readOpenAiUsage({ prompt_tokens: wire.prompt_tokens ?? wire.input_tokens ?? wire.total_tokens ?? 0 });
}

/** Puts in what clients of this dialect rely on, and hosts that tell a sum or nothing leave out. */
export function untoldUsage(body: JsonObject, promptTokens: () => number): BodyEdit[] {
  const wire = asObject(body.usage);
  if (asNumber(wire?.prompt_tokens) !== undefined && asNumber(wire?.total_tokens) !== undefined) return [];
  const prompt = findEmbeddingsUsage(body)?.prompt ?? promptTokens();
  return [{ path: ['usage'], set: { ...wire, prompt_tokens: prompt, total_tokens: prompt } }];
}
