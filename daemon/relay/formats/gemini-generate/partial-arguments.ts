/**
 * Arguments that arrive value by value, each with the JSON path where it belongs.
 * Source: the vendor's page on streaming function call arguments, read 2026-08.
 */
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { asObjects, asText } from '../fields.ts';

/** Deeper than any tool's arguments; of a path beyond it nothing is kept. As deep as bodies may be. */
const deepest = 128;

export class PartialArguments {
  readonly #root: JsonObject = {};

  /** Takes the `partialArgs` of one piece; text at a path that already has some goes on there. */
  push(partial: Json | undefined): void {
    for (const entry of asObjects(partial)) {
      const steps = stepsOf(asText(entry.jsonPath) ?? '');
      const value = sentValue(entry);
      if (steps.length > 0 && steps.length <= deepest && value !== undefined) place(this.#root, steps, value);
    }
  }

  /** The arguments as JSON text. */
  get text(): string {
    return JSON.stringify(this.#root);
  }
}

/** `$.a.b[0]` and `$['a']` as their steps. */
function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\[['"]([^'"]*)['"]\]/g)].map((found) =>
    found[2] === undefined ? (found[1] ?? found[3] ?? '') : Number(found[2]),
  );
}

function sentValue(entry: JsonObject): Json | undefined {
  if (entry.nullValue !== undefined) return null;
  return entry.stringValue ?? entry.numberValue ?? entry.boolValue;
}

function place(holder: JsonObject | Json[], steps: readonly (string | number)[], value: Json): void {
  const [step, ...rest] = steps;
  if (step === undefined || step === '__proto__') return;
  const current = read(holder, step);
  if (rest.length === 0) {
    write(holder, step, typeof current === 'string' && typeof value === 'string' ? `${current}${value}` : value);
    return;
  }
  if (isObject(current) || Array.isArray(current)) {
    place(current, rest, value);
    return;
  }
  const next: JsonObject | Json[] = typeof rest[0] === 'number' ? [] : {};
  write(holder, step, next);
  place(next, rest, value);
}

function read(holder: JsonObject | Json[], step: string | number): Json | undefined {
  return Array.isArray(holder) ? holder[Number(step)] : holder[step];
}

function write(holder: JsonObject | Json[], step: string | number, value: Json): void {
  if (!Array.isArray(holder)) holder[step] = value;
  // A place beyond the end would leave holes, which JSON has no word for.
  else if (Number(step) <= holder.length) holder[Number(step)] = value;
}
