/** SQL for the `abilities` table: which channel offers which model to which group, derived from the channels. */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { readFlag } from './dialect.ts';
import { Table } from './table.ts';

export interface AbilityRecord {
  group: string;
  /** The name clients use: model prefix and name. */
  model: string;
  channelId: number;
  enabled: boolean;
  priority: number;
  weight: number;
  tag: string | null;
}

/** What abilities copy from their channel besides groups and models. */
export type AbilityFacts = Partial<Pick<AbilityRecord, 'enabled' | 'priority' | 'weight' | 'tag'>>;

const abilities = new Table<AbilityRecord>(
  'abilities',
  {
    group: 'group',
    model: 'model',
    channelId: 'channel_id',
    enabled: 'enabled',
    priority: 'priority',
    weight: 'weight',
    tag: 'tag',
  },
  (stored) => ({ ...stored, enabled: readFlag(stored.enabled) }),
);

export class AbilityStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async list(channelId: number): Promise<AbilityRecord[]> {
    const query = this.#db('abilities').where({ channel_id: channelId }).orderBy(['group', 'model']);
    return abilities.all(query);
  }

  /** Replaces all rows of a channel. In a transaction, or readers see the channel without abilities for a moment. */
  async replace(channelId: number, rows: readonly Omit<AbilityRecord, 'channelId'>[]): Promise<void> {
    await this.#db('abilities').where({ channel_id: channelId }).delete();
    await this.insert(rows.map((row) => ({ ...row, channelId })));
  }

  /** Adds rows of channels that have none yet. */
  async insert(rows: readonly AbilityRecord[]): Promise<void> {
    for (const chunk of insertChunks(rows)) {
      await this.#db('abilities').insert(chunk.map((row) => abilities.row(row)));
    }
  }

  /** Changes what the rows of these channels copy; groups and models stay. */
  async update(channelIds: readonly number[], facts: AbilityFacts): Promise<void> {
    const row = abilities.row(facts);
    if (channelIds.length === 0 || Object.keys(row).length === 0) return;
    await this.#db('abilities').whereIn('channel_id', channelIds).update(row);
  }

  async deleteOfChannels(channelIds: readonly number[]): Promise<void> {
    if (channelIds.length > 0) await this.#db('abilities').whereIn('channel_id', channelIds).delete();
  }

  /** Removes rows whose channel is gone; returns how many. */
  async deleteOrphans(): Promise<number> {
    return this.#db('abilities')
      .whereNotExists((channel: Knex.QueryBuilder) => {
        channel.select(this.#db.raw('1')).from('channels').whereRaw('channels.id = abilities.channel_id');
      })
      .delete();
  }
}
