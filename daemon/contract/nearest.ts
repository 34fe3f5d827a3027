/** The name that was meant by one that does not exist. */

/** The candidate that differs least from a name; undefined when none is close enough to be meant. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const found = closest(name, candidates);
  return found !== undefined && found.distance <= Math.max(1, Math.floor(name.length / 3))
    ? found.candidate
    : undefined;
}

/** The candidate that differs least from a name, the first of several, and by how many characters. */
export function closest(
  name: string,
  candidates: readonly string[],
): { readonly candidate: string; readonly distance: number } | undefined {
  return candidates
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .reduce<ReturnType<typeof closest>>(
      (best, next) => (best && best.distance <= next.distance ? best : next),
      undefined,
    );
}

/** Insertions, deletions and replacements that make one text the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let at = 1; at <= from.length; at += 1) {
    const next = [at];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (from[at - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
