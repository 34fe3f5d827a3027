/** SQL for the `cooling_ends` table: channels whose pauses were ended by hand, and the revision of that. */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { asStored, Table } from './table.ts';

export interface CoolingEndRecord {
  channelId: number;
  /** Of the topic `channels`. */
  revision: number;
}

const ends = new Table<CoolingEndRecord>('cooling_ends', { channelId: 'channel_id', revision: 'revision' }, asStored);

/** Pauses last for minutes: whoever has missed as many changes as this has none left to end. */
const keptRevisions = 10_000;

export class CoolingEndStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Notes that the pauses of these channels end with the revision; in its transaction. */
  async note(channelIds: readonly number[], revision: number): Promise<void> {
    for (const chunk of insertChunks(channelIds)) {
      const rows = chunk.map((channelId) => ends.row({ channelId, revision }));
      await this.#db('cooling_ends').insert(rows).onConflict('channel_id').merge();
    }
    await this.#db('cooling_ends')
      .where('revision', '<', revision - keptRevisions)
      .delete();
  }

  /** The newest revision that ended a pause; 0 when none did. */
  async latest(): Promise<number> {
    const newest: number[] = await this.#db('cooling_ends').orderBy('revision', 'desc').limit(1).pluck('revision');
    return newest[0] ?? 0;
  }

  /** Those behind a revision. */
  async after(revision: number): Promise<CoolingEndRecord[]> {
    return ends.all(this.#db('cooling_ends').where('revision', '>', revision).orderBy('revision'));
  }
}
