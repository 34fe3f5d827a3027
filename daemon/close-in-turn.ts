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
