/** The limit of an answer: the operator's for the one protocol that demands one (relay.md 6.1), and that of a body. */
import type { JsonObject } from '../json.ts';
import { asNumber, asObject } from './fields.ts';

/** Where the operator named none either. */
const lastResort = 8192;

/**
 * The operator's limit (`claude.default_max_tokens`) for the first of the names that has one, else for all models.
 * `limits` is the option's value; anything else counts as empty.
 */
export function defaultOutputLimit(limits: unknown, names: readonly (string | undefined)[]): number {
  if (typeof limits !== 'object' || limits === null) return lastResort;
  const known: ReadonlyMap<string, unknown> = new Map(Object.entries(limits));
  for (const name of [...names, 'default']) {
    const own = name === undefined ? undefined : known.get(name);
    if (typeof own === 'number') return own;
  }
  return lastResort;
}

/** The limit that a body names, in whatever dialect; the largest where it names several. Undefined: none. */
export function outputLimitIn(body: JsonObject): number | undefined {
  const config = asObject(body.generationConfig) ?? asObject(body.generation_config);
  const named = [
    body.max_tokens,
    body.max_completion_tokens,
    body.max_output_tokens,
    config?.maxOutputTokens,
    config?.max_output_tokens,
  ].flatMap((value) => asNumber(value) ?? []);
  return named.length === 0 ? undefined : Math.max(...named);
}
