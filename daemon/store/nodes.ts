/** SQL for the `nodes` table: which daemons share this database, and when each was last alive. */
import type { Knex } from 'knex';
import { asStored, Table } from './table.ts';

export interface NodeRecord {
  id: string;
  address: string;
  version: string;
  startedAt: number;
  heartbeatAt: number;
  /** JSON text of what it says of itself; "" for a node of before. */
  facts: string;
}

const nodes = new Table<NodeRecord>(
  'nodes',
  {
    id: 'id',
    address: 'address',
    version: 'version',
    startedAt: 'started_at',
    heartbeatAt: 'heartbeat_at',
    facts: 'facts',
  },
  asStored,
);

export class NodeStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async all(): Promise<NodeRecord[]> {
    return nodes.all(this.#db('nodes').orderBy('id'));
  }

  async find(id: string): Promise<NodeRecord | undefined> {
    return nodes.first(this.#db('nodes').where({ id }));
  }

  /** When each node was last alive by its own clock, by id. */
  async heartbeats(): Promise<Map<string, number>> {
    const rows: Pick<NodeRecord, 'id' | 'heartbeatAt'>[] = await this.#db('nodes').select({
      id: 'id',
      heartbeatAt: 'heartbeat_at',
    });
    return new Map(rows.map(({ id, heartbeatAt }) => [id, heartbeatAt]));
  }

  /** Ids of nodes heard of since then. */
  async liveIds(sinceSeconds: number): Promise<string[]> {
    return this.#db('nodes').where('heartbeat_at', '>=', sinceSeconds).orderBy('id').pluck('id');
  }

  /** Says that a node is alive. */
  async beat(node: Omit<NodeRecord, 'facts'> & Partial<Pick<NodeRecord, 'facts'>>): Promise<void> {
    await this.#db('nodes').insert(nodes.row(node)).onConflict('id').merge();
  }

  /** A node that has stopped in order. */
  async delete(id: string): Promise<void> {
    await this.#db('nodes').where({ id }).delete();
  }

  /** Removes nodes not heard of since then; returns their ids. */
  async deleteSilent(sinceSeconds: number): Promise<string[]> {
    const silent = await nodes.deleted(this.#db, this.#db('nodes').where('heartbeat_at', '<', sinceSeconds));
    return silent.map((node) => node.id);
  }
}
