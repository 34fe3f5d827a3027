/** The calls of the management API from a browser: the page's own origin, the session cookie, the console's language. */
import { ApiError, type Calls, type ClientOptions, callsOf } from '../../daemon/contract/client.ts';
import { currentLanguage } from '../i18n/index.ts';
import { otherUserStore, sessionRefused, userStore } from '../session/session.ts';
import { Store } from '../session/store.ts';
import { proveFor } from './proof.ts';
import { reach } from './reach.ts';

/** True after a call was refused because the account is disabled. */
export const isAccountDisabled = new Store(false);

/** The answer is read again by the caller, hence a copy. */
async function noteDisabledAccount(response: Response): Promise<void> {
  const body: unknown = await response.json().catch(() => undefined);
  if (body instanceof Object && 'code' in body && body.code === 'user_disabled') isAccountDisabled.set(true);
}

/** What every answer is looked at for: whether the session has ended, whether the account was disabled. */
export function noteRefusal(response: Response): void {
  if (userStore.get() === undefined) return;
  if (response.status === 403) void noteDisabledAccount(response.clone());
  if (response.status === 401) sessionRefused();
}

const options: ClientOptions = {
  baseUrl: '',
  fetch: reach.fetch,
  credentials: () => ({ userId: userStore.get()?.id }),
  language: currentLanguage,
  onResponse: noteRefusal,
  onRefused: proveFor,
  beforeCall: () => {
    // Another tab holds the cookie now: whatever is sent from here would be done in its user's name.
    if (otherUserStore.get()) throw new ApiError({ code: 'account_changed', message: 'account changed', status: 0 });
  },
};

/**
 * Typed calls of a part of the contract: `const channels = callsFor(contract)` with `contract` from
 * `daemon/contract/channels.ts`. By parts, so that a page loads the endpoints it uses and no others.
 */
export function callsFor<T extends object>(table: T): Calls<T> {
  return callsOf(table, options);
}

/** What a plain `fetch` of an own address must carry, for the one call that streams. */
export function ownHeaders(): Record<string, string> {
  const user = userStore.get();
  return {
    'Accept-Language': currentLanguage(),
    'Cache-Control': 'no-store',
    ...(user ? { 'Tollgate-User': String(user.id) } : {}),
  };
}
