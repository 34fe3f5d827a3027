/** What a call cost, from the log, which is written soon after the call has ended. */
import { logs as endpoints } from '../../../daemon/contract/logs.ts';
import { callsFor } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';

const logs = callsFor({ listOwn: endpoints.listOwn });

/** Milliseconds before each look. */
const looks = [700, 1500, 3000, 6000];

/** In quota; undefined where the log does not tell. */
export async function costOf(requestId: string): Promise<number | undefined> {
  for (const ms of looks) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    const row = await rowOf(requestId);
    if (row === 'unknown') return undefined;
    if (row === undefined) continue;
    // The balance at the top is another one now.
    void queryClient.invalidateQueries({ queryKey: ['self'] });
    return row.quota;
  }
  return undefined;
}

/** The figure is an extra: where it cannot be had, nothing is said about it. */
async function rowOf(requestId: string) {
  try {
    return (await logs.listOwn({ request_id: requestId, page_size: 10 })).items.find(({ type }) => type === 2);
  } catch {
    return 'unknown';
  }
}
