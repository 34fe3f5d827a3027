/** SQL for the `checkins` table. */
import type { Knex } from 'knex';
import { asStored, Table } from './table.ts';

export interface CheckinRecord {
  id: number;
  userId: number;
  /** `YYYY-MM-DD` in the configured zone. */
  checkinDate: string;
  quotaAwarded: number;
  createdAt: number;
}

const checkins = new Table<CheckinRecord>(
  'checkins',
  {
    id: 'id',
    userId: 'user_id',
    checkinDate: 'checkin_date',
    quotaAwarded: 'quota_awarded',
    createdAt: 'created_at',
  },
  asStored,
);

export class CheckinStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(userId: number, checkinDate: string): Promise<CheckinRecord | undefined> {
    return checkins.first(this.#db('checkins').where({ user_id: userId, checkin_date: checkinDate }));
  }

  /** Undefined when the user has checked in on that day. */
  async insert(checkin: Omit<CheckinRecord, 'id'>): Promise<CheckinRecord | undefined> {
    return checkins.writtenOne(
      this.#db('checkins').insert(checkins.row(checkin)).onConflict(['user_id', 'checkin_date']).ignore(),
    );
  }

  /** Check-ins of a month, `YYYY-MM`, newest first. */
  async listOfMonth(userId: number, month: string): Promise<CheckinRecord[]> {
    return checkins.all(
      this.#db('checkins')
        .where({ user_id: userId })
        .whereBetween('checkin_date', [`${month}-01`, `${month}-31`])
        .orderBy('checkin_date', 'desc'),
    );
  }

  /** All check-ins of a user, and what they brought together. */
  async totals(userId: number): Promise<{ count: number; quota: number }> {
    const row: { count: number; quota: number } | undefined = await this.#db('checkins')
      .where({ user_id: userId })
      .select(this.#db.raw('count(*) as ??, cast(coalesce(sum(quota_awarded), 0) as bigint) as ??', ['count', 'quota']))
      .first();
    return row ?? { count: 0, quota: 0 };
  }
}
