/** SQL for the `cli_sign_ins` table: sign-ins of the command line under way. Their codes are stored as keyed hashes only. */
import type { Knex } from 'knex';
import { asStored, Table } from './table.ts';

export type CliSignInStatus = 'pending' | 'approved' | 'denied';

export interface CliSignInRecord {
  id: number;
  /** Keyed hash of what the program fetches its token with. */
  exchangeHash: string;
  /** Keyed hash of the code that a person types; null where a browser on the same machine carries everything. */
  userCodeHash: string | null;
  /** Of the verifier that the program must show with its code; "" where it holds a secret from the start. */
  challenge: string;
  status: CliSignInStatus;
  /** What the token will be called. */
  name: string;
  /** Names of scopes with a space between them; `*` is all that the user's role has a use for. */
  scopes: string;
  /** When the token will end, unix seconds. */
  tokenExpiresAt: number;
  /** Where the program asked from. */
  ip: string;
  userAgent: string;
  /** Who answered; null while nobody has. */
  userId: number | null;
  /** `users.auth_version` at that moment: whatever ends the user's sessions ends this as well. */
  authVersion: number;
  createdAt: number;
  expiresAt: number;
  /** 0 before the first. */
  lastPollAt: number;
}

export type NewCliSignIn = Omit<CliSignInRecord, 'id' | 'lastPollAt'>;

/** Who answered, and what they let it have. */
export type CliSignInAnswer = Pick<CliSignInRecord, 'status' | 'userId' | 'authVersion' | 'scopes'>;

const signIns = new Table<CliSignInRecord>(
  'cli_sign_ins',
  {
    id: 'id',
    exchangeHash: 'exchange_hash',
    userCodeHash: 'user_code_hash',
    challenge: 'challenge',
    status: 'status',
    name: 'name',
    scopes: 'scopes',
    tokenExpiresAt: 'token_expires_at',
    ip: 'ip',
    userAgent: 'user_agent',
    userId: 'user_id',
    authVersion: 'auth_version',
    createdAt: 'created_at',
    expiresAt: 'expires_at',
    lastPollAt: 'last_poll_at',
  },
  asStored,
);

export class CliSignInStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Undefined when another one has the same code to be typed. */
  async insert(signIn: NewCliSignIn): Promise<CliSignInRecord | undefined> {
    return signIns.writtenOne(
      this.#db('cli_sign_ins').insert(signIns.row(signIn)).onConflict('user_code_hash').ignore(),
    );
  }

  /** Expired ones included. */
  async findByExchange(exchangeHash: string): Promise<CliSignInRecord | undefined> {
    return signIns.first(this.#db('cli_sign_ins').where({ exchange_hash: exchangeHash }));
  }

  /** Expired and answered ones included. */
  async findByUserCode(userCodeHash: string): Promise<CliSignInRecord | undefined> {
    return signIns.first(this.#db('cli_sign_ins').where({ user_code_hash: userCodeHash }));
  }

  /** Notes that its program asked; false when that was too soon after the last time. */
  async takePoll(id: number, { now, everySeconds }: { now: number; everySeconds: number }): Promise<boolean> {
    const noted = await this.#db('cli_sign_ins')
      .where({ id })
      .where('last_poll_at', '<=', now - everySeconds)
      .update({ last_poll_at: now });
    return noted > 0;
  }

  /** Answers one that waits; undefined when somebody has, or its time is over. */
  async answer(id: number, answer: CliSignInAnswer, nowSeconds: number): Promise<CliSignInRecord | undefined> {
    return signIns.writtenOne(
      this.#db('cli_sign_ins')
        .where({ id, status: 'pending' })
        .where('expires_at', '>', nowSeconds)
        .update(signIns.row(answer)),
    );
  }

  /** Uses up one that was approved; false when that was done, or its time is over. */
  async takeApproved(id: number, nowSeconds: number): Promise<boolean> {
    const taken = await this.#db('cli_sign_ins')
      .where({ id, status: 'approved' })
      .where('expires_at', '>', nowSeconds)
      .delete();
    return taken > 0;
  }

  async delete(id: number): Promise<void> {
    await this.#db('cli_sign_ins').where({ id }).delete();
  }

  /** Removes those whose time is over; returns how many. */
  async deleteExpired(nowSeconds: number): Promise<number> {
    return this.#db('cli_sign_ins').where('expires_at', '<=', nowSeconds).delete();
  }
}
