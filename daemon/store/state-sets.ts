/** SQL for `state_sets` and `state_objects`: who declared which objects and fields, and what they were then. */
import type { Knex } from 'knex';
import type { StateKind } from '../contract/state-document.ts';
import { insertChunks } from './chunks.ts';
import { asStored, Table } from './table.ts';

export interface StateSetRecord {
  name: string;
  /** Unix seconds of the last time it was applied. */
  appliedAt: number;
  actorId: number;
  actorName: string;
  message: string;
}

export interface StateObjectRecord {
  kind: StateKind;
  /** What names the object for good: the id of a channel, else its name. */
  target: string;
  setName: string;
  /** What the set calls it. */
  key: string;
  /** JSON: digest by field, "" for secrets. */
  fields: string;
}

const sets = new Table<StateSetRecord>(
  'state_sets',
  { name: 'name', appliedAt: 'applied_at', actorId: 'actor_id', actorName: 'actor_name', message: 'message' },
  asStored,
);
const objects = new Table<StateObjectRecord>(
  'state_objects',
  { kind: 'kind', target: 'target', setName: 'set_name', key: 'key', fields: 'fields' },
  asStored,
);

export class StateSetStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** By name. */
  async all(): Promise<StateSetRecord[]> {
    return sets.all(this.#db('state_sets').orderBy('name'));
  }

  async find(name: string): Promise<StateSetRecord | undefined> {
    return sets.first(this.#db('state_sets').where({ name }));
  }

  async save(set: StateSetRecord): Promise<void> {
    await this.#db('state_sets').insert(sets.row(set)).onConflict('name').merge();
  }

  /** What every set owns, or one. */
  async objects(setName?: string): Promise<StateObjectRecord[]> {
    const query = this.#db('state_objects').orderBy(['kind', 'key']);
    if (setName !== undefined) query.where({ set_name: setName });
    return objects.all(query);
  }

  /** Makes these the objects that the set owns, also those that others owned before. */
  async replaceObjects(setName: string, owned: readonly StateObjectRecord[]): Promise<void> {
    await this.#db('state_objects').where({ set_name: setName }).delete();
    for (const chunk of insertChunks(owned.map((object) => objects.row(object)))) {
      await this.#db('state_objects').insert(chunk).onConflict(['kind', 'target']).merge();
    }
  }

  /** Removes the set and what it owns; returns how many objects that were, undefined when there is no such set. */
  async delete(name: string): Promise<number | undefined> {
    const owned = await this.#db('state_objects').where({ set_name: name }).delete();
    return (await this.#db('state_sets').where({ name }).delete()) > 0 ? owned : undefined;
  }
}
