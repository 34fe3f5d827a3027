/**
 * Members that the canonical shape has a place for and whose value nobody here understands: a number in quotes, a word
 * of a newer or another server. They stay members of their dialect alone: an upstream of it judges them itself, for any
 * other they are noted (`loss.ts`).
 */
import type { Json, JsonObject } from '../json.ts';

/** Of the named members those of which nothing was read: `read` has what was made of each, undefined for nothing. */
export function unread(fields: JsonObject, read: Readonly<Record<string, unknown>>): JsonObject {
  const rest: JsonObject = {};
  for (const name in read) {
    const value = fields[name];
    if (read[name] === undefined && value !== undefined && !saysNothing(value)) rest[name] = value;
  }
  return rest;
}

function saysNothing(value: Json): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** What says whether a word was read: the word, where there is none too; undefined for one that is not among the known. */
export function wordRead(value: Json | undefined, words: readonly string[]): Json | undefined {
  return value === undefined || value === null || words.some((word) => word === value) ? (value ?? '') : undefined;
}
