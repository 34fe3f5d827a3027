/** SQL for `alert_settings`, one sealed row, and for `notice_marks`, which say what has been told lately. */
import type { Knex } from 'knex';
import { type RawResult, rowsOf } from './dialect.ts';

/** How often something may be told within a span. */
export interface NoticeWindow {
  readonly count: number;
  readonly seconds: number;
}

export class NoticeStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** The sealed settings; undefined while nothing was saved. */
  async findSettings(): Promise<string | undefined> {
    const row: { sealed: string } | undefined = await this.#db('alert_settings').where({ id: 1 }).first('sealed');
    return row?.sealed;
  }

  async saveSettings(sealed: string, nowSeconds: number): Promise<void> {
    await this.#db('alert_settings').insert({ id: 1, sealed, updated_at: nowSeconds }).onConflict('id').merge();
  }

  /** Takes one of the places of the window that began with the first notice of this name; false when all are taken. */
  async mark(name: string, window: NoticeWindow, nowSeconds: number): Promise<boolean> {
    const marking: Knex.Raw = this.#db.raw(
      `insert into notice_marks (name, told, expires_at) values (:name, 1, :end)
       on conflict (name) do update set
         told = case when notice_marks.expires_at <= :now then 1 else notice_marks.told + 1 end,
         expires_at = case when notice_marks.expires_at <= :now then :end else notice_marks.expires_at end
       where notice_marks.expires_at <= :now or notice_marks.told < :count
       returning name`,
      { name, now: nowSeconds, end: nowSeconds + window.seconds, count: window.count },
    );
    const result: RawResult<{ name: string }> = await marking;
    return rowsOf(result).length > 0;
  }

  /** Removes marks whose window is over; returns how many. */
  async deleteExpiredMarks(nowSeconds: number): Promise<number> {
    return this.#db('notice_marks').where('expires_at', '<=', nowSeconds).delete();
  }
}
