/**
 * SQL for the `verification_codes` table: mailed codes and reset links, hashed, one for each purpose and subject, and what
 * works once and has been used.
 */
import type { Knex } from 'knex';
import { asStored, Table } from './table.ts';

export interface VerificationCodeRecord {
  /** Such as `email` or `reset`. */
  purpose: string;
  /** Usually the address in lower case. */
  subject: string;
  codeHash: string;
  /** Wrong tries so far. */
  attempts: number;
  createdAt: number;
  expiresAt: number;
}

const codes = new Table<VerificationCodeRecord>(
  'verification_codes',
  {
    purpose: 'purpose',
    subject: 'subject',
    codeHash: 'code_hash',
    attempts: 'attempts',
    createdAt: 'created_at',
    expiresAt: 'expires_at',
  },
  asStored,
);

/** What a code is for, and whose it is. */
export type CodeSubject = Pick<VerificationCodeRecord, 'purpose' | 'subject'>;

export class VerificationCodeStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Expired ones included. */
  async find({ purpose, subject }: CodeSubject): Promise<VerificationCodeRecord | undefined> {
    return codes.first(this.#db('verification_codes').where({ purpose, subject }));
  }

  /** A new code takes the place of the old one and starts without wrong tries. */
  async replace(code: Omit<VerificationCodeRecord, 'attempts'>): Promise<void> {
    const row = { ...codes.row(code), attempts: 0 };
    await this.#db('verification_codes').insert(row).onConflict(['purpose', 'subject']).merge();
  }

  /** Takes one of the tries of an unexpired code; undefined when there is none, or no try is left. */
  async takeTry(
    { purpose, subject }: CodeSubject,
    limits: { nowSeconds: number; maxAttempts: number },
  ): Promise<VerificationCodeRecord | undefined> {
    return codes.writtenOne(
      this.#db('verification_codes')
        .where({ purpose, subject })
        .where('expires_at', '>', limits.nowSeconds)
        .where('attempts', '<', limits.maxAttempts)
        .update({ attempts: this.#db.raw('attempts + 1') }),
    );
  }

  /** Gives back the try of a right code. */
  async giveTryBack({ purpose, subject }: CodeSubject): Promise<void> {
    await this.#db('verification_codes')
      .where({ purpose, subject })
      .where('attempts', '>', 0)
      .update({ attempts: this.#db.raw('attempts - 1') });
  }

  /** Uses the code up: true when this very code was there and unexpired. */
  async consume(
    { purpose, subject }: CodeSubject,
    { codeHash, nowSeconds }: { codeHash: string; nowSeconds: number },
  ): Promise<boolean> {
    const consumed = await this.#db('verification_codes')
      .where({ purpose, subject, code_hash: codeHash })
      .where('expires_at', '>', nowSeconds)
      .delete();
    return consumed > 0;
  }

  /**
   * Uses up what works once on all nodes together; false when that was done before.
   * @param until unix seconds from which on it would work no more
   */
  async spend(
    { purpose, subject }: CodeSubject,
    { nowSeconds, until }: { nowSeconds: number; until: number },
  ): Promise<boolean> {
    const used = { purpose, subject, codeHash: '', attempts: 0, createdAt: nowSeconds, expiresAt: until };
    const query = this.#db('verification_codes').insert(codes.row(used)).onConflict(['purpose', 'subject']).ignore();
    return (await codes.writtenOne(query)) !== undefined;
  }

  async delete({ purpose, subject }: CodeSubject): Promise<void> {
    await this.#db('verification_codes').where({ purpose, subject }).delete();
  }

  /** Removes what has expired; returns how many. */
  async deleteExpired(nowSeconds: number): Promise<number> {
    return this.#db('verification_codes').where('expires_at', '<=', nowSeconds).delete();
  }
}
