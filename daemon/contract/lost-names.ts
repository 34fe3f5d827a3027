/**
 * `__proto__` as the name of a member: a schema leaves it out of what it reads and says nothing, because an object would
 * take it for its prototype. Whoever takes names from people refuses it before, or reports as saved what is gone.
 */
export const lostName = '__proto__';

/** The place of the first member of that name, at any depth; undefined where there is none. */
export function placeOfLostName(value: unknown): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return placeInList(value);
  for (const [name, member] of Object.entries(value)) {
    if (name === lostName) return [name];
    const below = placeOfLostName(member);
    if (below !== undefined) return [name, ...below];
  }
  return undefined;
}

/** By index: the entries of a long list would be a list each, which takes twenty times as long. */
function placeInList(list: readonly unknown[]): readonly string[] | undefined {
  for (let at = 0; at < list.length; at += 1) {
    const below = placeOfLostName(list[at]);
    if (below !== undefined) return [String(at), ...below];
  }
  return undefined;
}

/** What is said of what holds such a member, as an English clause that `chineseReason` knows. */
export const lostNameReason = `must not contain ${lostName}`;
