/**
 * Signing the command line in by way of the console (cli.md 2): a person looks at who asks for what and answers, and the
 * program fetches a machine token, once. Nothing is ever approved by itself, and no code is kept but as a keyed hash.
 */
import { createHash } from 'node:crypto';
import type { Counters } from '../cluster/counters.ts';
import { readScopes, type Scope, type ScopeWish, wishedScopes } from '../contract/scopes.ts';
import { TollgateError } from '../errors.ts';
import type { CliSignInRecord, CliSignInStatus } from '../store/cli-sign-ins.ts';
import type { Database, Stores } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import type { Actor } from './actor.ts';
import { addressBucket } from './api-limits.ts';
import { auditBy } from './audits.ts';
import { equalSecrets } from './equal-secrets.ts';
import { type FailureLimit, takeTry } from './failure-limits.ts';
import { checkMachineTokenWish, type FreshMachineToken, type MachineTokenService } from './machine-tokens.ts';
import { lockOwnRow } from './own-row.ts';
import { randomLetters, randomToken } from './random-text.ts';

export interface CliSignInsDeps {
  readonly database: Database;
  readonly machineTokens: Pick<MachineTokenService, 'check' | 'createIn'>;
  readonly counters: Pick<Counters, 'slide' | 'giveBack'>;
  /** Of wrong codes typed by one user, and from one address. */
  readonly failuresPerName: FailureLimit;
  readonly failuresPerAddress: FailureLimit;
  readonly hash: (purpose: string, subject: string, code: string) => string;
  /** Where people reach the console; "" where nobody has said so. */
  readonly siteAddress: () => string;
  readonly nowSeconds: () => number;
}

/** The token that a program would like to have. */
export interface CliTokenWish {
  readonly name: string;
  readonly scopes: readonly ScopeWish[];
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** Where a call of the program comes from. */
export interface ProgramOrigin {
  readonly ip: string;
  readonly userAgent: string;
  readonly requestId: string;
}

/** What a program without a browser is told, and tells its user. */
export interface DeviceCodes {
  readonly deviceCode: string;
  /** `XXXX-XXXX`. */
  readonly userCode: string;
  /** "" where the site does not know its own address. */
  readonly verificationUri: string;
  readonly expiresInSeconds: number;
  readonly intervalSeconds: number;
}

/** A program that waits, for whoever may let it in. */
export interface WaitingProgram {
  readonly signIn: CliSignInRecord;
  /** As they would be granted to the person who looks. */
  readonly scopes: readonly Scope[];
  /** Whether person and program speak from one address. */
  readonly isSameAddress: boolean;
}

/** What a program shows for its token. */
export type CliGrant =
  | { readonly kind: 'device_code'; readonly code: string }
  | { readonly kind: 'authorization_code'; readonly code: string; readonly verifier: string };

const deviceSeconds = 600;
const pollSeconds = 5;
/** A browser carries its code on at once. */
const carriedSeconds = 60;
const userCodeLength = 8;
/** Codes drawn until one is free; with thousands waiting at a time the first one is. */
const draws = 5;

export class CliSignIns {
  readonly #deps: CliSignInsDeps;

  constructor(deps: CliSignInsDeps) {
    this.#deps = deps;
  }

  /** Begins a sign-in that a person answers elsewhere. Throws what a token of this wish can be refused with for anybody. */
  async begin(wish: CliTokenWish, { ip, userAgent }: ProgramOrigin): Promise<DeviceCodes> {
    const { database, siteAddress, nowSeconds } = this.#deps;
    const now = nowSeconds();
    checkMachineTokenWish({ ...wish, allowIps: '' }, now);
    const deviceCode = randomToken();
    for (let draw = 1; draw <= draws; draw += 1) {
      const letters = randomLetters(userCodeLength);
      const begun = await database.stores.cliSignIns.insert({
        ...columnsOf(wish),
        ...nobody,
        exchangeHash: this.#hashOf('device_code', deviceCode),
        userCodeHash: this.#hashOf('user_code', letters),
        challenge: '',
        status: 'pending',
        ip,
        userAgent: userAgent.slice(0, 500),
        createdAt: now,
        expiresAt: now + deviceSeconds,
      });
      if (!begun) continue;
      const site = siteAddress().replace(/\/+$/, '');
      return {
        deviceCode,
        userCode: `${letters.slice(0, 4)}-${letters.slice(4)}`,
        verificationUri: site === '' ? '' : `${site}/cli`,
        expiresInSeconds: deviceSeconds,
        intervalSeconds: pollSeconds,
      };
    }
    throw new TollgateError('busy');
  }

