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

/**
 * Telegram has no state that comes back with the visitor (RFC 6749, 10.12): a link with the answer of somebody else would
 * sign whoever opens it in as them, or bind their account to whoever sent it. So the tab remembers what it has asked for.
 */
const asked = 'telegram-asked';
const askedMs = 600_000;

/** Awaits an answer at this path of the console; undefined awaits none. */
export function awaitTelegramAnswer(path: string | undefined): void {
  try {
    if (path === undefined) sessionStorage.removeItem(asked);
    else sessionStorage.setItem(asked, `${Date.now()} ${path}`);
  } catch {
    // Without storage no answer is taken.
  }
}

/** Whether this tab awaits an answer at the path; true once. */
export function takeTelegramWait(path: string): boolean {
  try {
    const [at, awaited] = (sessionStorage.getItem(asked) ?? '').split(' ');
    sessionStorage.removeItem(asked);
    return awaited === path && Math.abs(Date.now() - Number(at)) < askedMs;
  } catch {
    return false;
  }
}
