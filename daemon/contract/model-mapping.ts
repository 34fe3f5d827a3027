/** Names that stand for models, as relay keys have them (C28): checked when they are written, followed when they are used. */

/** From a name to the one that it stands for; `*` takes every name without an entry. */
export type ModelMapping = Readonly<Record<string, string>>;

const longestName = 200;

/** True for what a client may call a model: 1 to 200 printable characters that do not change a path they stand in (S28). */
export function isModelName(name: string): boolean {
  // Halves of characters are different names here and the same in a database.
  if (name === '' || name.length > longestName || name.trim() !== name || /[\p{Cc}\p{Cs}]/u.test(name)) return false;
  return !name.includes('..') && !name.includes('//') && !/[?#\\]|%(?:2[ef]|5c)/i.test(name);
}

/** Where the chain of a name ends: a name without an entry, or one that stands for itself. Undefined for a circle. */
export function endOfChain(mapping: ModelMapping, start: string): string | undefined {
  const seen = new Set<string>();
  for (let name = start; !seen.has(name); ) {
    seen.add(name);
    const next = Object.hasOwn(mapping, name) ? mapping[name] : undefined;
    if (next === undefined || next === name) return name;
    name = next;
  }
  return undefined;
}