  /** Who waits with a code that was typed. Throws `user_code_unknown`. */
  async find(actor: Actor, userCode: string): Promise<WaitingProgram> {
    const signIn = await this.#waiting(actor, userCode);
    const isSameAddress = addressBucket(signIn.ip) === addressBucket(actor.ip);
    return { signIn, scopes: wishedScopes(wishOf(signIn), actor.role), isSameAddress };
  }

  /** Lets the program that waits with this code have its token. Throws `user_code_unknown`, and what `create` of tokens throws. */
  async approve(actor: Actor, userCode: string): Promise<void> {
    const signIn = await this.#waiting(actor, userCode);
    const scopes = wishedScopes(wishOf(signIn), actor.role);
    const { machineTokens, database } = this.#deps;
    await machineTokens.check(database.stores, actor, {
      ...signIn,
      scopes,
      expiresAt: signIn.tokenExpiresAt,
      allowIps: '',
    });
    await this.#answer(actor, signIn, { status: 'approved', scopes: scopes.join(' ') });
  }

  /** Throws `user_code_unknown`. */
  async deny(actor: Actor, userCode: string): Promise<void> {
    const signIn = await this.#waiting(actor, userCode);
    await this.#answer(actor, signIn, { status: 'denied', scopes: signIn.scopes });
  }

  /**
   * Approves a program on the machine of whoever looks: a code that a browser carries there, worth nothing without the
   * verifier behind the challenge. Throws what `create` of tokens throws.
   */
  async authorize(
    actor: Actor,
    wish: CliTokenWish,
    challenge: string,
  ): Promise<{ code: string; expiresInSeconds: number }> {
    const { database, machineTokens, nowSeconds } = this.#deps;
    const now = nowSeconds();
    const scopes = wishedScopes(wish.scopes, actor.role);
    await machineTokens.check(database.stores, actor, { ...wish, scopes, allowIps: '' });
    const code = randomToken();
    await database.transaction(async (stores) => {
      const user = await lockOwnRow(stores, actor);
      const signIn = await stores.cliSignIns.insert({
        ...columnsOf({ ...wish, scopes }),
        exchangeHash: this.#hashOf('authorization_code', code),
        userCodeHash: null,
        challenge,
        status: 'approved',
        userId: user.id,
        authVersion: user.authVersion,
        ip: actor.ip,
        userAgent: (actor.userAgent ?? '').slice(0, 500),
        createdAt: now,
        expiresAt: now + carriedSeconds,
      });
      if (!signIn) throw new TollgateError('busy');
      await this.#audit(stores, actor, signIn);
    });
    return { code, expiresInSeconds: carriedSeconds };
  }

  /**
   * The token of an approved sign-in, once. Throws `authorization_pending`, `slow_down`, `authorization_denied`,
   * `authorization_expired`, and what `create` of tokens throws.
   */
  async exchange(grant: CliGrant, origin: ProgramOrigin): Promise<FreshMachineToken> {
    const { database, machineTokens, nowSeconds } = this.#deps;
    const now = nowSeconds();
    const over = () => new TollgateError('authorization_expired');
    const hash = this.#hashOf(grant.kind, grant.code);
    const signIn = await database.stores.cliSignIns.findByExchange(hash);
    if (!signIn || !equalSecrets(signIn.exchangeHash, hash) || signIn.expiresAt <= now) throw over();
    if (grant.kind === 'device_code') await this.#takePoll(signIn.id, now);
    if (grant.kind === 'authorization_code' && !equalSecrets(signIn.challenge, challengeOf(grant.verifier))) {
      // Somebody else holds the code: it is worth nothing any more.
      await database.stores.cliSignIns.delete(signIn.id);
      throw over();
    }
    if (signIn.status !== 'approved') throw new TollgateError(unanswered[signIn.status]);
    return database.transaction(async (stores) => {
      // Whoever is just ending the user's sessions is waited for.
      const user = signIn.userId === null ? undefined : await stores.users.lock(signIn.userId);
      if (!user || !isStill(user, signIn)) throw over();
      if (!(await stores.cliSignIns.takeApproved(signIn.id, now))) throw over();
      return machineTokens.createIn(stores, actorOf(user, origin), {
        name: signIn.name,
        scopes: readScopes(signIn.scopes),
        expiresAt: signIn.tokenExpiresAt,
        allowIps: '',
      });
    });
  }

