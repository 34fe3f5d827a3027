/** How well models have been answering: the share of calls that succeeded in the last day, for the price page. */
import type { Database } from '../store/database.ts';

export interface ModelHealthDeps {
  readonly database: Database;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
  /** Told when the figures could not be read; the last ones stay. */
  readonly report: (cause: unknown) => void;
}

const daySeconds = 86_400;
/** The figures are read again at most so often. */
const keptSeconds = 60;

export class ModelHealth {
  readonly #deps: ModelHealthDeps;
  #shares: ReadonlyMap<string, number> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(deps: ModelHealthDeps) {
    this.#deps = deps;
  }

  /** Share of good calls by model name, 0 to 1; models without calls are absent. */
  async shares(): Promise<ReadonlyMap<string, number>> {
    if (this.#deps.nowSeconds() - this.#readAt >= keptSeconds) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    return this.#shares;
  }

  async #read(): Promise<void> {
    const { database, nowSeconds, report } = this.#deps;
    const now = nowSeconds();
    this.#readAt = now;
    try {
      const outcomes = await database.stores.logs.outcomesSince(now - daySeconds);
      this.#shares = new Map(outcomes.map(({ modelName, calls, failed }) => [modelName, (calls - failed) / calls]));
    } catch (cause) {
      report(cause);
    }
  }
}
