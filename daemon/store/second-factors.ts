/** SQL for `user_totp` and `recovery_codes`: one authenticator app for each user, and codes for the day it is lost. */
import type { Knex } from 'knex';
import { asStored, Table } from './table.ts';

export interface TotpRecord {
  userId: number;
  /** Sealed. */
  secret: string;
  createdAt: number;
  /** Unix seconds; 0 while the first code has not been shown. */
  enabledAt: number;
  /** Number of the newest time step whose code was used; none up to it is taken again. */
  lastStep: number;
}

const secrets = new Table<TotpRecord>(
  'user_totp',
  {
    userId: 'user_id',
    secret: 'secret',
    createdAt: 'created_at',
    enabledAt: 'enabled_at',
    lastStep: 'last_step',
  },
  asStored,
);

/** What was taken away from a user. */
export interface RemovedFactors {
  readonly totp: boolean;
  readonly passkeys: number;
}

export class SecondFactorStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Also one that is not enabled yet. */
  async findTotp(userId: number): Promise<TotpRecord | undefined> {
    return secrets.first(this.#db('user_totp').where({ user_id: userId }));
  }

  /** Keeps a secret to be enabled, in place of one that never was; undefined while one is enabled. */
  async beginTotp(begun: Pick<TotpRecord, 'userId' | 'secret' | 'createdAt'>): Promise<TotpRecord | undefined> {
    return secrets.writtenOne(
      this.#db('user_totp')
        .insert(secrets.row({ ...begun, enabledAt: 0, lastStep: 0 }))
        .onConflict('user_id')
        .merge(['secret', 'created_at'])
        .where('user_totp.enabled_at', 0),
    );
  }

  /** Enables the very secret that was read, with the step of its first code; undefined when it is another by now. */
  async enableTotp(
    { userId, secret }: Pick<TotpRecord, 'userId' | 'secret'>,
    { enabledAt, lastStep }: Pick<TotpRecord, 'enabledAt' | 'lastStep'>,
  ): Promise<TotpRecord | undefined> {
    return secrets.writtenOne(
      this.#db('user_totp')
        .where({ user_id: userId, secret, enabled_at: 0 })
        .update({ enabled_at: enabledAt, last_step: lastStep }),
    );
  }

  /** Uses up the code of a time step, and those of all before it; false when that was done already. */
  async takeStep(userId: number, step: number): Promise<boolean> {
    const used = await this.#db('user_totp')
      .where({ user_id: userId })
      .where('enabled_at', '>', 0)
      .where('last_step', '<', step)
      .update({ last_step: step });
    return used > 0;
  }

  /** Forgets the app and the recovery codes; false when no app was enabled. */
  async removeTotp(userId: number): Promise<boolean> {
    const [removed] = await secrets.deleted(this.#db, this.#db('user_totp').where({ user_id: userId }));
    await this.#db('recovery_codes').where({ user_id: userId }).delete();
    return removed !== undefined && removed.enabledAt > 0;
  }

  /** Everything beside the password: app, recovery codes, passkeys. Ends no session. */
  async removeAll(userId: number): Promise<RemovedFactors> {
    const totp = await this.removeTotp(userId);
    return { totp, passkeys: await this.#db('passkeys').where({ user_id: userId }).delete() };
  }

  /** New codes; those before are worth nothing any more. */
  async replaceRecoveryCodes(userId: number, codeHashes: readonly string[]): Promise<void> {
    await this.#db('recovery_codes').where({ user_id: userId }).delete();
    await this.#db('recovery_codes').insert(codeHashes.map((hash) => ({ user_id: userId, code_hash: hash })));
  }

  /** Uses up a code; false when there is no such one. */
  async takeRecoveryCode(userId: number, codeHash: string): Promise<boolean> {
    return (await this.#db('recovery_codes').where({ user_id: userId, code_hash: codeHash }).delete()) > 0;
  }

  async countRecoveryCodes(userId: number): Promise<number> {
    const hashes: string[] = await this.#db('recovery_codes').where({ user_id: userId }).pluck('code_hash');
    return hashes.length;
  }
}
