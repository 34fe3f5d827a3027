/** Asks for JSON in words, of models that cannot be held to it. */
import type { OutputFormat } from '../canonical/chat.ts';
import type { Json, JsonObject } from '../json.ts';

export const objectInstruction = 'Answer with one JSON object and nothing else, without code fences.';

/** The demand for an output format; undefined for plain text. */
export function jsonInstruction(output: OutputFormat | undefined): string | undefined {
  if (output?.kind === 'json-object') return objectInstruction;
  return output?.kind === 'json-schema' ? schemaInstruction(describedSchema(output)) : undefined;
}

/** The schema with what the answer is for, which OpenAI's dialects say beside it and others have no member for. */
export function describedSchema({ schema, description }: Extract<OutputFormat, { kind: 'json-schema' }>): JsonObject {
  if (description === undefined || description === '' || schema.description === description) return schema;
  const own = typeof schema.description === 'string' ? `\n${schema.description}` : '';
  return { ...schema, description: description + own };
}

/** The demand for an answer that keeps to a schema. */
export function schemaInstruction(schema: Json): string {
  const demand = 'Answer with JSON only, without code fences or any other text. It must match this JSON schema:';
  return `${demand}\n${JSON.stringify(schema)}`;
}
