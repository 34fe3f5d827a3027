/** Work that begins while somebody else's change of the same rows is not committed yet. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Stores } from '../../daemon/store/database.ts';

/** Makes the change and begins the work before it is committed; resolves or rejects as the work does. */
export async function beginBehind<T>(
  database: Database,
  change: (stores: Stores) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let begun: Promise<T> | undefined;
  await database.transaction(async (stores) => {
    await change(stores);
    begun = work();
    begun.catch(() => undefined);
    // Long enough for the work to come as far as it can.
    await sleep(500);
  });
  if (begun === undefined) throw new Error('the work did not begin');
  return begun;
}
