/** SQL for the `rate_rules` table: ratios that replace the group's for a user, a user group or a token. */
import type { Knex } from 'knex';
import { countRows } from './paging.ts';
import { asStored, Table } from './table.ts';

export type RateSubjectKind = 'user' | 'group' | 'token';

export interface RateRuleRecord {
  id: number;
  subjectKind: RateSubjectKind;
  /** An id as text, or the name of a user group. */
  subject: string;
  /** A name, `prefix*` or `*`. */
  model: string;
  ratio: number;
  /** Unix seconds of the last write, and who made it. */
  updatedAt: number;
  actorId: number;
  actorName: string;
}

export type NewRateRule = Omit<RateRuleRecord, 'id'>;

const rules = new Table<RateRuleRecord>(
  'rate_rules',
  {
    id: 'id',
    subjectKind: 'subject_kind',
    subject: 'subject',
    model: 'model',
    ratio: 'ratio',
    updatedAt: 'updated_at',
    actorId: 'actor_id',
    actorName: 'actor_name',
  },
  asStored,
);

export class RateRuleStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** By subject, then by model. */
  async all(): Promise<RateRuleRecord[]> {
    return rules.all(this.#db('rate_rules').orderBy(['subject_kind', 'subject', 'model']));
  }

  async find(place: Pick<RateRuleRecord, 'subjectKind' | 'subject' | 'model'>): Promise<RateRuleRecord | undefined> {
    const { subjectKind, subject, model } = place;
    return rules.first(this.#db('rate_rules').where(rules.row({ subjectKind, subject, model })));
  }

  count(): Promise<number> {
    return countRows(this.#db('rate_rules'));
  }

  /** Sets the ratio of this subject and model, whether it had one or not. */
  async set(rule: NewRateRule): Promise<RateRuleRecord | undefined> {
    const query = this.#db('rate_rules')
      .insert(rules.row(rule))
      .onConflict(['subject_kind', 'subject', 'model'])
      .merge(['ratio', 'updated_at', 'actor_id', 'actor_name']);
    return rules.writtenOne(query);
  }

  /** Returns the rule that was; undefined when there was none. */
  async delete(id: number): Promise<RateRuleRecord | undefined> {
    return (await rules.deleted(this.#db, this.#db('rate_rules').where({ id })))[0];
  }
}
