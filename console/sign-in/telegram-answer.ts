/**
 * The answer of Telegram's widget. It comes back in the address of the page: the widget's other way, a function named
 * in an attribute, is run by `eval`, which the content policy forbids.
 */
const names = ['id', 'first_name', 'last_name', 'username', 'photo_url', 'auth_date', 'hash', 'lang'] as const;

export type TelegramAnswer = { readonly [K in (typeof names)[number]]?: string };

/** The answer in a query; undefined when there is none. */
export function telegramAnswerIn(query: URLSearchParams): TelegramAnswer | undefined {
  if (!query.has('hash') || !query.has('auth_date')) return undefined;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** The same query without the answer, which must not stay in the address. */
export function withoutTelegramAnswer(query: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(query);
  for (const name of names) rest.delete(name);
  return rest;
}
