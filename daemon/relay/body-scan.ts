/**
 * Finds the members of a JSON object in its bytes without building values, so that the native lane can change one
 * member and leave every other byte as it came (relay.md 1.3). Strings are skipped with native searches: a body of
 * many megabytes costs little more than reading it once.
 */
import { isUtf8 } from 'node:buffer';
import { TollgateError } from '../errors.ts';

/** Deepest nesting of a request body (relay.md 17.3). */
export const MAX_DEPTH = 128;
/** Most values in a request body; the longest lists that vendors take, prompts as tokens, have 300,000. */
export const MAX_VALUES = 500_000;
/** Most objects and lists: each is some ten tokens of a prompt, and no model reads a million. */
export const MAX_GROUPS = 100_000;

/** A range of bytes, the end excluded. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One member of an object, from the opening quote of its name to the end of its value. */
export interface MemberSpan extends Span {
  /** Decoded name. */
  readonly key: string;
  readonly valueStart: number;
}

/** One JSON object in bytes. */
export interface ObjectSpan {
  /** Offset of `{`. */
  readonly start: number;
  /** Offset of the matching `}`. */
  readonly close: number;
  /** In order of appearance, repeated names included. */
  readonly members: readonly MemberSpan[];
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;
const spaces = new Set([0x20, 0x0a, 0x0d, 0x09]);

/** Below this many bytes a loop is quicker than a call into the runtime. */
const shortString = 48;

function malformed(at: number): TollgateError {
  return new TollgateError('invalid_request', { reason: `the body is not valid JSON (near byte ${at})` });
}

/** Offset of the first byte from `at` on that is no white space. */
export function skipSpace(bytes: Buffer, at: number): number {
  let index = at;
  for (let byte = bytes[index]; byte !== undefined && byte <= 0x20 && spaces.has(byte); byte = bytes[index]) index += 1;
  return index;
}

/** Offset behind the closing quote of the string that opens at `at`. */
export function skipString(bytes: Buffer, at: number): number {
  let index = at + 1;
  const stop = Math.min(bytes.length, index + shortString);
  while (index < stop) {
    const byte = bytes[index];
    if (byte === quote) return index + 1;
    index += byte === backslash ? 2 : 1;
  }
  for (;;) {
    const end = bytes.indexOf(quote, index);
    if (end < 0) throw malformed(at);
    let escapes = 0;
    while (end - escapes > index && bytes[end - escapes - 1] === backslash) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
    index = end + 1;
  }
}

function skipContainer(bytes: Buffer, at: number, depth: number): number {
  const closers = new Uint8Array(MAX_DEPTH + 1);
  let open = 0;
  let index = at;
  while (index < bytes.length) {
    const byte = bytes[index];
    if (byte === quote) {
      index = skipString(bytes, index);
      continue;
    }
    if (byte === openBrace || byte === openBracket) {
      open += 1;
      if (depth + open > MAX_DEPTH) {
        throw new TollgateError('invalid_request', { reason: `the body is nested deeper than ${MAX_DEPTH} levels` });
      }
      closers[open] = byte === openBrace ? closeBrace : closeBracket;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (closers[open] !== byte) throw malformed(index);
      open -= 1;
      if (open === 0) return index + 1;
    }
    index += 1;
  }
  throw malformed(index);
}

/** Offset behind the value that begins at `at`; `depth` is the nesting around it. */
function skipValue(bytes: Buffer, at: number, depth: number): number {
  const first = bytes[at];
  if (first === quote) return skipString(bytes, at);
  if (first === openBrace || first === openBracket) return skipContainer(bytes, at, depth);
  let index = at;
  for (; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === comma || byte === closeBrace || byte === closeBracket || (byte !== undefined && spaces.has(byte)))
      break;
  }
  if (index === at) throw malformed(at);
  return index;
}

function readKey(bytes: Buffer, start: number, end: number): string {
  for (let index = start + 1; index < end - 1; index += 1) {
    const byte = bytes[index];
    if (byte === undefined || byte === backslash || byte >= 0x80) return decodeString(bytes, start, end);
  }
  return bytes.toString('latin1', start + 1, end - 1);
}

function decodeString(bytes: Buffer, start: number, end: number): string {
  try {
    const text: unknown = JSON.parse(bytes.toString('utf8', start, end));
    if (typeof text === 'string') return text;
  } catch {
    // Reported below, with the place.
  }
  throw malformed(start);
}

/** Members of the object whose `{` is at `start`; `depth` is the nesting around it. Throws `invalid_request`. */
export function scanObject(bytes: Buffer, start: number, depth = 0): ObjectSpan {
  const members: MemberSpan[] = [];
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === closeBrace) return { start, close: at, members };
  for (;;) {
    if (bytes[at] !== quote) throw malformed(at);
    const keyEnd = skipString(bytes, at);
    const afterKey = skipSpace(bytes, keyEnd);
    if (bytes[afterKey] !== colon) throw malformed(afterKey);
    const valueStart = skipSpace(bytes, afterKey + 1);
    const valueEnd = skipValue(bytes, valueStart, depth + 1);
    members.push({ key: readKey(bytes, at, keyEnd), start: at, valueStart, end: valueEnd });
    at = skipSpace(bytes, valueEnd);
    if (bytes[at] === closeBrace) return { start, close: at, members };
    if (bytes[at] !== comma) throw malformed(at);
    at = skipSpace(bytes, at + 1);
  }
}

/** Elements of the array whose `[` is at `start`. Throws `invalid_request`. */
export function scanArray(bytes: Buffer, start: number, depth = 0): Span[] {
  const elements: Span[] = [];
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === closeBracket) return elements;
  for (;;) {
    const end = skipValue(bytes, at, depth + 1);
    elements.push({ start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === closeBracket) return elements;
    if (bytes[at] !== comma) throw malformed(at);
    at = skipSpace(bytes, at + 1);
  }
}

/**
 * Members of a body that is one JSON object. Throws `invalid_request` for bytes that are not UTF-8, for another kind
 * of value, for broken structure and for nesting above `MAX_DEPTH`; the text of numbers and words is not checked.
 */
export function scanTopLevel(body: Buffer): ObjectSpan {
  if (!isUtf8(body)) throw new TollgateError('invalid_request', { reason: 'the body is not UTF-8' });
  return scanText(body);
}

/** `scanTopLevel` of bytes that are known to be UTF-8. */
export function scanText(body: Buffer): ObjectSpan {
  const start = skipSpace(body, 0);
  if (body[start] !== openBrace) {
    throw new TollgateError('invalid_request', { reason: 'the body must be a JSON object' });
  }
  const span = scanObject(body, start);
  const rest = skipSpace(body, span.close + 1);
  if (rest < body.length) throw malformed(rest);
  return span;
}
