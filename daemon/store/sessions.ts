/** SQL for the `sessions` table. */
import type { Knex } from 'knex';
import { asStored, Table } from './table.ts';

export interface SessionRecord {
  /** Hash of the id in the cookie. */
  idHash: string;
  /** Null while nobody has signed in. */
  userId: number | null;
  /** JSON text: sign-in states, human check, invite code. */
  data: string;
  /** `users.auth_version` at sign-in. */
  authVersion: number;
  createdAt: number;
  lastSeenAt: number;
  expiresAt: number;
  ip: string;
  userAgent: string;
}

const sessions = new Table<SessionRecord>(
  'sessions',
  {
    idHash: 'id_hash',
    userId: 'user_id',
    data: 'data',
    authVersion: 'auth_version',
    createdAt: 'created_at',
    lastSeenAt: 'last_seen_at',
    expiresAt: 'expires_at',
    ip: 'ip',
    userAgent: 'user_agent',
  },
  asStored,
);

export class SessionStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Expired ones included; the caller looks at the clock. */
  async find(idHash: string): Promise<SessionRecord | undefined> {
    return sessions.first(this.#db('sessions').where({ id_hash: idHash }));
  }

  /** Most recently seen first; those of one second in an order that stays. */
  async listOfUser(userId: number): Promise<SessionRecord[]> {
    const order = [{ column: 'last_seen_at', order: 'desc' }, { column: 'created_at', order: 'desc' }, 'id_hash'];
    return sessions.all(this.#db('sessions').where({ user_id: userId }).orderBy(order));
  }

  async insert(session: SessionRecord): Promise<void> {
    await this.#db('sessions').insert(sessions.row(session));
  }

  async touch(idHash: string, lastSeenAt: number): Promise<void> {
    await this.#db('sessions').where({ id_hash: idHash }).update({ last_seen_at: lastSeenAt });
  }

  /** Replaces the data if it is still what was read; undefined otherwise, and somebody else was faster. */
  async replaceData(idHash: string, data: { from: string; to: string }): Promise<SessionRecord | undefined> {
    return sessions.writtenOne(
      this.#db('sessions').where({ id_hash: idHash, data: data.from }).update({ data: data.to }),
    );
  }

  /** Keeps a session alive whose user has just raised the version that ends all others. */
  async setAuthVersion(idHash: string, authVersion: number): Promise<void> {
    await this.#db('sessions').where({ id_hash: idHash }).update({ auth_version: authVersion });
  }

  /** True when there was one. */
  async delete(idHash: string): Promise<boolean> {
    return (await this.#db('sessions').where({ id_hash: idHash }).delete()) > 0;
  }

  /** Ends all sessions of a user, save the one given; returns how many. */
  async deleteOfUser(userId: number, keptIdHash?: string): Promise<number> {
    const query = this.#db('sessions').where({ user_id: userId });
    if (keptIdHash !== undefined) query.whereNot('id_hash', keptIdHash);
    return query.delete();
  }

  /** Removes at most `limit` sessions that ended before; returns how many. */
  async deleteExpired(nowSeconds: number, limit: number): Promise<number> {
    const expired = this.#db('sessions').select('id_hash').where('expires_at', '<=', nowSeconds).limit(limit);
    return this.#db('sessions').whereIn('id_hash', expired).delete();
  }
}
