/** Signing in by password (management-api.md 3.4). */
import type { Counters } from '../cluster/counters.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import { emailAsStored } from './account-rules.ts';
import { addressBucket } from './api-limits.ts';
import { type FailureLimit, takeTry } from './failure-limits.ts';
import { isForeignHash, type Passwords } from './passwords.ts';
import type { Origin, SecondStep, SignInOutcome } from './second-step.ts';
import { checkSetup } from './setup-check.ts';

export interface SignInDeps {
  readonly database: Database;
  readonly passwords: Passwords;
  readonly secondStep: Pick<SecondStep, 'admit'>;
  readonly counters: Pick<Counters, 'slide' | 'giveBack'>;
  readonly options: () => OptionsView;
  readonly setupDone: () => boolean;
  readonly failuresPerName: FailureLimit;
  readonly failuresPerAddress: FailureLimit;
}

export interface SignInAttempt extends Origin {
  /** User name or e-mail address. */
  readonly name: string;
  readonly password: string;
}

export class SignInService {
  readonly #deps: SignInDeps;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
  }

  /**
   * Opens a session, or asks for the second factor. Throws `setup_required`, `password_login_off`, `invalid_params`,
   * and `login_failed` alike for unknown names, wrong passwords, unavailable accounts and too many failures, at the
   * same cost.
   */
  async byPassword({ name: typed, password, ...origin }: SignInAttempt): Promise<SignInOutcome> {
    const { options, passwords, secondStep } = this.#deps;
    await checkSetup(this.#deps);
    if (!options().get('PasswordLoginEnabled')) throw new TollgateError('password_login_off');
    const name = typed.trim();
    if (name === '') throw new TollgateError('invalid_params', {}, { field: 'username' });
    if (password === '') throw new TollgateError('invalid_params', {}, { field: 'password' });
    const user = name.length > 255 ? undefined : await this.#findUser(name);
    const giveBack = await this.#countAttempt({ name, user }, origin.clientAddress);
    const matches = await passwords.matches(password, user?.password);
    if (!user || !matches || user.deletedAt !== null || user.status !== 1) throw new TollgateError('login_failed');
    await giveBack();
    if (isForeignHash(user.password)) await this.#renewHash(user, password);
    return secondStep.admit(user, { method: 'password' }, origin);
  }

  /** Only the password itself makes a hash of our own; one that was changed meanwhile stays as it is. */
  async #renewHash(user: UserRecord, password: string): Promise<void> {
    const { database, passwords } = this.#deps;
    const to = await passwords.hash(password);
    await database.stores.users.replacePassword(user.id, { from: user.password, to });
  }

  /** An address can only match an address, never a name that looks like one (W16). */
  async #findUser(name: string): Promise<UserRecord | undefined> {
    const { users } = this.#deps.database.stores;
    return name.includes('@') ? users.findByEmail(emailAsStored(name)) : users.findByUsername(name);
  }

  /** By the account where there is one: its name can be written in many ways that find it, and its address is one more. */
  #countAttempt(
    { name, user }: { readonly name: string; readonly user: UserRecord | undefined },
    clientAddress: string,
  ): Promise<() => Promise<void>> {
    const { counters, failuresPerName, failuresPerAddress } = this.#deps;
    const whose = user ? `account:${user.id}` : `name:${name.toLowerCase().slice(0, 255)}`;
    const windows = [
      { key: `login-failures:${whose}`, limit: failuresPerName },
      { key: `login-failures:address:${addressBucket(clientAddress)}`, limit: failuresPerAddress },
    ];
    return takeTry(counters, windows, () => new TollgateError('login_failed'));
  }
}
