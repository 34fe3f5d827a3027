/** Work on many things, so many at a time. */

/** Resolves when all are done; ends at the first failure, or between two of them when the signal says so. */
export async function inTurns<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined && !signal?.aborted; item = rest.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
