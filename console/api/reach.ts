/** Whether the server can be reached, as the calls of this page find it. */
import { Store } from '../session/store.ts';

export interface Reach {
  readonly isLost: boolean;
  /** Unix milliseconds; undefined before the first answer of this page. */
  readonly answeredAt: number | undefined;
}

export const reachStore = new Store<Reach>({ isLost: false, answeredAt: undefined });

/** A single call may break off where nothing is wrong. */
const enough = 2;
let failed = 0;
let answeredAt: number | undefined;

/** `fetch`, watched: any answer says that the server is there, two calls in a row without one that it is not. */
export async function watchedFetch(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init);
    answeredAt = Date.now();
    failed = 0;
    if (reachStore.get().isLost) reachStore.set({ isLost: false, answeredAt });
    return response;
  } catch (error) {
    // What was given up, or took too long, says nothing.
    if (!init.signal?.aborted) failed += 1;
    if (failed >= enough && !reachStore.get().isLost) reachStore.set({ isLost: true, answeredAt });
    throw error;
  }
}
