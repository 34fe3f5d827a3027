/** Rebates: a share of what somebody paid in goes to whoever invited them (management-api.md 5.4, D6). */
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import type { Stores } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import { creditUser, eventRow } from './ledger-credits.ts';
import { quotaText } from './quota-text.ts';
import { redemptionTexts } from './redemption-texts.ts';

export interface RebateOccasion {
  /** Who paid in. */
  readonly payer: UserRecord;
  /** Units paid in. */
  readonly amount: number;
  readonly options: OptionsView;
  readonly language: Language;
  readonly nowSeconds: number;
  readonly requestId: string;
}

/** floor(amount × percentage / 100) on integers; the percentage has one decimal. */
function rebateOf(amount: number, percentage: number): number {
  const tenths = BigInt(Math.round(percentage * 10));
  return Number((BigInt(amount) * tenths) / 1000n);
}

/**
 * Whoever is about to pay in, locked together with whoever may earn from it: locked one after the other, they could wait
 * in a circle with a settlement that has both. Undefined when there is no such user.
 */
export async function lockPayer({ users }: Stores, userId: number): Promise<UserRecord | undefined> {
  const found = await users.find(userId);
  if (!found) return undefined;
  const locked = await users.lockMany([userId, found.inviterId]);
  return locked.find(({ id }) => id === userId);
}

/** Pays the rebate, if there is one, inside the transaction of the credit it belongs to. */
export async function payRebate(stores: Stores, occasion: RebateOccasion): Promise<void> {
  const { payer, options, language, nowSeconds, requestId } = occasion;
  if (!options.get('RebateEnabled') || payer.inviterId === 0) return;
  const amount = rebateOf(occasion.amount, options.get('RebatePercentage'));
  if (amount <= 0) return;
  const inviter = await stores.users.find(payer.inviterId);
  if (!inviter || inviter.deletedAt !== null || inviter.status !== 1) return;
  // An inviter who can be given no more must not keep others from paying in.
  if (inviter.quota + amount > Number.MAX_SAFE_INTEGER) return;
  const shown = quotaText(amount, options);
  const common = { type: 4 as const, nowSeconds, requestId };
  const balance = await creditUser(stores, {
    userId: inviter.id,
    amount,
    row: eventRow({
      ...common,
      userId: inviter.id,
      username: inviter.username,
      content: redemptionTexts.rebatePaid(shown, payer.username)[language],
      quota: amount,
    }),
  });
  // Purged since `inviter` was read: the payer is not told of what nobody got.
  if (balance === undefined) return;
  await stores.logs.insert([
    eventRow({
      ...common,
      userId: payer.id,
      username: payer.username,
      content: redemptionTexts.rebateGiven(shown)[language],
      quota: 0,
    }),
  ]);
}
