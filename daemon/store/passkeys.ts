/** SQL for the `passkeys` table: public keys that users sign in with. */
import type { Knex } from 'knex';
import { Table } from './table.ts';

export interface PasskeyRecord {
  id: number;
  userId: number;
  /** Base64url, as the browser names it; nobody else has the same. */
  credentialId: string;
  /** COSE key in base64url. */
  publicKey: string;
  /** How often it signed, as far as it counts. */
  signCount: number;
  /** Ways to reach it, separated by commas: a hint for browsers. */
  transports: string;
  name: string;
  /** True where it is kept on more than one device. */
  synced: boolean;
  createdAt: number;
  /** Unix seconds; 0 before its first use. */
  lastUsedAt: number;
}

const passkeys = new Table<PasskeyRecord>(
  'passkeys',
  {
    id: 'id',
    userId: 'user_id',
    credentialId: 'credential_id',
    publicKey: 'public_key',
    signCount: 'sign_count',
    transports: 'transports',
    name: 'name',
    synced: 'synced',
    createdAt: 'created_at',
    lastUsedAt: 'last_used_at',
  },
  (stored) => ({ ...stored, synced: Number(stored.synced) === 1 }),
);

export class PasskeyStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async findByCredential(credentialId: string): Promise<PasskeyRecord | undefined> {
    return passkeys.first(this.#db('passkeys').where({ credential_id: credentialId }));
  }

  /** The oldest first. */
  async listOfUser(userId: number): Promise<PasskeyRecord[]> {
    return passkeys.all(this.#db('passkeys').where({ user_id: userId }).orderBy('id'));
  }

  /** Undefined when somebody has this very credential already. */
  async insert({ synced, ...added }: Omit<PasskeyRecord, 'id' | 'lastUsedAt'>): Promise<PasskeyRecord | undefined> {
    const row = { ...passkeys.row(added), synced: synced ? 1 : 0, last_used_at: 0 };
    return passkeys.writtenOne(this.#db('passkeys').insert(row).onConflict('credential_id').ignore());
  }

  /** Undefined when the user has no such one. */
  async rename(userId: number, { id, name }: Pick<PasskeyRecord, 'id' | 'name'>): Promise<PasskeyRecord | undefined> {
    return passkeys.writtenOne(this.#db('passkeys').where({ id, user_id: userId }).update({ name }));
  }

  /** Notes a use; false when it was used by somebody else since it was read. */
  async noteUse({ id, signCount }: PasskeyRecord, use: { signCount: number; lastUsedAt: number }): Promise<boolean> {
    const noted = await this.#db('passkeys')
      .where({ id, sign_count: signCount })
      .update({ sign_count: use.signCount, last_used_at: use.lastUsedAt });
    return noted > 0;
  }

  /** False when the user has no such one. */
  async delete(userId: number, id: number): Promise<boolean> {
    return (await this.#db('passkeys').where({ id, user_id: userId }).delete()) > 0;
  }
}
