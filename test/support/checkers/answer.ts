/**
 * What one answer says, read from any wire without the help of the codecs that are under test.
 */
import { isObject, type Json, type JsonObject } from '../../../daemon/relay/json.ts';

export interface Answer {
  text: string;
  reasoning: string;
  refusal: string;
  calls: { name: string; input: string }[];
  /** Inclusive, as canonical usage is. */
  usage: { prompt: number; cached: number; completion: number } | undefined;
  finish: string | undefined;
}

export interface Checked {
  /** Every breach of the protocol, in order; empty for a legal stream. */
  problems: string[];
  /** Choice 0. */
  answer: Answer;
  /** It ended with an error of its protocol. */
  isFailed: boolean;
}

export function emptyAnswer(): Answer {
  return { text: '', reasoning: '', refusal: '', calls: [], usage: undefined, finish: undefined };
}

/** Member of an object, or undefined. */
export function at(value: Json | undefined, ...path: (string | number)[]): Json | undefined {
  let current: Json | undefined = value;
  for (const key of path) {
    if (Array.isArray(current) && typeof key === 'number') current = current[key];
    else if (isObject(current) && typeof key === 'string') current = current[key];
    else return undefined;
  }
  return current;
}

export function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function count(value: Json | undefined): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

export function parse(data: string): JsonObject {
  const value: unknown = JSON.parse(data);
  if (!isObject(value)) throw new Error(`not a JSON object: ${data.slice(0, 80)}`);
  return value;
}

/** Arguments in one spelling, so that white space and an empty text make no difference. */
export function canonicalInput(input: string): string {
  if (input.trim() === '') return '{}';
  try {
    const value: Json = JSON.parse(input);
    if (isObject(value)) return JSON.stringify(sorted(value));
  } catch {
    // Told apart below, like anything else that is no object.
  }
  return JSON.stringify({ _raw: input });
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const key of Object.keys(value).sort()) out[key] = sorted(value[key] ?? null);
  return out;
}
