/** Making an account: the row, its invite code, what it is given, and what its inviter earns (management-api.md 5.2, 5.4). */
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Stores } from '../store/database.ts';
import type { NewUser, UserRecord } from '../store/users.ts';
import { accountLogTexts } from './account-log-texts.ts';
import { creditUser, eventRow } from './ledger-credits.ts';
import { quotaText } from './quota-text.ts';
import { randomBase62 } from './random-text.ts';

/** What the rows of a change say beside the change itself. */
export interface AccountEvent {
  readonly nowSeconds: number;
  readonly requestId: string;
  /** Language of stored texts. */
  readonly language: Language;
  readonly options: OptionsView;
}

const affCodeTries = 5;

/** Inserts the row with an invite code of its own; throws `username_taken` or `email_taken`. The balance is 0. */
export async function insertAccount(stores: Stores, user: Omit<NewUser, 'affCode'>): Promise<UserRecord> {
  for (let attempt = 1; ; attempt += 1) {
    const inserted = await stores.users.insert({ ...user, affCode: randomBase62(8) });
    if (inserted.inserted) return inserted.user;
    if (inserted.conflict === 'affCode' && attempt < affCodeTries) continue;
    if (inserted.conflict === 'email') throw new TollgateError('email_taken', {}, { field: 'email' });
    throw new TollgateError('username_taken', {}, { field: 'username' });
  }
}

/** Credits what every new account is given (log 4); returns the amount. */
export async function giveNewUserQuota(stores: Stores, user: UserRecord, event: AccountEvent): Promise<number> {
  const amount = event.options.get('QuotaForNewUser');
  if (amount > 0) await credit(stores, { user, amount, text: accountLogTexts.newUser }, event);
  return amount;
}

/** Credits the amount with a row of type 4. */
export async function credit(
  stores: Stores,
  gift: { user: UserRecord; amount: number; text: (amount: string) => Record<Language, string> },
  event: AccountEvent,
): Promise<void> {
  const { user, amount, text } = gift;
  const content = text(quotaText(amount, event.options))[event.language];
  const row = eventRow({ ...rowOf(user, event), type: 4, content, quota: amount });
  await creditUser(stores, { userId: user.id, amount, row });
}

/** The invitee's bonus, and the inviter's count and earnings. */
export async function applyInvite(
  stores: Stores,
  { invitee, inviter }: { invitee: UserRecord; inviter: UserRecord },
  event: AccountEvent,
): Promise<void> {
  const bonus = event.options.get('QuotaForInvitee');
  if (bonus > 0) await credit(stores, { user: invitee, amount: bonus, text: accountLogTexts.invitee }, event);
  const earnings = event.options.get('QuotaForInviter');
  const content = accountLogTexts.inviter(quotaText(earnings, event.options))[event.language];
  // The inviter's balance does not move until the earnings are transferred.
  const row = eventRow({ ...rowOf(inviter, event), type: 4, content, quota: 0 });
  if (await stores.users.creditInvite(inviter.id, earnings)) await stores.logs.insert([row]);
}

/** The live and enabled user with this invite code; anything else is ignored. */
export async function findInviter(stores: Stores, affCode: string): Promise<UserRecord | undefined> {
  const code = affCode.trim();
  if (code === '' || code.length > 32) return undefined;
  const inviter = await stores.users.findByAffCode(code);
  return inviter && inviter.deletedAt === null && inviter.status === 1 ? inviter : undefined;
}

/** Members of a log row that name its user and its moment. */
export function rowOf(
  user: Pick<UserRecord, 'id' | 'username'>,
  event: Pick<AccountEvent, 'nowSeconds' | 'requestId'>,
): { userId: number; username: string; nowSeconds: number; requestId: string } {
  return { userId: user.id, username: user.username, nowSeconds: event.nowSeconds, requestId: event.requestId };
}
