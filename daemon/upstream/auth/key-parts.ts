/** Keys that consist of several values, written with `|` between them, as operators enter them. */

const SEPARATOR = '|';

/** The parts of a key, without blanks that were typed around them. */
export function partsOf(key: string): string[] {
  return key.split(SEPARATOR).map((part) => part.trim());
}

/** The parts that have a name, if the key has exactly as many parts as `names`; nothing otherwise. */
export function namedParts(key: string, names: readonly (string | undefined)[]): Readonly<Record<string, string>> {
  const values = partsOf(key);
  if (values.length !== names.length) return {};
  const named: Record<string, string> = {};
  for (const [at, name] of names.entries()) if (name !== undefined) named[name] = values[at] ?? '';
  return named;
}

/** The parts at these positions, joined by `:`; the whole key where it lacks one of them, or none is asked for. */
export function selectParts(key: string, positions: readonly number[] | undefined): string {
  if (positions === undefined) return key;
  const values = partsOf(key);
  const chosen = positions.flatMap((at) => values[at] ?? []);
  return chosen.length === positions.length ? chosen.join(':') : key;
}
