/** Who uses the management API as the console does: the session of a sign-in is kept as a cookie. */
import { type Client, createClient } from '../../daemon/contract/client.ts';

export interface ApiBrowser {
  readonly client: Client;
  /** Undefined until the daemon has set one. */
  cookie: string | undefined;
  /** Whom calls are told to come from; undefined for nobody. */
  userId: number | undefined;
}

/** A browser that nobody has signed in with. @param url of the daemon */
export function openBrowser(url: string, userId?: number): ApiBrowser {
  const browser: ApiBrowser = {
    cookie: undefined,
    userId,
    client: createClient({
      baseUrl: url,
      retries: 0,
      language: () => 'en',
      credentials: () => ({ cookie: browser.cookie, userId: browser.userId }),
      onResponse: ({ headers }) => {
        browser.cookie = headers.get('set-cookie')?.split(';')[0] ?? browser.cookie;
      },
    }),
  };
  return browser;
}

/** The API as the owner of an account sees it, who has just signed in. */
export async function signedIn(url: string, account: { username: string; password: string }): Promise<Client> {
  const browser = openBrowser(url);
  browser.userId = (await browser.client.account.login(account)).id;
  return browser.client;
}
