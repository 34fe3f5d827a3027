/**
 * Usage of an embeddings answer: input only, whatever a server writes beside it (relay.md 5.5).
 */
import type { Usage } from '../../canonical/usage.ts';
import type { Json } from '../../json.ts';
import { asObject } from '../fields.ts';
import { readOpenAiUsage } from '../openai-chat/read-usage.ts';

/** Undefined when the answer carries no usage. */
export function findEmbeddingsUsage(body: Json): Usage | undefined {
  const wire = asObject(asObject(body)?.usage);
  if (wire === undefined) return undefined;
  return readOpenAiUsage({ prompt_tokens: wire.prompt_tokens ?? wire.input_tokens ?? wire.total_tokens ?? 0 });
}
