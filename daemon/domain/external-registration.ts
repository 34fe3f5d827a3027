/** Making an account for somebody whom an identity provider has named (management-api.md 3.5.1). */
import { randomInt } from 'node:crypto';
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { roles } from '../contract/roles.ts';
import { TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import { checkedEmail, checkedUsername, displayNameFrom } from './account-rules.ts';
import type { ExternalAccount, IdentityProvider } from './identity-provider.ts';
import { applyInvite, findInviter, giveNewUserQuota } from './new-accounts.ts';
import { randomBase62 } from './random-text.ts';

export interface ExternalRegistrationDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  /** Makes the first relay key of a new user, after the registration is in the books. */
  readonly issueFirstKey?: ((user: UserRecord) => Promise<void>) | undefined;
  /** Language of log rows. */
  readonly language: Language;
  readonly nowSeconds: () => number;
}

const insertTries = 5;

export class ExternalRegistration {
  readonly #deps: ExternalRegistrationDeps;

  constructor(deps: ExternalRegistrationDeps) {
    this.#deps = deps;
  }

  /**
   * The new user; the existing one when somebody registered the same account at this very moment. Throws
   * `register_off`.
   */
  async register(
    provider: IdentityProvider,
    account: ExternalAccount,
    origin: { affCode: string; requestId: string },
  ): Promise<UserRecord> {
    const { database, options, issueFirstKey, language, nowSeconds } = this.#deps;
    const view = options();
    if (!view.get('RegisterEnabled') || view.get('SelfUseModeEnabled')) throw new TollgateError('register_off');
    const { user, isNew } = await database.transaction(async (stores) => {
      const inviter = await findInviter(stores, origin.affCode);
      const now = nowSeconds();
      const made = await insertExternal(stores, { provider, account, inviterId: inviter?.id ?? 0, now });
      if (!made.isNew) return made;
      const event = { nowSeconds: now, requestId: origin.requestId, language, options: view };
      await giveNewUserQuota(stores, made.user, event);
      if (inviter) await applyInvite(stores, { invitee: made.user, inviter }, event);
      return made;
    });
    if (isNew) await issueFirstKey?.(user);
    return user;
  }
}

/** Tries names until one is free, by what the insert itself says. */
async function insertExternal(
  stores: Stores,
  {
    provider,
    account,
    inviterId,
    now,
  }: { provider: IdentityProvider; account: ExternalAccount; inviterId: number; now: number },
): Promise<{ user: UserRecord; isNew: boolean }> {
  let username = wishedName(account.username);
  let email = wishedEmail(account.email);
  for (let attempt = 1; attempt <= insertTries; attempt += 1) {
    const inserted = await stores.users.insert({
      username: username ?? `${provider.id}_${randomInt(1, 10 ** 9)}`,
      displayName: displayNameFrom(account.displayName) || `${provider.name} User`,
      role: roles.user,
      status: 1,
      email,
      [provider.identity]: account.id,
      group: 'default',
      affCode: randomBase62(8),
      inviterId,
      createdAt: now,
    });
    if (inserted.inserted) return { user: inserted.user, isNew: true };
    if (inserted.conflict === 'username') username = undefined;
    if (inserted.conflict === 'email') email = null;
    if (inserted.conflict === provider.identity) {
      const user = await stores.users.findByIdentity(provider.identity, account.id);
      if (user) return { user, isNew: false };
    }
  }
  throw new TollgateError('busy');
}

/** Undefined for a name that could not be one here. */
function wishedName(name: string): string | undefined {
  try {
    return checkedUsername(name);
  } catch {
    return undefined;
  }
}

/** Null for an address that could not be one here. */
function wishedEmail(email: string): string | null {
  try {
    return checkedEmail(email, 'email');
  } catch {
    return null;
  }
}
