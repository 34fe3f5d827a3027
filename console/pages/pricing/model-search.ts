/** Finding models by what people remember of their names, and the order in which they stand (console.md 6.17). */
import type { PriceView } from '../../../daemon/contract/pricing.ts';

/** Parts of the search are cut as names are: at dashes, slashes and blanks. */
const cuts = /[\s\-/]+/;

/** True when every part of the search is in the name with its letters in order. */
export function isFound(name: string, search: string): boolean {
  const lower = name.toLowerCase();
  return search
    .toLowerCase()
    .split(cuts)
    .every((part) => lower.includes(part) || hasInOrder(lower, part));
}

function hasInOrder(name: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = name.indexOf(letter, from);
    if (at < 0) return false;
    from = at + letter.length;
  }
  return true;
}

/** By billing, then those of the name that most look for first, then by name. */
export function inUsualOrder(models: readonly PriceView[]): readonly PriceView[] {
  const isGpt = (name: string) => (name.startsWith('gpt') ? 0 : 1);
  return [...models].sort(
    (one, other) =>
      one.quota_type - other.quota_type ||
      isGpt(one.model_name) - isGpt(other.model_name) ||
      one.model_name.localeCompare(other.model_name, 'en'),
  );
}
