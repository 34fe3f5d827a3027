import { createHash, createHmac } from 'node:crypto';

/** What the messaging bot's widget hands over, signed as the bot signs it (core.telegram.org/widgets/login, read 2026-08). */
export function telegramAnswer(
  botToken: string,
  fields: Readonly<Record<string, string>>,
): Record<string, string> & { readonly hash: string } {
  const text = Object.keys(fields)
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('\n');
  const secret = createHash('sha256').update(botToken).digest();
  return { ...fields, hash: createHmac('sha256', secret).update(text).digest('hex') };
}
