/** SQL for the `node_messages` table: what nodes without Redis tell each other; minutes later it is forgotten. */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { asStored, Table } from './table.ts';

export interface NodeMessageRecord {
  id: number;
  /** Names the process that wrote it. */
  sender: string;
  /** What it is about. */
  name: string;
  body: string;
  createdAt: number;
}

const messages = new Table<NodeMessageRecord>(
  'node_messages',
  { id: 'id', sender: 'sender', name: 'name', body: 'body', createdAt: 'created_at' },
  asStored,
);

export class NodeMessageStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Id of the newest message; 0 when there is none. */
  async latest(): Promise<number> {
    const newest: number[] = await this.#db('node_messages').orderBy('id', 'desc').limit(1).pluck('id');
    return newest[0] ?? 0;
  }

  /** In the order given; in a transaction that has bumped a revision, so that ids become visible in their order. */
  async insert(added: readonly Omit<NodeMessageRecord, 'id'>[]): Promise<void> {
    for (const chunk of insertChunks(added)) {
      await this.#db('node_messages').insert(chunk.map((message) => messages.row(message)));
    }
  }

  /** Those behind an id, the oldest first. */
  async after(id: number): Promise<NodeMessageRecord[]> {
    return messages.all(this.#db('node_messages').where('id', '>', id).orderBy('id'));
  }

  /** Removes all up to the newest that the sender wrote before a time: by its own clock, since those of nodes differ. */
  async deleteBehind({ sender, createdAt }: Pick<NodeMessageRecord, 'sender' | 'createdAt'>): Promise<void> {
    const old = this.#db('node_messages').where({ sender }).where('created_at', '<', createdAt);
    const [newest]: number[] = await old.orderBy('id', 'desc').limit(1).pluck('id');
    if (newest !== undefined) await this.#db('node_messages').where('id', '<=', newest).delete();
  }
}
