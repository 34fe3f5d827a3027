/**
 * Schemas of answers as Anthropic's grammar takes them: it refuses objects that are not closed, bounds and patterns. As
 * the vendor's own packages do, what it does not take is told in the description.
 * Source: @anthropic-ai/sdk 1.11, lib/transform-json-schema; refusals by the API, read 2026-11.
 */
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { asList, asText } from '../fields.ts';
import { isOfObjects } from '../strict-schema.ts';

const kept = new Set(['type', '$ref', 'title', 'description', 'default', 'required']);
const ofSchemas = new Set(['anyOf', 'oneOf', 'allOf']);
const ofNamedSchemas = new Set(['properties', '$defs', 'definitions']);
const formats = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' ')) as ReadonlySet<
  Json | undefined
>;

/** Undefined for a schema with a map or a free object in it, which would stay empty once it is closed. */
export function answerSchema(schema: JsonObject): JsonObject | undefined {
  let isOpen = false;

  function close(part: JsonObject): JsonObject {
    const out: JsonObject = {};
    const told: JsonObject = {};
    for (const [key, value] of Object.entries(part)) {
      if (kept.has(key) || isTaken(key, value)) out[key] = value;
      else if (ofSchemas.has(key) && Array.isArray(value)) out[key === 'oneOf' ? 'anyOf' : key] = value.map(closed);
      else if (ofNamedSchemas.has(key) && isObject(value)) out[key] = closedMembers(value);
      else if (key === 'items' && isObject(value)) out.items = close(value);
      else if (key !== '$schema' && key !== 'additionalProperties') told[key] = value;
    }
    if (isOfObjects(part)) {
      isOpen ||= isMap(part);
      out.additionalProperties = false;
    }
    if (Object.keys(told).length > 0) {
      const words = JSON.stringify(told);
      const description = asText(part.description);
      out.description = description === undefined ? words : `${description}\n\n${words}`;
    }
    return out;
  }

  const closed = (part: Json): Json => (isObject(part) ? close(part) : part);
  const closedMembers = (members: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(members).map(([name, part]) => [name, closed(part)]));

  const whole = close(schema);
  return isOpen ? undefined : whole;
}

function isTaken(key: string, value: Json): boolean {
  if (key === 'enum') return asList(value).every((one) => typeof one !== 'object' || one === null);
  if (key === 'const') return typeof value !== 'object' || value === null;
  if (key === 'format') return formats.has(value);
  return key === 'minItems' && (value === 0 || value === 1);
}

function isMap({ properties, patternProperties, additionalProperties: others }: JsonObject): boolean {
  if (patternProperties !== undefined || (isObject(others) && Object.keys(others).length > 0)) return true;
  return others !== false && !(isObject(properties) && Object.keys(properties).length > 0);
}
