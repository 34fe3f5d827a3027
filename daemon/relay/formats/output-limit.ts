/** The limit of an answer for the one protocol that demands it, where the client named none (relay.md 6.1). */

/** Where the operator named none either. */
const lastResort = 8192;

/**
 * The operator's limit (`claude.default_max_tokens`) for the first of the names that has one, else for all models.
 * `limits` is the option's value; anything else counts as empty.
 */
export function defaultOutputLimit(limits: unknown, names: readonly (string | undefined)[]): number {
  if (typeof limits !== 'object' || limits === null) return lastResort;
  const known: ReadonlyMap<string, unknown> = new Map(Object.entries(limits));
  for (const name of [...names, 'default']) {
    const own = name === undefined ? undefined : known.get(name);
    if (typeof own === 'number') return own;
  }
  return lastResort;
}
