/** Lines of log rows about codes and rebates, in the site's language. Amounts come as texts of `quota-text.ts`. */
import type { Language } from '../contract/error-codes.ts';

export const redemptionTexts = {
  created: (count: number, amount: string, name: string) => ({
    en: `Created ${count} redemption codes of ${amount} named ${name}`,
    zh: `创建了 ${count} 个兑换码，每个 ${amount}，名称 ${name}`,
  }),
  redeemed: (amount: string, id: number) => ({
    en: `Redeemed ${amount} with code ${id}`,
    zh: `通过兑换码充值 ${amount}，兑换码编号 ${id}`,
  }),
  rebatePaid: (amount: string, username: string) => ({
    en: `Rebate ${amount} for a top-up of ${username}`,
    zh: `${username} 充值返利 ${amount}`,
  }),
  rebateGiven: (amount: string) => ({
    en: `Your inviter received a rebate of ${amount}`,
    zh: `你的邀请人获得返利 ${amount}`,
  }),
} as const satisfies Record<string, (...parts: never[]) => Record<Language, string>>;
