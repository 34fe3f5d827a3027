/** What is checked of an order must be what its upstream reads: some servers read names of members in any case. */
import type { JsonObject } from '../json.ts';

/** Takes out members that are named like one of these but for their case. */
export function oneSpelling(names: readonly string[]): (body: JsonObject) => JsonObject {
  const known = new Set(names);
  const folded = new Set(names.map(fold));
  const isRead = (name: string) => known.has(name) || !folded.has(fold(name));
  return (body) => Object.fromEntries(Object.entries(body).filter(([name]) => isRead(name)));
}

/** Also of letters that have no other case of their own: the long s is an S, the sign of Kelvin a k. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}
