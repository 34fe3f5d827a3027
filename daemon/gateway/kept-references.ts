/** What a Responses body says by id alone, because an upstream keeps it (relay.md 5.10), and what an upstream keeps. */
import type { KeptReference } from '../domain/affinity.ts';
import { standsForKept } from '../relay/formats/openai-responses/kept-items.ts';
import { isObject, type JsonObject } from '../relay/json.ts';
import type { StoredAnswer } from '../relay/stored-answer.ts';
import { refuse } from './check-calls.ts';

const NONE: readonly KeptReference[] = [];
const MAX_REFERENCES = 4096;

/** Items in their order, then the response before them. Throws `invalid_request` for more than can be looked up. */
export function keptReferences({ input, previous_response_id: previous }: JsonObject): readonly KeptReference[] {
  let found: KeptReference[] | undefined;
  if (Array.isArray(input)) {
    for (const [at, item] of input.entries()) {
      if (!isObject(item) || typeof item.id !== 'string' || item.id === '' || !standsForKept(item)) continue;
      found ??= [];
      found.push({ id: item.id, field: `input.${at}` });
    }
  }
  if (found !== undefined && found.length > MAX_REFERENCES) {
    refuse('input', `must have at most ${MAX_REFERENCES} items that are named by their id alone`);
  }
  if (typeof previous === 'string') {
    found ??= [];
    found.push({ id: previous, field: 'previous_response_id' });
  }
  return found ?? NONE;
}

/**
 * Ids under which parts of an answer can be referred to. Whether it is kept its upstream says; one that says nothing is
 * believed about the response, and about its items where it was let to keep them.
 */
export function keptIds(
  stored: StoredAnswer,
  setting: Readonly<Record<string, unknown>>,
  { store }: JsonObject,
): readonly string[] {
  if (stored.isKept === false) return [];
  const keepsItems = stored.isKept ?? (setting.allow_store === true && store !== false);
  return keepsItems ? [stored.id, ...stored.itemIds()] : [stored.id];
}
