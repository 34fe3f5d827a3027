/** Hourly figures as the dashboard reads them (management-api.md 3.15); they are counted by `usage-log-hourly.ts`. */
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { QuotaDataRecord, TimeSpan } from '../store/quota-data.ts';
import type { Actor } from './actor.ts';

export interface UsageDataDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** Unix seconds, both included; what is missing is taken from the other end, or from now. */
export interface AskedSpan {
  readonly start_timestamp?: number | undefined;
  readonly end_timestamp?: number | undefined;
}

const daySeconds = 86_400;
const mostDaysOfAll = 366;
const mostDaysOwn = 31;

export class UsageDataService {
  readonly #deps: UsageDataDeps;

  constructor(deps: UsageDataDeps) {
    this.#deps = deps;
  }

  /**
   * Sums over all users by model and hour, or the rows of the user with that name. A name that nobody has any more finds
   * what was counted under it. Throws `data_span`.
   */
  async list(asked: AskedSpan & { readonly username?: string | undefined }): Promise<QuotaDataRecord[]> {
    const span = this.#span(asked, mostDaysOfAll);
    const { quotaData, users } = this.#deps.database.stores;
    if (!this.#isCounted()) return [];
    if (asked.username === undefined) return quotaData.sums(span);
    const user = await users.findByUsername(asked.username);
    return user ? quotaData.listOfUser(user.id, span) : quotaData.listOfName(asked.username, span);
  }

  /** The caller's rows. Throws `data_span`. */
  async listOwn(actor: Actor, asked: AskedSpan): Promise<QuotaDataRecord[]> {
    const span = this.#span(asked, mostDaysOwn);
    return this.#isCounted() ? this.#deps.database.stores.quotaData.listOfUser(actor.userId, span) : [];
  }

  #isCounted(): boolean {
    return this.#deps.options().get('DataExportEnabled');
  }

  #span({ start_timestamp: start, end_timestamp: end }: AskedSpan, days: number): TimeSpan {
    const until = end ?? (start === undefined ? this.#deps.nowSeconds() : start + daySeconds);
    const from = start ?? until - daySeconds;
    if (until - from > days * daySeconds) throw new TollgateError('data_span', { days }, { field: 'end_timestamp' });
    return { from, until };
  }
}