  async #takePoll(id: number, now: number): Promise<void> {
    const isInTime = await this.#deps.database.stores.cliSignIns.takePoll(id, { now, everySeconds: pollSeconds });
    if (!isInTime) throw new TollgateError('slow_down');
  }

  /** The sign-in that waits with a typed code. Wrong codes cost tries, whoever they would let in. */
  async #waiting(actor: Actor, userCode: string): Promise<CliSignInRecord> {
    const { database, counters, failuresPerName, failuresPerAddress, nowSeconds } = this.#deps;
    const unknown = () => new TollgateError('user_code_unknown', {}, { field: 'user_code' });
    const windows = [
      { key: `login-failures:cli:${actor.userId}`, limit: failuresPerName },
      { key: `login-failures:address:${addressBucket(actor.ip)}`, limit: failuresPerAddress },
    ];
    const giveBack = await takeTry(counters, windows, unknown);
    const hash = this.#hashOf('user_code', userCode.toUpperCase().replaceAll(/[^A-Z]/g, ''));
    const signIn = await database.stores.cliSignIns.findByUserCode(hash);
    if (!signIn || !equalSecrets(signIn.userCodeHash ?? '', hash)) throw unknown();
    if (signIn.status !== 'pending' || signIn.expiresAt <= nowSeconds()) throw unknown();
    await giveBack();
    return signIn;
  }

  async #answer(
    actor: Actor,
    signIn: CliSignInRecord,
    answer: { readonly status: 'approved' | 'denied'; readonly scopes: string },
  ): Promise<void> {
    const { database, nowSeconds } = this.#deps;
    await database.transaction(async (stores) => {
      const user = await lockOwnRow(stores, actor);
      const by = { ...answer, userId: user.id, authVersion: user.authVersion };
      const answered = await stores.cliSignIns.answer(signIn.id, by, nowSeconds());
      if (!answered) throw new TollgateError('user_code_unknown', {}, { field: 'user_code' });
      await this.#audit(stores, actor, answered);
    });
  }

  /** What was let in or refused, and from where it asked: the row of the token itself says only where it was fetched. */
  #audit(stores: Pick<Stores, 'audits'>, actor: Actor, signIn: CliSignInRecord): Promise<void> {
    const { name, scopes, tokenExpiresAt, ip, userAgent } = signIn;
    const action = signIn.status === 'denied' ? 'cli_sign_in.deny' : 'cli_sign_in.approve';
    const way = signIn.userCodeHash === null ? 'web' : 'device';
    const detail = { name, scopes, expires_at: tokenExpiresAt, way, asked_from: ip, program: userAgent };
    const act = { action, target: `user:${actor.userId}`, detail };
    return stores.audits.append(auditBy(actor, act, this.#deps.nowSeconds()));
  }

  #hashOf(purpose: CliGrant['kind'] | 'user_code', code: string): string {
    return this.#deps.hash(`cli:${purpose}`, '', code);
  }
}

/** Nobody has answered. */
const nobody = { userId: null, authVersion: 0 } as const;

const unanswered = {
  pending: 'authorization_pending',
  denied: 'authorization_denied',
} as const satisfies Record<Exclude<CliSignInStatus, 'approved'>, string>;

function columnsOf({ name, scopes, expiresAt }: CliTokenWish) {
  return { name: name.trim(), scopes: scopes.join(' '), tokenExpiresAt: expiresAt };
}

function wishOf({ scopes }: CliSignInRecord): ScopeWish[] {
  return scopes === '*' ? ['*'] : readScopes(scopes);
}

/** RFC 7636, S256. */
function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Whether nothing has ended the sessions of the user who answered. */
function isStill(user: UserRecord, { authVersion }: CliSignInRecord): boolean {
  return user.deletedAt === null && user.status === 1 && user.authVersion === authVersion;
}

function actorOf(user: UserRecord, origin: ProgramOrigin): Actor {
  const { id: userId, username, role, status, group } = user;
  return { userId, username, role, status, group, via: 'session', ...origin };
}

/** Removes sign-ins whose time is over. */
export async function removeExpiredCliSignIns(deps: {
  readonly stores: Pick<Stores, 'cliSignIns'>;
  readonly nowSeconds: () => number;
}): Promise<void> {
  await deps.stores.cliSignIns.deleteExpired(deps.nowSeconds());
}
