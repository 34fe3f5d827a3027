/**
 * Hourly figures per user and model (`quota_data`), summed in memory and written every few minutes, and when somebody
 * looks at them.
 */
import type { Database } from '../store/database.ts';
import type { Settlement } from './settlement.ts';

const HOUR_SECONDS = 3600;

interface Figures {
  readonly userId: number;
  readonly username: string;
  readonly modelName: string;
  /** First second of the hour. */
  readonly createdAt: number;
  count: number;
  quota: number;
  tokenUsed: number;
}

export class HourlyUsage {
  readonly #database: Database;
  #figures = new Map<string, Figures>();

  constructor(deps: { database: Database }) {
    this.#database = deps.database;
  }

  /** Counts a settlement that is in the books. */
  count({ userId, charge, nowSeconds, hourly }: Pick<Settlement, 'userId' | 'charge' | 'nowSeconds' | 'hourly'>): void {
    if (!hourly) return;
    const { username, modelName, tokens } = hourly;
    const createdAt = nowSeconds - (nowSeconds % HOUR_SECONDS);
    const key = `${userId}:${createdAt}:${modelName}`;
    let figures = this.#figures.get(key);
    if (!figures) {
      figures = { userId, username, modelName, createdAt, count: 0, quota: 0, tokenUsed: 0 };
      this.#figures.set(key, figures);
    }
    figures.count += 1;
    figures.quota += charge;
    figures.tokenUsed += tokens;
  }

  /** Adds what was counted to the table. What cannot be written is kept for the next time. */
  async flush(): Promise<void> {
    if (this.#figures.size === 0) return;
    const figures = this.#figures;
    this.#figures = new Map();
    try {
      await this.#database.transaction((stores) => stores.quotaData.add([...figures.values()]));
    } catch (error) {
      this.#keep(figures);
      throw error;
    }
  }

  #keep(figures: ReadonlyMap<string, Figures>): void {
    for (const [key, old] of figures) {
      const newer = this.#figures.get(key);
      if (newer) {
        newer.count += old.count;
        newer.quota += old.quota;
        newer.tokenUsed += old.tokenUsed;
      } else {
        this.#figures.set(key, old);
      }
    }
  }
}
