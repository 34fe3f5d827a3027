/** Whether the server can be reached, as the calls of this page find it. */
import { Store } from '../session/store.ts';

export interface Reach {
  readonly isLost: boolean;
  /** Unix milliseconds of the last answer before it was lost; undefined before the first answer of this page. */
  readonly answeredAt: number | undefined;
}

/** A single call may break off where nothing is wrong. */
const enough = 2;

class ReachWatch {
  readonly store = new Store<Reach>({ isLost: false, answeredAt: undefined });
  #failed = 0;
  #answeredAt: number | undefined;

  /** `fetch`, watched: any answer says that the server is there, two calls in a row without one that it is not. */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    try {
      const response = await fetch(url, init);
      this.#failed = 0;
      this.#answeredAt = Date.now();
      this.#tell(false);
      return response;
    } catch (error) {
      // What was given up, or took too long, says nothing.
      if (!init.signal?.aborted) this.#failed += 1;
      if (this.#failed >= enough) this.#tell(true);
      throw error;
    }
  };

  #tell(isLost: boolean): void {
    if (this.store.get().isLost !== isLost) this.store.set({ isLost, answeredAt: this.#answeredAt });
  }
}

export const reach = new ReachWatch();
