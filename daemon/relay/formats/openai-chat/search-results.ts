/**
 * What the search of an answer found, beside its text: the members by which Perplexity's chat completions told it, as
 * its Agent API says it in items. Source: providers/perplexity.md, read 2026-11.
 */
import type { HostedItem } from '../../canonical/chat.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asObjects, asWord } from '../fields.ts';

/** True for an item that lists pages found. */
export function listsPages({ dialect, name }: Pick<HostedItem, 'dialect' | 'name'>): boolean {
  return dialect === 'openai-responses' && name === 'search_results';
}

/** The pages of all searches so far, and each one's address once. No member where nothing was found. */
export function encodeSearchResults(items: readonly HostedItem[]): JsonObject {
  const pages = items.flatMap(({ raw }): Json[] => [...asObjects(asObject(raw)?.results)]);
  if (pages.length === 0) return {};
  const addresses = pages.flatMap((page) => asWord(asObject(page)?.url) ?? []);
  return { search_results: pages, citations: [...new Set(addresses)] };
}
