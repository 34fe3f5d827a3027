/** The ways back in for a super administrator who is locked out, given by whoever may write the database itself. */
import { roles } from '../contract/roles.ts';
import { TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import { checkedPassword } from './account-rules.ts';
import { type AuditedAct, auditBy } from './audits.ts';
import { endProgramCredentials } from './machine-tokens.ts';
import type { Passwords } from './passwords.ts';
import { removeSecondFactors } from './second-factors.ts';

export interface RescueDeps {
  readonly database: Database;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly nowSeconds: () => number;
}

/** Who can sign in again. */
export interface Rescued {
  readonly id: number;
  readonly username: string;
}

/** Nobody of the installation: whoever sits at its machine. */
const operator = { userId: 0, username: 'tollgate rescue', ip: '' };

const option = 'PasswordLoginEnabled';

/**
 * Each act ends all sessions of the account and bumps what it changed, so that a daemon that runs takes it in within a
 * second. `username` chooses among several super administrators; all throw `rescue_no_root`.
 */
export class Rescue {
  readonly #deps: RescueDeps;

  constructor(deps: RescueDeps) {
    this.#deps = deps;
  }

  /** Lets people sign in with a password again. */
  passwordLogin(username: string | undefined): Promise<Rescued> {
    return this.#act(username, async (stores, root) => {
      const before = await stores.options.find(option);
      // On is the default, which is not stored.
      await stores.options.delete([option]);
      const { userId: actorId, username: actorName } = operator;
      await stores.optionChanges.set({ key: option, updatedAt: this.#deps.nowSeconds(), actorId, actorName });
      await stores.revisions.bump('options');
      await stores.users.bumpAuthVersion(root.id);
      const detail = { old: before?.value ?? 'true', new: 'true' };
      return { action: 'option.set', target: `option:${option}`, detail };
    });
  }

  /** Sets the password; system token and machine tokens end with the sessions. Throws `password_invalid`. */
  async rootPassword(username: string | undefined, password: string): Promise<Rescued> {
    const hash = await this.#deps.passwords.hash(checkedPassword(password));
    return this.#act(username, async (stores, root) => {
      await stores.users.update(root.id, { password: hash });
      await stores.users.bumpAuthVersion(root.id);
      await endProgramCredentials(stores, root.id);
      return { action: 'user.reset', target: `user:${root.id}` };
    });
  }

  /** Takes away authenticator app, recovery codes and passkeys. */
  rootSecondFactor(username: string | undefined): Promise<Rescued> {
    return this.#act(username, async (stores, root) => {
      const removed = await removeSecondFactors(stores, root.id);
      return { action: 'two_factor.reset', target: `user:${root.id}`, detail: { ...removed } };
    });
  }

  #act(
    username: string | undefined,
    work: (stores: Stores, root: UserRecord) => Promise<AuditedAct>,
  ): Promise<Rescued> {
    return this.#deps.database.transaction(async (stores) => {
      await stores.revisions.bump('users');
      const root = await rootOf(stores, username);
      const act = await work(stores, root);
      await stores.sessions.deleteOfUser(root.id);
      await stores.audits.append(auditBy(operator, act, this.#deps.nowSeconds()));
      return { id: root.id, username: root.username };
    });
  }
}

async function rootOf({ users }: Stores, username: string | undefined): Promise<UserRecord> {
  const found = username === undefined ? await users.findFirstOfRole(roles.root) : await users.findByUsername(username);
  if (!found || found.role !== roles.root || found.deletedAt !== null) throw new TollgateError('rescue_no_root');
  return found;
}
