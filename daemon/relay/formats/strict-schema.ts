/**
 * What OpenAI takes as a schema with `strict`: every object is closed and requires all of its members. It refuses any
 * other with 400, while Anthropic's and Gemini's grammars know members that may be left out.
 * Source: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas, read 2026-11.
 */
import { isObject, type Json, type JsonObject } from '../json.ts';
import { asList } from './fields.ts';

export function isStrictSchema(schema: JsonObject): boolean {
  if (!isOfObjects(schema)) return false;
  const waiting: Json[] = [schema];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (Array.isArray(part)) for (const one of part) waiting.push(one);
    if (!isObject(part)) continue;
    if (isOfObjects(part) && !isClosedAndWhole(part)) return false;
    for (const [key, value] of Object.entries(part)) {
      if (key === 'properties' || key === '$defs' || key === 'definitions') {
        if (isObject(value)) for (const member of Object.values(value)) waiting.push(member);
      } else if (key === 'items' || key === 'anyOf') waiting.push(value);
    }
  }
  return true;
}

/** Whether a schema speaks of objects, by its word or by the members that it names. */
export function isOfObjects({ type, properties }: JsonObject): boolean {
  return type === 'object' || asList(type).includes('object') || (type === undefined && isObject(properties));
}

function isClosedAndWhole({ properties, required, additionalProperties }: JsonObject): boolean {
  if (additionalProperties !== false) return false;
  const needed = new Set(asList(required));
  return Object.keys(isObject(properties) ? properties : {}).every((name) => needed.has(name));
}
