/** The second factor of an account: an authenticator app with recovery codes (console.md N3), and taking it away (S11). */
import type { Bus } from '../cluster/bus.ts';
import { roles } from '../contract/roles.ts';
import { TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import type { RemovedFactors } from '../store/second-factors.ts';
import type { UserRecord } from '../store/users.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import { lockOwnRow } from './own-row.ts';
import { managementRefusal } from './permissions.ts';
import { randomCode } from './random-text.ts';
import type { SessionService } from './sessions.ts';
import { newTotpSecret, totpAddress, totpStep } from './totp.ts';

/** Where a secret is sealed for. */
interface SealPlace {
  readonly table: string;
  readonly column: string;
  readonly row: string;
}

export interface SecondFactorsDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly sessions: Pick<SessionService, 'keep'>;
  readonly secrets: {
    seal(place: SealPlace, plain: string): string;
    open(place: SealPlace, sealed: string): string;
    codeHash(purpose: string, subject: string, code: string): string;
  };
  /** Shown by authenticator apps above the user name. */
  readonly siteName: () => string;
  /** Told after the factor of an account changed, to write to its owner. */
  readonly changed?: (user: UserRecord, change: FactorChange) => void;
  readonly nowSeconds: () => number;
}

export type FactorChange = 'totp-on' | 'totp-off' | 'recovery-codes' | 'passkey-added' | 'passkey-removed' | 'reset';

/** The second factor as its owner sees it. */
export interface SecondFactorState {
  readonly enabled: boolean;
  /** Recovery codes that have not been used. */
  readonly recoveryLeft: number;
}

/** A code typed by the user, and what it is taken for. */
export interface TypedCode {
  readonly method: 'totp' | 'recovery';
  readonly code: string;
}

/** `used` for a code of the app that has opened something already: the next one will do. */
export type CodeVerdict = 'right' | 'used' | 'wrong';

const recoveryCodes = 10;
/** Characters of a recovery code: 62 bits, and a wrong one costs a try. */
const recoveryLength = 12;
/** Within this time the first code has to be shown. */
const beginningSeconds = 900;

export class SecondFactors {
  readonly #deps: SecondFactorsDeps;

  constructor(deps: SecondFactorsDeps) {
    this.#deps = deps;
  }

  async state({ userId }: Pick<Actor, 'userId'>): Promise<SecondFactorState> {
    const { secondFactors } = this.#deps.database.stores;
    const [enabled, recoveryLeft] = [await this.isOn(userId), await secondFactors.countRecoveryCodes(userId)];
    return { enabled, recoveryLeft };
  }

  /** True when a password alone does not sign this user in. */
  async isOn(userId: number): Promise<boolean> {
    const totp = await this.#deps.database.stores.secondFactors.findTotp(userId);
    return totp !== undefined && totp.enabledAt > 0;
  }

  /** A new secret, which counts once its first code was shown. Throws `two_factor_on`. */
  async begin(actor: Actor): Promise<{ secret: string; address: string }> {
    const { database, secrets, siteName, nowSeconds } = this.#deps;
    const { userId, username } = actor;
    const secret = newTotpSecret();
    const sealed = secrets.seal(placeOf(userId), secret);
    const begun = await database.stores.secondFactors.beginTotp({ userId, secret: sealed, createdAt: nowSeconds() });
    if (!begun) throw new TollgateError('two_factor_on');
    return { secret, address: totpAddress(secret, { issuer: siteName(), username }) };
  }

