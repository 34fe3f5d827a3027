/** Asks for JSON in words, of models that cannot be held to it. */
import type { OutputFormat } from '../canonical/chat.ts';
import type { Json } from '../json.ts';

export const objectInstruction = 'Answer with one JSON object and nothing else, without code fences.';

/** The demand for an output format; undefined for plain text. */
export function jsonInstruction(output: OutputFormat | undefined): string | undefined {
  if (output?.kind === 'json-object') return objectInstruction;
  return output?.kind === 'json-schema' ? schemaInstruction(output.schema) : undefined;
}

/** The demand for an answer that keeps to a schema. */
export function schemaInstruction(schema: Json): string {
  const demand = 'Answer with JSON only, without code fences or any other text. It must match this JSON schema:';
  return `${demand}\n${JSON.stringify(schema)}`;
}
