/** What the dialects have in common of a search of the web as an option. */
import type { WebSearchOptions } from '../canonical/chat.ts';
import type { Json, JsonObject } from '../json.ts';
import { asObject, asTexts, asWord, present, remainder } from './fields.ts';

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

/** What each dialect with a tool for it calls the tool and the place. */
const everywhere = ['type', 'name', 'user_location'] as const;

/** Members of the tool for which other dialects have no word; undefined for none. `known`: those that were read. */
export function ownOfSearch(settings: JsonObject, known: readonly string[]): JsonObject | undefined {
  const own = remainder(settings, new Set([...everywhere, ...known]));
  return Object.keys(own).length === 0 ? undefined : own;
}
