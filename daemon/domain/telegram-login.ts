/** Checks what the sign-in widget of the messaging bot hands over (management-api.md 3.5.1, W13). */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Members of the widget's answer, as they came; absent ones are undefined. */
export interface TelegramAnswer {
  readonly id?: string | undefined;
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly username?: string | undefined;
  readonly photo_url?: string | undefined;
  readonly auth_date?: string | undefined;
  readonly hash?: string | undefined;
}

/** How old an answer may be. */
export const telegramAnswerSeconds = 300;
const signedMembers = ['auth_date', 'first_name', 'id', 'last_name', 'photo_url', 'username'] as const;

/** The account's id; undefined when the answer is forged, stale or names nobody. */
export function telegramAccount(
  answer: TelegramAnswer,
  { botToken, nowSeconds }: { botToken: string; nowSeconds: number },
): string | undefined {
  const { id = '', auth_date: date = '', hash = '' } = answer;
  if (botToken === '' || !/^\d{1,20}$/.test(id) || !/^\d{1,12}$/.test(date) || !/^[0-9a-f]{64}$/.test(hash)) {
    return undefined;
  }
  // A name with a line end in it could be read as further members, and so as the answer of another account.
  if (signedMembers.some((name) => /[\r\n]/.test(answer[name] ?? ''))) return undefined;
  // Source: Telegram's page on checking authorization, read 2026-08.
  const lines = signedMembers.flatMap((name) => (answer[name] === undefined ? [] : [`${name}=${answer[name]}`]));
  const secret = createHash('sha256').update(botToken).digest();
  const expected = createHmac('sha256', secret).update(lines.join('\n')).digest();
  if (!timingSafeEqual(expected, Buffer.from(hash, 'hex'))) return undefined;
  const age = nowSeconds - Number(date);
  // Clocks differ a little; an answer from the future is no fresher for it.
  return age <= telegramAnswerSeconds && age >= -60 ? id : undefined;
}
