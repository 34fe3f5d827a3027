/** SQL for the `machine_tokens` table. Secrets are stored as keyed hashes only. */
import type { Knex } from 'knex';
import { asStored, Table, type Values } from './table.ts';

export interface MachineTokenRecord {
  id: number;
  userId: number;
  name: string;
  /** Keyed hash of the secret: the only way to look it up. */
  secretHash: string;
  /** The same of the secret before the last rotation; null when there was none, or it is taken no longer. */
  previousHash: string | null;
  /** Unix seconds until which the secret before is taken. */
  previousUntil: number;
  /** Names of scopes with a space between them. */
  scopes: string;
  /** One address or network a line; "" = any. */
  allowIps: string;
  /** Role of its user when it was made: it never acts as more than that. */
  role: number;
  createdAt: number;
  expiresAt: number;
  /** 0 = never; noted about once a minute. */
  lastUsedAt: number;
}

export type NewMachineToken = Omit<MachineTokenRecord, 'id' | 'previousHash' | 'previousUntil' | 'lastUsedAt'>;

/** What a rotation writes. */
export type MachineTokenSecrets = Pick<MachineTokenRecord, 'secretHash' | 'previousHash' | 'previousUntil'>;

const machineTokens = new Table<MachineTokenRecord>(
  'machine_tokens',
  {
    id: 'id',
    userId: 'user_id',
    name: 'name',
    secretHash: 'secret_hash',
    previousHash: 'previous_hash',
    previousUntil: 'previous_until',
    scopes: 'scopes',
    allowIps: 'allow_ips',
    role: 'role',
    createdAt: 'created_at',
    expiresAt: 'expires_at',
    lastUsedAt: 'last_used_at',
  },
  asStored,
);

export class MachineTokenStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** The token that has or had a secret with this hash, expired ones included; the caller looks at the clock. */
  async findByHash(hash: string): Promise<MachineTokenRecord | undefined> {
    return machineTokens.first(
      this.#db('machine_tokens').where({ secret_hash: hash }).orWhere({ previous_hash: hash }),
    );
  }

  async findOwned(id: number, userId: number): Promise<MachineTokenRecord | undefined> {
    return machineTokens.first(this.#owned(id, userId));
  }

  /** Newest first, expired ones included. */
  async listOfUser(userId: number): Promise<MachineTokenRecord[]> {
    return machineTokens.all(this.#db('machine_tokens').where({ user_id: userId }).orderBy('id', 'desc'));
  }

  async insert(token: NewMachineToken): Promise<MachineTokenRecord> {
    const [inserted] = await machineTokens.written(this.#db('machine_tokens').insert(machineTokens.row(token)));
    if (!inserted) throw new Error('an inserted machine token was not returned');
    return inserted;
  }

  /** Puts new secrets in the place of the one that was read; undefined when somebody else was faster. */
  async replaceSecrets(id: number, from: string, to: MachineTokenSecrets): Promise<MachineTokenRecord | undefined> {
    const values: Values<MachineTokenRecord> = to;
    return machineTokens.writtenOne(
      this.#db('machine_tokens').where({ id, secret_hash: from }).update(machineTokens.row(values)),
    );
  }

  async touch(id: number, lastUsedAt: number): Promise<void> {
    await this.#db('machine_tokens').where({ id }).update({ last_used_at: lastUsedAt });
  }

  /** True when there was one. */
  async delete(id: number, userId: number): Promise<boolean> {
    return (await this.#owned(id, userId).delete()) > 0;
  }

  /** Returns how many there were. */
  async deleteOfUser(userId: number): Promise<number> {
    return this.#db('machine_tokens').where({ user_id: userId }).delete();
  }

  /** Removes those that ended before; returns how many. */
  async deleteExpired(beforeSeconds: number): Promise<number> {
    return this.#db('machine_tokens').where('expires_at', '<=', beforeSeconds).delete();
  }

  #owned(id: number, userId: number): Knex.QueryBuilder {
    return this.#db('machine_tokens').where({ id, user_id: userId });
  }
}
