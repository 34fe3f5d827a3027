/** Model lists that come in pages. */
import { asWord } from '../formats/fields.ts';
import type { Json } from '../json.ts';

/** The path of a list, which has a query, with the mark of its next page; undefined where the answer gave none. */
export function pageAfter(path: string, parameter: string, mark: Json | undefined): string | undefined {
  const word = asWord(mark);
  return word === undefined || word === '' ? undefined : `${path}&${parameter}=${encodeURIComponent(word)}`;
}
