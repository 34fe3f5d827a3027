/**
 * Reads members of JSON of unknown shape: the right type or `undefined`, never a throw.
 */
import { type ErrorDetails, TollgateError } from '../../errors.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { isNestedTooDeep } from '../json-nesting.ts';

export function asText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A string with at least one character. */
export function asWord(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function asNumber(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** A place in a list, counted from 0: below zero, in fractions or beyond what is exact it says none. */
export function asIndex(value: Json | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 && Number.isSafeInteger(value) ? value : undefined;
}

export function asFlag(value: Json | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

export function asObject(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The object that an answer or an event is; also the error that Google puts into a list where an object was due. */
export function asAnswer(value: Json | undefined): JsonObject | undefined {
  if (!Array.isArray(value)) return asObject(value);
  const first = asObject(value[0]);
  return asObject(first?.error) && first;
}

/** The array, or an empty one. */
export function asList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of an array; anything else in it is skipped. */
export function asObjects(value: Json | undefined): readonly JsonObject[] {
  return asList(value).filter(isObject);
}

/** The strings of an array, or of one string. */
export function asTexts(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return asList(value).filter((entry) => typeof entry === 'string');
}

/** One of the listed words. */
export function asOneOf<const T extends string>(value: Json | undefined, words: readonly T[]): T | undefined {
  return words.find((word) => word === value);
}

/** What a table says of a word from the wire: nothing of `constructor` and others that every object inherits. */
export function entryOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/** The value that the text encodes, or undefined when it is no JSON and when it is nested too deep to be walked. */
export function parseJson(text: string): Json | undefined {
  if (isNestedTooDeep(text)) return undefined;
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** True for a payload without any: hosts that imitate a dialect end its streams with the mark of OpenAI's. */
export function isEmptyPayload(data: string): boolean {
  const text = data.trim();
  return text === '' || text === '[DONE]';
}

/** A list of the value, or an empty one: for `flatMap` over what may be left out. */
export function some<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}

type Optional<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];

/** `T` with every member that may be undefined made optional instead. */
export type Present<T> = { [K in Exclude<keyof T, Optional<T>>]: T[K] } & {
  [K in Optional<T>]?: Exclude<T[K], undefined>;
};

/** The object without its undefined members, so that what was absent stays absent: the one given if it has none. */
export function present<const T extends object>(value: T): Present<T>;
export function present(value: Record<string, unknown>): object {
  if (!hasUndefined(value)) return value;
  // An object that members were deleted from is slow for everyone who reads it afterwards.
  const rest: Record<string, unknown> = {};
  for (const key in value) {
    const member = value[key];
    if (member !== undefined) rest[key] = member;
  }
  return rest;
}

function hasUndefined(value: Record<string, unknown>): boolean {
  for (const key in value) if (value[key] === undefined) return true;
  return false;
}

/** The members of `body` that are not among `known`: what only this dialect can say. */
export function remainder(body: JsonObject, known: ReadonlySet<string>): JsonObject {
  const rest: JsonObject = {};
  for (const key in body) {
    const value = body[key];
    if (value !== undefined && !known.has(key)) rest[key] = value;
  }
  return rest;
}

/** A field that the client must change before any upstream can be asked. */
export function invalid(field: string, reason: string): TollgateError {
  return new TollgateError('invalid_request', { reason: `${field}: ${reason}` }, { field });
}

/** The objects of an array whose entries may not be skipped; refuses any other entry by its place. */
export function onlyObjects(value: Json | undefined, field: string): readonly JsonObject[] {
  return asList(value).map((entry, at) => {
    if (!isObject(entry)) throw invalid(`${field}[${at}]`, 'must be an object');
    return entry;
  });
}

/**
 * A field whose meaning the target format cannot carry and that must not be dropped (relay.md 13.1).
 * @param details what clients of the dialect read to help themselves
 */
export function inexpressible(field: string, reason: string, details?: ErrorDetails): TollgateError {
  const options = details === undefined ? { field } : { field, details };
  return new TollgateError('convert_request_failed', { reason: `${field}: ${reason}` }, options);
}
