/** Who is signed in, as this browser remembers it; the server decides anew at every call. */
import * as z from 'zod/mini';
import { LoginView, type SelfView } from '../../daemon/contract/account.ts';
import { readJson, writeJson, writeText } from './storage.ts';
import { Store, useStore } from './store.ts';

const userKey = 'user';
const channelName = 'session';

function storedUser(): LoginView | undefined {
  const parsed = z.safeParse(LoginView, readJson(userKey));
  return parsed.success ? parsed.data : undefined;
}

/** The stored login payload. */
export const userStore = new Store<LoginView | undefined>(storedUser());
/** Set when another tab signed in as somebody else: no further call is sent from this one. */
export const otherUserStore = new Store<LoginView | undefined>(undefined);

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(channelName);

channel?.addEventListener('message', () => followOtherTab());

function followOtherTab(): void {
  const mine = userStore.get();
  const theirs = storedUser();
  if (theirs === undefined) userStore.set(undefined);
  else if (mine !== undefined && mine.id !== theirs.id) otherUserStore.set(theirs);
  else userStore.set(theirs);
}

/** Remembers who signed in; other tabs follow. */
export function signedIn(user: LoginView): void {
  const { id, username, display_name, role, status, group } = user;
  const stored = { id, username, display_name, role, status, group };
  writeJson(userKey, stored);
  userStore.set(stored);
  channel?.postMessage('in');
}

/** The account as the server knows it overrules what was stored at sign-in. */
export function accountLoaded(self: SelfView): void {
  const known = userStore.get();
  if (known?.id !== self.id) return;
  if (known.role === self.role && known.group === self.group && known.display_name === self.display_name) return;
  const { id, username, display_name, role, status, group } = self;
  const stored = { id, username, display_name, role, status, group };
  writeJson(userKey, stored);
  userStore.set(stored);
}

/** Forgets the user, the drafts included; other tabs follow. */
export function signedOut(): void {
  writeText(userKey, undefined);
  try {
    sessionStorage.clear();
  } catch {
    // Nothing was stored.
  }
  userStore.set(undefined);
  channel?.postMessage('out');
}

export const useUser = (): LoginView | undefined => useStore(userStore);

export const roles = { user: 1, admin: 10, root: 100 } as const;
export const isAdmin = (user: LoginView | undefined): boolean => (user?.role ?? 0) >= roles.admin;
export const isRoot = (user: LoginView | undefined): boolean => (user?.role ?? 0) >= roles.root;
