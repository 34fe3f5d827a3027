/** SQL for `price_versions` and `price_version_texts`: changes of prices, with the texts that each replaced. */
import type { Knex } from 'knex';
import { countRows, type Page, type Window } from './paging.ts';
import { asStored, Table } from './table.ts';

export interface PriceVersionRecord {
  id: number;
  /** Unix seconds. */
  createdAt: number;
  actorId: number;
  actorName: string;
  cause: 'edit' | 'option' | 'reset' | 'sync' | 'rollback';
  note: string;
  /** Names of changed models as JSON, the first ones of many. */
  models: string;
  modelCount: number;
}

export type NewPriceVersion = Omit<PriceVersionRecord, 'id'>;

/** Stored texts of options by key; null while the default was in force. */
export type OptionTexts = ReadonlyMap<string, string | null>;

const versions = new Table<PriceVersionRecord>(
  'price_versions',
  {
    id: 'id',
    createdAt: 'created_at',
    actorId: 'actor_id',
    actorName: 'actor_name',
    cause: 'cause',
    note: 'note',
    models: 'models',
    modelCount: 'model_count',
  },
  asStored,
);

export class PriceVersionStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** @param before of every option that the change made different */
  async insert(version: NewPriceVersion, before: OptionTexts): Promise<number> {
    const inserted = await versions.writtenOne(this.#db('price_versions').insert(versions.row(version)));
    const id = inserted?.id ?? 0;
    const rows = [...before].map(([key, text]) => ({ version_id: id, key, before: text }));
    if (rows.length > 0) await this.#db('price_version_texts').insert(rows);
    return id;
  }

  /** Newest first. */
  async list({ offset, limit }: Window): Promise<Page<PriceVersionRecord>> {
    const query = this.#db('price_versions');
    const total = await countRows(query);
    return { items: await versions.all(query.orderBy('id', 'desc').offset(offset).limit(limit)), total };
  }

  async find(id: number): Promise<PriceVersionRecord | undefined> {
    return versions.first(this.#db('price_versions').where({ id }));
  }

  /** Number of the newest; 0 before the first. */
  async newest(): Promise<number> {
    const [id]: number[] = await this.#db('price_versions').orderBy('id', 'desc').limit(1).pluck('id');
    return id ?? 0;
  }

  /** What options held when this version was the newest, of those that changed since; 0 is before all that are kept. */
  async textsAt(id: number): Promise<OptionTexts> {
    const nextOf = this.#db('price_version_texts')
      .where('version_id', '>', id)
      .groupBy('key')
      .select('key')
      .min({ first: 'version_id' })
      .as('next');
    const rows: { key: string; before: string | null }[] = await this.#db('price_version_texts as texts')
      .join(nextOf, (join) => join.on('texts.key', 'next.key').andOn('texts.version_id', 'next.first'))
      .select({ key: 'texts.key', before: 'texts.before' });
    return new Map(rows.map(({ key, before }) => [key, before]));
  }

  /** Forgets the oldest beyond so many. What newer ones stand for does not depend on them. */
  async prune(kept: number): Promise<void> {
    const [newestGone]: number[] = await this.#db('price_versions')
      .orderBy('id', 'desc')
      .offset(kept)
      .limit(1)
      .pluck('id');
    if (newestGone === undefined) return;
    await this.#db('price_version_texts').where('version_id', '<=', newestGone).delete();
    await this.#db('price_versions').where('id', '<=', newestGone).delete();
  }
}
