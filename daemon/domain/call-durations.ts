/**
 * Durations counted in steps that grow by a quarter, from 10 ms to 17 minutes: percentiles of any number of calls in
 * bounded space, which can be added up over nodes, right to about an eighth. Pure.
 */

const shortestMs = 10;
/** Steps of a doubling. */
const perDoubling = 3;
const steps = 51;

/** How many calls fell into each step; longer ones than the last stand in the last. */
export type DurationCounts = Uint32Array;

/** Only the steps that have calls: step, count, step, count... */
export type SparseCounts = readonly number[];

export const noDurations = (): DurationCounts => new Uint32Array(steps);

export function countDuration(counts: DurationCounts, ms: number): void {
  const step = ms <= shortestMs ? 0 : Math.ceil(Math.log2(ms / shortestMs) * perDoubling);
  const at = Math.min(step, steps - 1);
  counts[at] = (counts[at] ?? 0) + 1;
}

/** Adds to the first what the second has. */
export function addDurations(counts: DurationCounts, added: DurationCounts): void {
  for (let step = 0; step < steps; step += 1) counts[step] = (counts[step] ?? 0) + (added[step] ?? 0);
}

export function toSparse(counts: DurationCounts): SparseCounts {
  return [...counts].flatMap((count, step) => (count === 0 ? [] : [step, count]));
}

/** Adds what `toSparse` wrote; steps that there are not are left out. */
export function addSparse(counts: DurationCounts, sparse: SparseCounts): void {
  for (let at = 0; at + 1 < sparse.length; at += 2) {
    const step = sparse[at] ?? steps;
    if (step < steps) counts[step] = (counts[step] ?? 0) + (sparse[at + 1] ?? 0);
  }
}

/** Milliseconds that this part of the calls (0 to 1) did not exceed, as if calls lay evenly in their step; undefined without calls. */
export function durationAt(counts: DurationCounts, part: number): number | undefined {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return undefined;
  const wanted = Math.max(part * all, 1);
  let before = 0;
  for (let step = 0; step < steps; step += 1) {
    const count = counts[step] ?? 0;
    if (before + count >= wanted) {
      const from = step === 0 ? 0 : endOf(step - 1);
      return Math.round(from + ((endOf(step) - from) * (wanted - before)) / count);
    }
    before += count;
  }
  return Math.round(endOf(steps - 1));
}

const endOf = (step: number): number => shortestMs * 2 ** (step / perDoubling);
