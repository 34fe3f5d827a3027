/** Inviting others: the own code, and moving what it earned to the balance (management-api.md 5.4). */
import type { Bus } from '../cluster/bus.ts';
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { accountLogTexts } from './account-log-texts.ts';
import type { Actor } from './actor.ts';
import { eventRow, transferInviteEarnings } from './ledger-credits.ts';
import { quotaText } from './quota-text.ts';
import { randomBase62 } from './random-text.ts';

export interface InviteServiceDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly options: () => OptionsView;
  /** Language of log rows. */
  readonly language: Language;
  readonly nowSeconds: () => number;
}

const codeTries = 5;

export class InviteService {
  readonly #deps: InviteServiceDeps;

  constructor(deps: InviteServiceDeps) {
    this.#deps = deps;
  }

  /** The own invite code, made now if there was none. */
  async code(actor: Actor): Promise<string> {
    const { users } = this.#deps.database.stores;
    for (let attempt = 1; attempt <= codeTries; attempt += 1) {
      const user = await users.find(actor.userId);
      if (!user || user.deletedAt !== null) throw new TollgateError('user_gone');
      if (user.affCode !== null) return user.affCode;
      // Another call may be faster, or another user have the code: then the next turn finds what there is.
      const given = await users.setFirstAffCode(user.id, randomBase62(8));
      if (given?.affCode) return given.affCode;
    }
    throw new TollgateError('busy');
  }

  /** Moves earnings to the balance (log 4). Throws `invalid_params`, `aff_min`, `aff_short`. */
  async transfer(actor: Actor, quota: number, requestId: string): Promise<void> {
    const { database, bus, options, language, nowSeconds } = this.#deps;
    if (!Number.isSafeInteger(quota) || quota <= 0) throw new TollgateError('invalid_params', {}, { field: 'quota' });
    const view = options();
    const least = view.get('QuotaPerUnit');
    if (quota < least) throw new TollgateError('aff_min', { min: quotaText(least, view) }, { field: 'quota' });
    const { userId, username } = actor;
    const content = accountLogTexts.inviteTransfer(quotaText(quota, view))[language];
    const row = eventRow({ userId, username, type: 4, content, quota, nowSeconds: nowSeconds(), requestId });
    const revision = await database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('users');
      const balance = await transferInviteEarnings(stores, { userId, amount: quota, row });
      if (balance === undefined) throw new TollgateError('aff_short', {}, { field: 'quota' });
      return revision;
    });
    await bus.announce('users', revision, String(userId));
  }
}
