/** Registering with a password (management-api.md 3.4). */
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { roles } from '../contract/roles.ts';
import { isUnavailable, TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import { checkedPassword, checkedUsername } from './account-rules.ts';
import { applyInvite, findInviter, giveNewUserQuota, insertAccount } from './new-accounts.ts';
import type { Passwords } from './passwords.ts';
import { checkSetup } from './setup-check.ts';

export interface RegistrationRequest {
  readonly username: string;
  readonly password: string;
  /** Compared when sent. */
  readonly passwordAgain: string | undefined;
  readonly email: string;
  readonly verificationCode: string;
  readonly affCode: string;
  readonly requestId: string;
}

/** A code that was mailed to an address, as the caller gave it. */
export interface MailedProof {
  readonly email: string;
  readonly code: string;
  /** Name of the code in the call, for a refusal. */
  readonly codeField: string;
}

/** Proves that an address is the caller's, by the code that was mailed there. */
export interface EmailProof {
  /**
   * The address as it is stored, if the code is right; nothing is used up yet. Outside any transaction, so that wrong
   * tries count. Throws `email_invalid`, `code_invalid`, `email_domain_refused`, `email_alias_refused`.
   */
  check(proof: MailedProof): Promise<string>;
  /** Uses the code of a checked address up, with what it allows. Throws `code_invalid`. */
  use(stores: Stores, proof: MailedProof): Promise<void>;
}

export interface RegistrationDeps {
  readonly database: Database;
  readonly passwords: Passwords;
  readonly options: () => OptionsView;
  readonly setupDone: () => boolean;
  /** Undefined while no mail can be sent: then nobody can register while addresses must be verified. */
  readonly emailProof: EmailProof | undefined;
  /** Makes the first relay key of a new user, after the registration is in the books. */
  readonly issueFirstKey?: ((user: UserRecord) => Promise<void>) | undefined;
  readonly language: Language;
  readonly nowSeconds: () => number;
}

export class RegistrationService {
  readonly #deps: RegistrationDeps;

  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
  }

  /**
   * Creates a normal user; nobody is signed in. Throws `setup_required`, `register_off`, `password_register_off`,
   * `username_*`, `password_*`, `email_*` and `code_invalid`.
   */
  async register(request: RegistrationRequest): Promise<UserRecord> {
    const { database, passwords, nowSeconds, language, issueFirstKey } = this.#deps;
    const options = await this.#checkOpen();
    const username = checkedUsername(request.username);
    const password = checkedPassword(request.password);
    if (request.passwordAgain !== undefined && request.passwordAgain !== password) {
      throw new TollgateError('password_mismatch', {}, { field: 'password2' });
    }
    const proof = await this.#provenEmail(request, options);
    const passwordHash = await passwords.hash(password);
    const stands = async (cause: unknown): Promise<UserRecord> => {
      const found = isUnavailable(cause) ? await this.#madeWith(username, passwordHash) : undefined;
      if (!found) throw cause;
      return found;
    };
    const making = database.transaction(async (stores) => {
      await proof?.use(stores);
      const inviter = await findInviter(stores, request.affCode);
      const now = nowSeconds();
      const user = await insertAccount(stores, {
        username,
        password: passwordHash,
        displayName: username,
        role: roles.user,
        status: 1,
        email: proof?.email ?? null,
        group: 'default',
        inviterId: inviter?.id ?? 0,
        createdAt: now,
      });
      const event = { nowSeconds: now, requestId: request.requestId, language, options };
      await giveNewUserQuota(stores, user, event);
      if (inviter) await applyInvite(stores, { invitee: user, inviter }, event);
      return user;
    });
    const user = await making.catch(stands);
    await issueFirstKey?.(user);
    return user;
  }

  /**
   * The account, where its registration was committed though the answer to the commit was lost: no other one has the
   * salt of this hash.
   */
  async #madeWith(username: string, passwordHash: string): Promise<UserRecord | undefined> {
    const found = await this.#deps.database.stores.users.findByUsername(username).catch(() => undefined);
    return found?.password === passwordHash ? found : undefined;
  }

  async #checkOpen(): Promise<OptionsView> {
    const view = this.#deps.options();
    await checkSetup(this.#deps);
    if (!view.get('RegisterEnabled') || view.get('SelfUseModeEnabled')) throw new TollgateError('register_off');
    if (!view.get('PasswordRegisterEnabled')) throw new TollgateError('password_register_off');
    return view;
  }

  /** Undefined unless addresses are verified: one that nobody proved is never stored (W8). */
  async #provenEmail(
    request: RegistrationRequest,
    options: OptionsView,
  ): Promise<{ readonly email: string; use(stores: Stores): Promise<void> } | undefined> {
    if (!options.get('EmailVerificationEnabled')) return undefined;
    const proof = { email: request.email, code: request.verificationCode, codeField: 'verification_code' };
    if (proof.email === '' || proof.code === '') {
      throw new TollgateError('email_required', {}, { field: proof.email === '' ? 'email' : proof.codeField });
    }
    const { emailProof } = this.#deps;
    if (!emailProof) throw new TollgateError('code_invalid', {}, { field: proof.codeField });
    const email = await emailProof.check(proof);
    return { email, use: (stores) => emailProof.use(stores, { ...proof, email }) };
  }
}
