/**
 * Ends on this node what another one was told to end: Redis carries the news at once, and where it cannot, the revision
 * of the channels does, at which the table names them.
 */
import type { Bus } from '../cluster/bus.ts';
import type { CoolingEndStore } from '../store/cooling-ends.ts';
import type { ChannelCooling } from './channel-cooling.ts';

export interface CoolingEndsDeps {
  readonly ends: Pick<CoolingEndStore, 'after' | 'latest'>;
  readonly bus: Pick<Bus, 'onChange'>;
  readonly cooling: Pick<ChannelCooling, 'learn'>;
}

export class CoolingEnds {
  readonly #deps: CoolingEndsDeps;
  #seen = 0;

  constructor(deps: CoolingEndsDeps) {
    this.#deps = deps;
  }

  /** Begins to listen; what ended before is past. Rejects with `db_unavailable`. */
  async start(): Promise<void> {
    this.#seen = await this.#deps.ends.latest();
    this.#deps.bus.onChange((topic) => (topic === 'channels' ? this.#take() : undefined));
  }

  async #take(): Promise<void> {
    for (const { channelId, revision } of await this.#deps.ends.after(this.#seen)) {
      this.#deps.cooling.learn({ channelId, forMs: 0 });
      this.#seen = Math.max(this.#seen, revision);
    }
  }
}
