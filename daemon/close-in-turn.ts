/** Closes what was opened, one thing behind the other. */

/** What is closed, in words for the log, and how. */
export type Closing = readonly [what: string, close: () => unknown];

/**
 * One that cannot be closed keeps no other open: what was not written is told, and the next is closed. Rejects at the end
 * with the first failure.
 */
export async function closeInTurn(
  closings: readonly Closing[],
  report: (what: string, error: unknown) => void,
): Promise<void> {
  const failures: unknown[] = [];
  for (const [what, close] of closings) {
    try {
      await close();
    } catch (error) {
      report(what, error);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Waits for several pieces of work, one behind the other, for so long in all: what stays silent holds up the next only
 * for what is left. Resolves to whether the work ended in time; its own failure is passed on.
 */
export function sharedPatience(totalMs: number): (work: Promise<unknown> | undefined) => Promise<boolean> {
  let leftMs = totalMs;
  return async (work) => {
    const began = performance.now();
    try {
      return await endsWithin(work, leftMs);
    } finally {
      leftMs = Math.max(0, leftMs - (performance.now() - began));
    }
  };
}

/** Whether the work ends in that time. Work that is left behind has nobody any more who hears of its failure. */
export async function endsWithin(work: Promise<unknown> | undefined, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const ended = Promise.resolve(work).then(() => true);
  ended.catch(() => undefined);
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
