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

/** Letters of repeated pages in one answer: far more than any vendor's lists for its few choices. */
const mostRepeated = 1_000_000;
/** What the frame around a page takes, wherever it is written. */
const frameLetters = 100;

/**
 * Tells the pages of an answer with each of its choices. They stand in it once, and choices are as many as the
 * upstream likes, so how much is repeated is bounded: the first choice has all pages, a later one all or none.
 */
export class SharedSources {
  readonly #lose: () => void;
  #isTold = false;
  #repeated = 0;

  /** `lose` is told of each choice that goes without. */
  constructor(lose: () => void) {
    this.#lose = lose;
  }

  /** The pages for one more choice. */
  take(sources: readonly Annotation[]): readonly Annotation[] {
    if (this.#isTold && sources.length > 0) this.#repeated += lettersOf(sources, mostRepeated - this.#repeated);
    this.#isTold ||= sources.length > 0;
    if (this.#repeated <= mostRepeated) return sources;
    this.#lose();
    return [];
  }
}

/** Those of the first pages alone, where they are more than so many. */
function lettersOf(sources: readonly Annotation[], most: number): number {
  let letters = 0;
  for (const source of sources) {
    if (letters > most) break;
    letters += frameLetters + (source.kind === 'url' ? source.url.length + (source.title?.length ?? 0) : 0);
  }
  return letters;
}
