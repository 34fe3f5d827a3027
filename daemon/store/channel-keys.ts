/** SQL for the `channel_keys` table: the keys of a channel, sealed, each with its own state. */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { asStored, Table } from './table.ts';

export interface ChannelKeyRecord {
  id: number;
  channelId: number;
  /** Place in the channel's key text, from 0. */
  position: number;
  /** First 16 hex digits of the key's SHA-256. */
  keyHash: string;
  keySealed: string;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: number;
  reason: string;
  statusTime: number;
  lastUsed: number;
  lastError: string;
  /** Requests a minute; 0 = none, as with the next two. */
  cap: number;
  /** Tokens a minute. */
  tpm: number;
  /** Calls at once. */
  concurrency: number;
}

/** What a key may be used for. */
export type ChannelKeyLimits = Pick<ChannelKeyRecord, 'cap' | 'tpm' | 'concurrency'>;

export type NewChannelKey = Pick<ChannelKeyRecord, 'channelId' | 'position' | 'keyHash' | 'keySealed'> &
  Partial<Pick<ChannelKeyRecord, 'status' | 'reason' | 'statusTime' | 'cap'>>;

/** What calls have shown about a key. */
export interface ChannelKeyUse {
  readonly id: number;
  readonly lastUsed: number;
  /** Undefined leaves the last error as it is. */
  readonly lastError?: string | undefined;
}

const keys = new Table<ChannelKeyRecord>(
  'channel_keys',
  {
    id: 'id',
    channelId: 'channel_id',
    position: 'position',
    keyHash: 'key_hash',
    keySealed: 'key_sealed',
    status: 'status',
    reason: 'reason',
    statusTime: 'status_time',
    lastUsed: 'last_used',
    lastError: 'last_error',
    cap: 'cap',
    tpm: 'tpm',
    concurrency: 'concurrency',
  },
  asStored,
);

export class ChannelKeyStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(id: number): Promise<ChannelKeyRecord | undefined> {
    return keys.first(this.#db('channel_keys').where({ id }));
  }

  /** Keys of all channels, or of those named; by channel, then in their order. */
  async all(channelIds?: readonly number[]): Promise<ChannelKeyRecord[]> {
    const query = this.#db('channel_keys').orderBy(['channel_id', 'position', 'id']);
    if (channelIds) query.whereIn('channel_id', channelIds);
    return keys.all(query);
  }

  /** Adds keys; those that their channel has already are left as they are. Returns the new ones. */
  async insert(added: readonly NewChannelKey[]): Promise<ChannelKeyRecord[]> {
    const inserted: ChannelKeyRecord[] = [];
    for (const chunk of insertChunks(added)) {
      const rows = chunk.map((key) => keys.row({ status: 1, reason: '', statusTime: 0, cap: 0, ...key }));
      const query = this.#db('channel_keys').insert(rows).onConflict(['channel_id', 'key_hash']).ignore();
      inserted.push(...(await keys.written(query)));
    }
    return inserted;
  }

  async setPositions(moved: readonly Pick<ChannelKeyRecord, 'id' | 'position'>[]): Promise<void> {
    for (const chunk of insertChunks(moved)) {
      const ids = chunk.map(({ id }) => id);
      const places = chunk.map(() => 'when ? then cast(? as integer)').join(' ');
      const values = chunk.flatMap(({ id, position }) => [id, position]);
      const query = this.#db('channel_keys').whereIn('id', ids);
      await query.update({ position: this.#db.raw(`case id ${places} end`, values) });
    }
  }

  /** Sets the state and why; undefined when there is no such key. */
  async setStatus(
    id: number,
    state: { status: number; reason: string; statusTime: number },
  ): Promise<ChannelKeyRecord | undefined> {
    return keys.writtenOne(this.#db('channel_keys').where({ id }).update(keys.foreignRow(state)));
  }

  /** Moves a key from one status to another; undefined when it has another by now. */
  async moveStatus(
    id: number,
    change: { from: number; to: number; reason: string; statusTime: number },
  ): Promise<ChannelKeyRecord | undefined> {
    return keys.writtenOne(
      this.#db('channel_keys')
        .where({ id, status: change.from })
        .update(keys.foreignRow({ status: change.to, reason: change.reason, statusTime: change.statusTime })),
    );
  }

  /** Moves all keys of a channel from one status to another; returns those moved. */
  async moveAll(
    channelId: number,
    change: { from: number; to: number; reason: string; statusTime: number },
  ): Promise<ChannelKeyRecord[]> {
    return keys.written(
      this.#db('channel_keys')
        .where({ channel_id: channelId, status: change.from })
        .update(keys.foreignRow({ status: change.to, reason: change.reason, statusTime: change.statusTime })),
    );
  }

  async setLimits(id: number, limits: Partial<ChannelKeyLimits>): Promise<ChannelKeyRecord | undefined> {
    return keys.writtenOne(this.#db('channel_keys').where({ id }).update(keys.row(limits)));
  }

  /** Notes when keys were last used and how they last failed, off the way of any request. */
  async recordUse(uses: readonly ChannelKeyUse[]): Promise<void> {
    // Nodes that write at once take their row locks in the same order.
    for (const { id, ...use } of [...uses].sort((left, right) => left.id - right.id)) {
      await this.#db('channel_keys').where({ id }).update(keys.foreignRow(use));
    }
  }

  /** Returns the keys that were removed. */
  async delete(ids: readonly number[]): Promise<ChannelKeyRecord[]> {
    const deleted: ChannelKeyRecord[] = [];
    for (const chunk of insertChunks(ids)) {
      deleted.push(...(await keys.deleted(this.#db, this.#db('channel_keys').whereIn('id', chunk))));
    }
    return deleted;
  }

  /** Removes all keys of these channels. */
  async deleteOfChannels(channelIds: readonly number[]): Promise<void> {
    if (channelIds.length > 0) await this.#db('channel_keys').whereIn('channel_id', channelIds).delete();
  }
}
