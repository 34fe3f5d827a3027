/**
 * Past traffic by other prices (cli.md 3.5): what the charges of a time would have been under a version of prices or a
 * draft, and, where that is wished, the differences booked. Each row is changed in a transaction of its own and names its
 * new version, so that a run that ended early is ended by running it again, and one that ended changes nothing more.
 */
import type { Database, Stores } from '../store/database.ts';
import type { LogRecord } from '../store/logs.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import type { BudgetPeriods } from './budget-periods.ts';
import { budgetRefunds } from './budget-refunds.ts';
import { correctCharge, Uncorrectable } from './ledger-corrections.ts';
import { type PriceDraft, PriceVersionBooks, type PriceVersionBooksDeps } from './price-version-books.ts';
import type { PriceBook } from './pricing.ts';
import { type RerateKey, type RerateLeft, type RerateSum, RerateTally } from './rerate-tally.ts';
import {
  type ChargedCall,
  chargedCall,
  type NamesOfCall,
  type RepricedCharge,
  type RerateRefusal,
  repriced,
} from './rerated-charge.ts';
import { reratedTexts } from './rerated-row.ts';
import type { LogLanguage } from './usage-log-content.ts';

/** Where a run goes on: behind this row. */
export type RerateAfter = Pick<LogRecord, 'createdAt' | 'id'>;

/** Charges from one second to before another. */
export interface RerateSpan {
  readonly from: number;
  readonly until: number;
  readonly by: RerateKey;
  readonly after?: RerateAfter | undefined;
}

/** What one portion of the rows comes to. */
export interface RerateReport {
  readonly sums: readonly RerateSum[];
  readonly left: readonly RerateLeft[];
  /** Rows whose charge is another under the other prices; where that was wished, they are booked. */
  readonly differing: number;
  /** Undefined when nothing is left to look at. */
  readonly next: RerateAfter | undefined;
}

export interface PriceRerateDeps extends PriceVersionBooksDeps {
  readonly database: Database;
  readonly namesOf: NamesOfCall;
  readonly periods: BudgetPeriods;
  /** Of log rows. */
  readonly language: LogLanguage;
  readonly nowSeconds: () => number;
}

/** A charge by its own prices and by others. */
interface RatedRow {
  readonly row: LogRecord;
  readonly call: ChargedCall;
  readonly old: RepricedCharge;
  readonly new: RepricedCharge;
}

/** Rows that one call looks at, and that one call changes, each in a transaction of its own. */
const lookedAt = 5000;
const bookedAtOnce = 500;
const hourSeconds = 3600;

export class PriceRerate {
  readonly #deps: PriceRerateDeps;

  constructor(deps: PriceRerateDeps) {
    this.#deps = deps;
  }

  /** What charges would be; changes nothing. Throws `price_version_not_found`. */
  async report(prices: { version: number } | { draft: PriceDraft }, span: RerateSpan): Promise<RerateReport> {
    const books = new PriceVersionBooks(this.#deps);
    const book = 'draft' in prices ? books.drafted(prices.draft) : await books.get(prices.version);
    return this.#walk(span, { books, book, limit: lookedAt, act: async () => undefined });
  }

  /** Makes charges what they are under a version. Throws `price_version_not_found`. */
  async book(actor: Actor, wish: { version: number; note: string }, span: RerateSpan): Promise<RerateReport> {
    const books = new PriceVersionBooks(this.#deps);
    const book = await books.get(wish.version);
    return this.#walk(span, { books, book, limit: bookedAtOnce, act: (rated) => this.#book(actor, wish, rated) });
  }

  async #walk(
    { from, until, by, after }: RerateSpan,
    how: {
      readonly books: PriceVersionBooks;
      readonly book: PriceBook;
      readonly limit: number;
      readonly act: (rated: RatedRow) => Promise<RerateLeft['reason'] | undefined>;
    },
  ): Promise<RerateReport> {
    const { books, book, limit, act } = how;
    const rows = await this.#deps.database.stores.logs.consumed({ from, until, after }, limit);
    const tally = new RerateTally(by);
    for (const row of rows) {
      const rated = await this.#rated(row, books, book);
      if (rated === undefined) continue;
      const reason = typeof rated === 'string' ? rated : await act(rated);
      if (reason !== undefined) tally.leave(row, reason);
      else if (typeof rated !== 'string') tally.add(row, rated.new.quota);
    }
    const last = rows.length < limit ? undefined : rows.at(-1);
    const next = last && { createdAt: last.createdAt, id: last.id };
    return { sums: tally.sums, left: tally.left, differing: tally.differing, next };
  }

  async #rated(
    row: LogRecord,
    books: PriceVersionBooks,
    book: PriceBook,
  ): Promise<RatedRow | RerateRefusal | undefined> {
    const call = chargedCall(row, this.#deps.namesOf);
    if (call === undefined || typeof call === 'string') return call;
    const own = await books.find(call.version);
    if (own === undefined) return 'version_forgotten';
    const old = repriced(call, own);
    // What its own prices do not explain, other prices do not either.
    if (old?.quota !== row.quota) return row.quota === 0 ? 'waived' : 'not_reproducible';
    const charge = repriced(call, book);
    return charge === undefined ? 'unpriced' : { row, call, old, new: charge };
  }

  /** Books the difference of one row; why it could not, if it could not. */
  async #book(
    actor: Actor,
    wish: { version: number; note: string },
    rated: RatedRow,
  ): Promise<RerateLeft['reason'] | undefined> {
    if (rated.new.quota === rated.row.quota) return undefined;
    try {
      await this.#deps.database.transaction((stores) => this.#correct(stores, { actor, wish, rated }));
      return undefined;
    } catch (error) {
      if (error instanceof Uncorrectable) return error.reason;
      throw error;
    }
  }

  async #correct(
    stores: Stores,
    { actor, wish, rated }: { actor: Actor; wish: { version: number; note: string }; rated: RatedRow },
  ): Promise<void> {
    const { row, call } = rated;
    const { userId, username, tokenId, channelId, requestId, modelName, createdAt } = row;
    const { language, periods, current } = this.#deps;
    const nowSeconds = this.#deps.nowSeconds();
    const { quota } = rated.new;
    const amount = row.quota - quota;
    const note = { from: call.version, to: wish.version, quota: row.quota, at: nowSeconds };
    const returned = await budgetRefunds(stores, periods, { requestId, userId, tokenId, channelId, amount });
    await correctCharge(stores, {
      row,
      quota,
      ...reratedTexts(row, { ...rated, language, note }),
      budgets: returned.filter(({ kind }) => kind === 'quota'),
    });
    if (current().get('DataExportEnabled')) {
      const hour = createdAt - (createdAt % hourSeconds);
      const gain = { userId, username, modelName, createdAt: hour, tokenUsed: 0, count: 0, quota: -amount };
      await stores.quotaData.add([gain]);
    }
    const { from, to, quota: before } = note;
    const detail = { request_id: requestId, user_id: userId, from, to, before, after: quota, note: wish.note };
    await stores.audits.append(auditBy(actor, { action: 'price.rerate', target: `log:${row.id}`, detail }, nowSeconds));
  }
}
