/** SQL that reads `quota_reservations` and clears away what is long closed; the ledger alone opens and closes holds. */
import type { Knex } from 'knex';
import { countRows } from './paging.ts';
import { asStored, Table } from './table.ts';

/** Type of log rows that document charges. */
const CONSUME = 2;

export interface ReservationRecord {
  requestId: string;
  userId: number;
  tokenId: number;
  group: string;
  /** Held in all; of a session that is charged while it runs, what is left. */
  amount: number;
  /** The part that the token's remaining quota gave. */
  tokenAmount: number;
  /** Null while open, except of a session: the sum of its turns. */
  charged: number | null;
  state: 'open' | 'settled' | 'released';
  reason: string | null;
  /** Id of the node that opened it. */
  node: string;
  createdAt: number;
  closedAt: number | null;
}

const reservations = new Table<ReservationRecord>(
  'quota_reservations',
  {
    requestId: 'request_id',
    userId: 'user_id',
    tokenId: 'token_id',
    group: 'group',
    amount: 'amount',
    tokenAmount: 'token_amount',
    charged: 'charged',
    state: 'state',
    reason: 'reason',
    node: 'node',
    createdAt: 'created_at',
    closedAt: 'closed_at',
  },
  asStored,
);

/** A hold that has ended, and its consume rows. */
export interface HoldEndWithRows {
  requestId: string;
  charged: number;
  /** Sum of the rows; null where there is none. */
  logged: number | null;
}

export class ReservationStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(requestId: string): Promise<ReservationRecord | undefined> {
    return reservations.first(this.#db('quota_reservations').where({ request_id: requestId }));
  }

  /** Open holds from before that time, oldest first, save those of nodes that are alive. */
  async listAbandoned(search: {
    createdBefore: number;
    liveNodes: readonly string[];
    limit: number;
  }): Promise<ReservationRecord[]> {
    return reservations.all(
      this.#db('quota_reservations')
        .where({ state: 'open' })
        .where('created_at', '<', search.createdBefore)
        .whereNotIn('node', search.liveNodes)
        .orderBy('created_at')
        .limit(search.limit),
    );
  }

  /** Open holds of one node, oldest first: after a restart under the same id, all of them are abandoned. */
  async listOpenOfNode(node: string, createdBefore: number): Promise<ReservationRecord[]> {
    return reservations.all(
      this.#db('quota_reservations')
        .where({ state: 'open', node })
        .where('created_at', '<', createdBefore)
        .orderBy('created_at'),
    );
  }

  /** How many holds are open, and what they hold together. */
  async openTotals(userId?: number): Promise<{ count: number; amount: number }> {
    const query = this.#db('quota_reservations').where({ state: 'open' });
    if (userId !== undefined) query.where({ user_id: userId });
    const row: { count: number; amount: number } | undefined = await query
      .select(this.#db.raw('count(*) as ??, cast(coalesce(sum(amount), 0) as bigint) as ??', ['count', 'amount']))
      .first();
    return row ?? { count: 0, amount: 0 };
  }

  /** How many holds have been open since before that time, and the oldest of them. */
  async openBefore(createdBefore: number): Promise<{ count: number; oldest: ReservationRecord | undefined }> {
    const query = () => this.#db('quota_reservations').where({ state: 'open' }).where('created_at', '<', createdBefore);
    const oldest = await reservations.first(query().orderBy('created_at').limit(1));
    return { count: oldest === undefined ? 0 : await countRows(query()), oldest };
  }

  /**
   * The newest holds that have ended, as many of each way to end at most, with what was charged and what the consume
   * rows of their requests come to, null where there is none. Those from before that time are left out, and those from
   * before the oldest row of the log, whose rows may have been deleted.
   */
  async endsWithRows({ since, limit }: { since: number; limit: number }): Promise<HoldEndWithRows[]> {
    const logged = this.#db('logs')
      .where({ type: CONSUME })
      .whereRaw('?? = ??', ['logs.request_id', 'ends.request_id'])
      .select(this.#db.raw('cast(sum(quota) as bigint)'))
      .as('logged');
    const found: (Omit<HoldEndWithRows, 'charged'> & { charged: number | null })[] = [];
    for (const state of ['settled', 'released']) {
      const ends = this.#db('quota_reservations')
        .where({ state })
        .where('created_at', '>=', since)
        .where('created_at', '>=', this.#db('logs').min('created_at'))
        .orderBy('created_at', 'desc')
        .limit(limit)
        .select('request_id', 'charged')
        .as('ends');
      // One statement, so that charges and rows are those of one moment.
      found.push(...(await this.#db.from(ends).select({ requestId: 'request_id', charged: 'charged' }, logged)));
    }
    return found.map(({ charged, ...end }) => ({ ...end, charged: charged ?? 0 }));
  }

  /** What open holds have taken from the remaining quota of these tokens; those without are not in it. */
  async openOfTokens(tokenIds: readonly number[]): Promise<Map<number, number>> {
    if (tokenIds.length === 0) return new Map();
    const rows: { id: number; amount: number }[] = await this.#db('quota_reservations')
      .where({ state: 'open' })
      .whereIn('token_id', tokenIds)
      .groupBy('token_id')
      .select(this.#db.raw('token_id as ??, cast(sum(token_amount) as bigint) as ??', ['id', 'amount']));
    return new Map(rows.map(({ id, amount }) => [id, amount]));
  }

  /** Removes at most `limit` closed holds opened in that time, its end left out; returns how many. */
  async deleteClosed(created: { since: number; before: number }, limit: number): Promise<number> {
    const closed = this.#db('quota_reservations')
      .select('request_id')
      .whereIn('state', ['settled', 'released'])
      .where('created_at', '>=', created.since)
      .where('created_at', '<', created.before)
      .limit(limit);
    return this.#db('quota_reservations').whereIn('request_id', closed).delete();
  }
}
