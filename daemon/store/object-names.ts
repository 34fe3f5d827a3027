/** Ids and names of records of several tables, for finding them by name; no other column leaves the database. */
import type { Knex } from 'knex';
import type { Engine } from './dialect.ts';
import { containsPattern, orWhereId, orWhereLike } from './like-pattern.ts';

export interface NamedRow {
  readonly id: number;
  readonly name: string;
}

interface Place {
  readonly name: string;
  /** Columns in which the text may be anywhere. */
  readonly within: readonly string[];
  /** Column that it may be as a whole. */
  readonly equal?: string;
  /** Further rows by id. */
  readonly among?: Knex.QueryBuilder;
}

/** All reads: the newest first, at most `limit`; an empty text finds nothing. A number also matches the id. */
export class ObjectNameStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /** @param keyHashes a channel with a key by one of these names is found too */
  channels(text: string, keyHashes: readonly string[], limit: number): Promise<NamedRow[]> {
    const among = this.#db('channel_keys').select('channel_id').whereIn('key_hash', keyHashes);
    return this.#named(this.#db('channels'), { name: 'name', within: ['name', 'base_url'], among }, { text, limit });
  }

  /** Accounts that are not deleted. */
  users(text: string, limit: number): Promise<NamedRow[]> {
    const place = { name: 'username', within: ['username', 'email', 'display_name'] };
    return this.#named(this.#db('users').whereNull('deleted_at'), place, { text, limit });
  }

  /** Keys of one user. */
  tokensOf(userId: number, text: string, limit: number): Promise<NamedRow[]> {
    const own = this.#db('tokens').where({ user_id: userId }).whereNull('deleted_at');
    return this.#named(own, { name: 'name', within: ['name'] }, { text, limit });
  }

  redemptions(text: string, limit: number): Promise<NamedRow[]> {
    const live = this.#db('redemptions').whereNull('deleted_at');
    return this.#named(live, { name: 'name', within: ['name'], equal: 'key' }, { text, limit });
  }

  async #named(
    query: Knex.QueryBuilder,
    { name, within, equal, among }: Place,
    { text, limit }: { readonly text: string; readonly limit: number },
  ): Promise<NamedRow[]> {
    if (text === '') return [];
    const pattern = containsPattern(text);
    query.where((any) => {
      for (const column of within) orWhereLike(any, this.#engine, { column, pattern });
      orWhereId(any, text);
      if (equal) any.orWhere(equal, text);
      if (among) any.orWhereIn('id', among);
    });
    return query.orderBy('id', 'desc').limit(limit).select({ id: 'id', name });
  }
}
