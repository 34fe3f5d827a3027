/** Hourly figures as the dashboard reads them (management-api.md 3.15); they are counted by `usage-log-hourly.ts`. */
import type { OptionsView } from '../contract/options.ts';
import type { Database } from '../store/database.ts';
import type { LogFacts } from '../store/log-filter.ts';
import type { QuotaDataRecord, TimeSpan } from '../store/quota-data.ts';
import type { Actor } from './actor.ts';
import type { HourlyUsage } from './usage-log-hourly.ts';
import { type AskedSpan, usageSpan } from './usage-span.ts';

export interface UsageDataDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  /** What this node has counted and not written yet. */
  readonly hourly: Pick<HourlyUsage, 'flush'>;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** An hour of a model; the last two only where details are asked for. */
export interface UsageDataRow extends QuotaDataRecord {
  /** Input tokens that a cache of the upstream held. */
  readonly cachedTokens?: number;
  /** Calls that failed as a whole. */
  readonly failed?: number;
}

interface DataRequest extends AskedSpan {
  /** With cached tokens and failures, out of the sums of the log. */
  readonly details?: boolean | undefined;
  /** One row for the whole span instead. */
  readonly total?: boolean | undefined;
}

const hourSeconds = 3600;
/** Between two times that figures are written because somebody looks at them. */
const freshSeconds = 2;
const mostDaysOfAll = 366;
const mostDaysOwn = 31;
/** Models times hours. */
const mostBuckets = 1_000_000;

/** Whose rows they are: of a user, of a name that nobody has any more (id 0), or of all (and name ""). */
interface Whose {
  readonly userId: number;
  readonly username: string;
}

export class UsageDataService {
  readonly #deps: UsageDataDeps;
  #freshened: { readonly at: number; readonly done: Promise<void> } = { at: 0, done: Promise.resolve() };

  constructor(deps: UsageDataDeps) {
    this.#deps = deps;
  }

  /**
   * Sums over all users by model and hour, or the rows of the user with that name. A name that nobody has any more finds
   * what was counted under it. Throws `data_span`.
   */
  async list(asked: DataRequest & { readonly username?: string | undefined }): Promise<UsageDataRow[]> {
    const span = usageSpan(asked, mostDaysOfAll, this.#deps.nowSeconds);
    const { username } = asked;
    if (username === undefined) return this.#rows({ userId: 0, username: '' }, span, asked);
    const user = await this.#deps.database.stores.users.findByUsername(username);
    return this.#rows({ userId: user?.id ?? 0, username }, span, asked);
  }

  /** The caller's rows. Throws `data_span`. */
  async listOwn(actor: Actor, asked: DataRequest): Promise<UsageDataRow[]> {
    return this.#rows(actor, usageSpan(asked, mostDaysOwn, this.#deps.nowSeconds), asked);
  }

  async #rows(whose: Whose, span: TimeSpan, { details, total }: DataRequest): Promise<UsageDataRow[]> {
    if (!this.#isCounted()) return [];
    await this.#freshen();
    const { quotaData } = this.#deps.database.stores;
    const { userId, username } = whose;
    const stored = userId > 0 ? { userId } : username === '' ? 'all' : { username };
    if (total) return quotaData.total(stored, span);
    const rows = await quotaData.list(stored, span);
    return details ? this.#withDetails(rows, whose, span) : rows;
  }

  /** The rows with what the sums of the log know beside; hours and models with nothing but failures get rows as well. */
  async #withDetails(
    rows: readonly QuotaDataRecord[],
    { userId, username }: Whose,
    span: TimeSpan,
  ): Promise<UsageDataRow[]> {
    const from = Math.ceil(span.from / hourSeconds) * hourSeconds;
    const until = (Math.floor(span.until / hourSeconds) + 1) * hourSeconds;
    if (from >= until) return [...rows];
    const filter: LogFacts = userId > 0 ? { userId } : username === '' ? {} : { username };
    const sums = await this.#deps.database.stores.logReports.rows({
      filter,
      range: { from, until },
      keys: ['model'],
      periods: [{ from, until: from + hourSeconds }],
      limit: mostBuckets,
    });
    const known = new Map(sums.map((sum) => [`${sum.periodStart} ${sum.modelName}`, sum]));
    const detailed = rows.map((row): UsageDataRow => {
      const key = `${row.createdAt} ${row.modelName}`;
      const sum = known.get(key);
      known.delete(key);
      return { ...row, cachedTokens: sum?.cachedTokens ?? 0, failed: sum?.failures ?? 0 };
    });
    const failedOnly = [...known.values()].flatMap(({ periodStart, modelName, failures, requests }): UsageDataRow[] => {
      if (failures === 0 || requests > 0) return [];
      const empty = { id: 0, userId, username, tokenUsed: 0, count: 0, quota: 0, cachedTokens: 0 };
      return [{ ...empty, modelName, createdAt: periodStart, failed: failures }];
    });
    return [...detailed, ...failedOnly].sort((left, right) => left.createdAt - right.createdAt);
  }

  /** Who has just made a first call finds it here, and not when the interval is over. Other nodes write at theirs. */
  #freshen(): Promise<void> {
    const at = this.#deps.nowSeconds();
    if (at - this.#freshened.at >= freshSeconds) {
      // What cannot be written is kept; the job that writes it at its time says so.
      this.#freshened = { at, done: this.#deps.hourly.flush().catch(() => undefined) };
    }
    return this.#freshened.done;
  }

  #isCounted(): boolean {
    return this.#deps.options().get('DataExportEnabled');
  }
}
