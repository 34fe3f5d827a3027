/** What the dialects have in common of a search of the web as an option. */
import type { WebSearchOptions } from '../canonical/chat.ts';
import type { Json } from '../json.ts';
import { asObject, asTexts, asWord, present } from './fields.ts';

/** Where the user is; undefined for what is no place. */
export function decodePlace(value: Json | undefined): WebSearchOptions['location'] {
  const place = asObject(value);
  if (place === undefined) return undefined;
  return present({
    country: asWord(place.country),
    region: asWord(place.region),
    city: asWord(place.city),
    timezone: asWord(place.timezone),
  });
}

/** Undefined for an empty list, which bounds nothing. */
export function decodeDomains(value: Json | undefined): readonly string[] | undefined {
  const domains = asTexts(value);
  return domains.length === 0 ? undefined : domains;
}
