/** Signing in by password, and out (management-api.md 3.4). */
import type { Counters } from '../cluster/counters.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import { addressBucket } from './api-limits.ts';
import { auditBy } from './audits.ts';
import type { Passwords } from './passwords.ts';
import type { SessionService, SignOutElsewhere } from './sessions.ts';
import { checkSetup } from './setup-check.ts';

/** How many failures within how many seconds; `enabled: false` counts nothing. */
export interface FailureLimit {
  readonly enabled: boolean;
  readonly count: number;
  readonly seconds: number;
}

export interface SignInDeps {
  readonly database: Database;
  readonly passwords: Passwords;
  readonly sessions: SessionService;
  readonly counters: Pick<Counters, 'slide' | 'giveBack'>;
  readonly options: () => OptionsView;
  readonly setupDone: () => boolean;
  readonly failuresPerName: FailureLimit;
  readonly failuresPerAddress: FailureLimit;
  readonly nowSeconds: () => number;
}

export interface SignInAttempt {
  /** User name or e-mail address. */
  readonly name: string;
  readonly password: string;
  readonly clientAddress: string;
  readonly userAgent: string;
  /** Session of the visitor, which the new one replaces. */
  readonly sessionId: string | undefined;
}

export interface SignedIn {
  readonly user: UserRecord;
  readonly sessionId: string;
}

export class SignInService {
  readonly #deps: SignInDeps;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
  }

  /**
   * Opens a session. Throws `setup_required`, `password_login_off`, `invalid_params`, and `login_failed` alike for
   * unknown names, wrong passwords, unavailable accounts and too many failures, at the same cost.
   */
  async byPassword(attempt: SignInAttempt): Promise<SignedIn> {
    const { options, passwords } = this.#deps;
    await checkSetup(this.#deps);
    if (!options().get('PasswordLoginEnabled')) throw new TollgateError('password_login_off');
    const name = attempt.name.trim();
    if (name === '') throw new TollgateError('invalid_params', {}, { field: 'username' });
    if (attempt.password === '') throw new TollgateError('invalid_params', {}, { field: 'password' });
    const giveBack = await this.#countAttempt(name, attempt.clientAddress);
    const user = name.length > 255 ? undefined : await this.#findUser(name);
    const matches = await passwords.matches(attempt.password, user?.password);
    if (!user || !matches || user.deletedAt !== null || user.status !== 1) throw new TollgateError('login_failed');
    await giveBack();
    return this.open(user, { ...attempt, method: 'password' });
  }

  /** Opens a session for a user who has proven to be one, by whatever method. */
  async open(
    user: UserRecord,
    origin: Pick<SignInAttempt, 'clientAddress' | 'userAgent' | 'sessionId'> & {
      readonly method: string;
      readonly signOut?: SignOutElsewhere | undefined;
    },
  ): Promise<SignedIn> {
    const { database, sessions, nowSeconds } = this.#deps;
    const { clientAddress: ip, userAgent, method, signOut } = origin;
    const sessionId = await sessions.openFor(user, { ip, userAgent, replaces: origin.sessionId, signOut });
    const now = nowSeconds();
    const act = { action: 'session.open', target: `user:${user.id}`, detail: { method, user_agent: userAgent } };
    await database.transaction(async (stores) => {
      await stores.users.setLastLogin(user.id, now);
      await stores.audits.append(auditBy({ userId: user.id, username: user.username, ip }, act, now));
    });
    return { user, sessionId };
  }

  /** An address can only match an address, never a name that looks like one (W16). */
  async #findUser(name: string): Promise<UserRecord | undefined> {
    const { users } = this.#deps.database.stores;
    return name.includes('@') ? users.findByEmail(name.toLowerCase()) : users.findByUsername(name);
  }

  /** Takes a place among the failures before any hashing (W47); the returned function gives it back on success. */
  async #countAttempt(name: string, clientAddress: string): Promise<() => Promise<void>> {
    const { counters, failuresPerName, failuresPerAddress } = this.#deps;
    const taken: { key: string; member: string }[] = [];
    const giveBack = async (): Promise<void> => {
      for (const { key, member } of taken) await counters.giveBack(key, member);
    };
    const windows = [
      { key: `login-failures:name:${name.toLowerCase().slice(0, 255)}`, limit: failuresPerName },
      { key: `login-failures:address:${addressBucket(clientAddress)}`, limit: failuresPerAddress },
    ];
    for (const { key, limit } of windows) {
      if (!limit.enabled) continue;
      const slot = await counters.slide(key, { limit: limit.count, windowMs: limit.seconds * 1000 });
      if (!slot.allowed) {
        await giveBack();
        throw new TollgateError('login_failed');
      }
      taken.push({ key, member: slot.member });
    }
    return giveBack;
  }
}
