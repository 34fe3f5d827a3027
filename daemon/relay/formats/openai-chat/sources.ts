/** Sources that compatible vendors list beside an answer, and not as annotations of its text. */
import type { Annotation } from '../../canonical/chat.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asList, asObject, asWord, present } from '../fields.ts';

/**
 * Ark's bots, Perplexity and Qianfan, Zhipu; bare addresses come last, for who has a list of pages too repeats them.
 * Sources: the sheets of these providers, read 2026-11.
 */
const members = ['references', 'search_results', 'web_search', 'citations'] as const;

/** The pages of a whole answer or of a chunk; none where it lists none. */
export function readSources(body: JsonObject): readonly Annotation[] {
  for (const member of members) {
    const sources = asList(body[member]).flatMap(readSource);
    if (sources.length > 0) return sources;
  }
  return [];
}

function readSource(entry: Json): Annotation[] {
  const page = asObject(entry);
  const url = asWord(entry) ?? asWord(page?.url) ?? asWord(page?.link);
  if (url === undefined || !/^https?:/.test(url)) return [];
  return [present({ kind: 'url', url, title: asWord(page?.title) })];
}
