/**
 * What an embeddings answer tells beside its vectors: usage, of input only, whatever a server writes beside it, and the
 * model (relay.md 5.5).
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

/** Puts in what clients of this dialect rely on, and hosts that tell a sum or nothing, or no model, leave out. */
export function untoldMembers(body: JsonObject, told: { model: string; promptTokens: () => number }): BodyEdit[] {
  const edits: BodyEdit[] = body.model === undefined ? [{ path: ['model'], set: told.model }] : [];
  const wire = asObject(body.usage);
  if (asNumber(wire?.prompt_tokens) !== undefined && asNumber(wire?.total_tokens) !== undefined) return edits;
  const prompt = findEmbeddingsUsage(body)?.prompt ?? told.promptTokens();
  edits.push({ path: ['usage'], set: { ...wire, prompt_tokens: prompt, total_tokens: prompt } });
  return edits;
}