  /**
   * Takes the first code; other sessions end. Returns the recovery codes, which are shown once. Throws `two_factor_on`,
   * `two_factor_off` when nothing was begun lately, `two_factor_code_invalid`.
   */
  async enable(actor: Actor, code: string, sessionId: string | undefined): Promise<string[]> {
    const { database, secrets, nowSeconds } = this.#deps;
    const now = nowSeconds();
    const begun = await database.stores.secondFactors.findTotp(actor.userId);
    if (begun && begun.enabledAt > 0) throw new TollgateError('two_factor_on');
    if (!begun || begun.createdAt + beginningSeconds < now) throw new TollgateError('two_factor_off');
    const lastStep = totpStep(secrets.open(placeOf(actor.userId), begun.secret), code, now);
    if (lastStep === undefined) throw new TollgateError('two_factor_code_invalid', {}, { field: 'code' });
    const { codes, hashes } = this.#newCodes(actor.userId);
    await this.#change(actor, { action: 'two_factor.enable', change: 'totp-on', sessionId }, async (stores) => {
      const enabled = await stores.secondFactors.enableTotp(begun, { enabledAt: now, lastStep });
      if (!enabled) throw new TollgateError('two_factor_off');
      await stores.secondFactors.replaceRecoveryCodes(actor.userId, hashes);
    });
    return codes;
  }

  /** Forgets app and recovery codes; other sessions end. Throws `two_factor_off`. */
  async disable(actor: Actor, sessionId: string | undefined): Promise<void> {
    await this.#change(actor, { action: 'two_factor.disable', change: 'totp-off', sessionId }, async (stores) => {
      if (!(await stores.secondFactors.removeTotp(actor.userId))) throw new TollgateError('two_factor_off');
    });
  }

  /** New recovery codes in place of the old ones, shown once. Throws `two_factor_off`. */
  async renewRecoveryCodes(actor: Actor): Promise<string[]> {
    const { database, changed, nowSeconds } = this.#deps;
    const { userId } = actor;
    if (!(await this.isOn(userId))) throw new TollgateError('two_factor_off');
    const { codes, hashes } = this.#newCodes(userId);
    const user = await database.transaction(async (stores) => {
      // Of those who ask at the same moment only the last one's codes are left.
      await lockOwnRow(stores, actor);
      await stores.secondFactors.replaceRecoveryCodes(userId, hashes);
      const act = { action: 'two_factor.recovery_codes', target: `user:${userId}` };
      await stores.audits.append(auditBy(actor, act, nowSeconds()));
      return stores.users.find(userId);
    });
    if (user) changed?.(user, 'recovery-codes');
    return codes;
  }

  /** Uses up a code of the app or a recovery code. Counting tries is the caller's. */
  async take(userId: number, { method, code }: TypedCode): Promise<CodeVerdict> {
    const { database, secrets, nowSeconds } = this.#deps;
    const { secondFactors } = database.stores;
    if (method === 'recovery') {
      return (await secondFactors.takeRecoveryCode(userId, this.#hashOf(userId, code))) ? 'right' : 'wrong';
    }
    const totp = await secondFactors.findTotp(userId);
    if (!totp || totp.enabledAt === 0) return 'wrong';
    const step = totpStep(secrets.open(placeOf(userId), totp.secret), code, nowSeconds());
    if (step === undefined) return 'wrong';
    return (await secondFactors.takeStep(userId, step)) ? 'right' : 'used';
  }

  /** Whether what guards that account guards administration; false where there is no such user. */
  async isOfAdministrator(userId: number): Promise<boolean> {
    const user = await this.#deps.database.stores.users.find(userId);
    return user !== undefined && user.role >= roles.admin;
  }

  /** Takes every second factor from a user, whose sessions end. Throws `user_not_found` and those of 6.2. */
  async reset(actor: Actor, userId: number): Promise<RemovedFactors> {
    const { database, bus, changed, nowSeconds } = this.#deps;
    const { user, removed, revision } = await database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('users');
      // Whoever was just promoted is no longer the caller's to manage.
      const target = await stores.users.lock(userId);
      if (!target) throw new TollgateError('user_not_found');
      const refusal = managementRefusal(actor, target, 'reset-second-factor');
      if (refusal) throw new TollgateError(refusal);
      const taken = await removeSecondFactors(stores, userId);
      const act = { action: 'two_factor.reset', target: `user:${userId}`, detail: { ...taken } };
      await stores.audits.append(auditBy(actor, act, nowSeconds()));
      return { user: target, removed: taken, revision };
    });
    await bus.announce('users', revision, String(userId));
    changed?.(user, 'reset');
    return removed;
  }

  #newCodes(userId: number): { codes: string[]; hashes: string[] } {
    const codes = Array.from({ length: recoveryCodes }, () => grouped(randomCode(recoveryLength)));
    return { codes, hashes: codes.map((code) => this.#hashOf(userId, code)) };
  }

  #hashOf(userId: number, code: string): string {
    const plain = code.toLowerCase().replaceAll(/[\s-]/g, '').slice(0, 64);
    return this.#deps.secrets.codeHash('recovery', String(userId), plain);
  }

  /** A change of what signing in takes, after which only the session it was made from goes on. */
  async #change(
    actor: Actor,
    { action, change, sessionId }: { action: string; change: FactorChange; sessionId: string | undefined },
    work: (stores: Stores) => Promise<void>,
  ): Promise<void> {
    const { database, bus, sessions, changed, nowSeconds } = this.#deps;
    const { userId } = actor;
    const { user, revision } = await database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('users');
      await lockOwnRow(stores, actor);
      await work(stores);
      const version = await stores.users.bumpAuthVersion(userId);
      if (version !== undefined && sessionId !== undefined) await sessions.keep(stores, sessionId, version);
      await stores.audits.append(auditBy(actor, { action, target: `user:${userId}` }, nowSeconds()));
      return { user: await stores.users.find(userId), revision };
    });
    await bus.announce('users', revision, String(userId));
    if (user) changed?.(user, change);
  }
}

/**
 * Takes app, recovery codes and passkeys from a user and ends all sessions, in the caller's transaction; the caller
 * judges, writes the audit row and announces the change of the user.
 */
export async function removeSecondFactors(
  stores: Pick<Stores, 'secondFactors' | 'users'>,
  userId: number,
): Promise<RemovedFactors> {
  const removed = await stores.secondFactors.removeAll(userId);
  await stores.users.bumpAuthVersion(userId);
  return removed;
}

function placeOf(userId: number): SealPlace {
  return { table: 'user_totp', column: 'secret', row: String(userId) };
}

/** `abcdefghijkl` as `abcd-efgh-ijkl`, to be read and typed. */
function grouped(code: string): string {
  return (code.match(/.{1,4}/g) ?? []).join('-');
}
