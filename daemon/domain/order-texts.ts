/** Lines of log rows about orders, in the site's language. Amounts come as texts of `quota-text.ts`. */
import type { Language } from '../contract/error-codes.ts';

export const orderTexts = {
  paid: (amount: string, money: string) => ({
    en: `Topped up ${amount} online, paid ${money}`,
    zh: `在线充值 ${amount}，支付金额 ${money}`,
  }),
  completed: (amount: string, money: string) => ({
    en: `Topped up ${amount}, paid ${money}; completed by an administrator`,
    zh: `充值 ${amount}，支付金额 ${money}，由管理员补单`,
  }),
} as const satisfies Record<string, (...parts: never[]) => Record<Language, string>>;
