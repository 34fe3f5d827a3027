/** Who is signed in, as this browser remembers it; the server decides anew at every call. */
import * as z from 'zod/mini';
import { LoginView, type SelfView } from '../../daemon/contract/account.ts';
import { roles } from '../../daemon/contract/roles.ts';
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
/** True after a call was answered 401, here or in another tab: the guard then says that the session has ended. */
export const isExpiredStore = new Store(false);

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(channelName);

channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => followOtherTab(data));

function followOtherTab(event: unknown): void {
  const mine = userStore.get();
  const theirs = storedUser();
  if (theirs === undefined) followEnd(event);
  else if (mine !== undefined && mine.id !== theirs.id) otherUserStore.set(theirs);
  else {
    userStore.set(theirs);
    otherUserStore.set(undefined);
  }
}

/** Whoever had come in another tab has left with the session. */
function followEnd(event: unknown): void {
  if (event === 'expired' && userStore.get()) isExpiredStore.set(true);
  userStore.set(undefined);
  otherUserStore.set(undefined);
}

/** True while pages go because their account does, and not by its own wish: what was typed into them is then kept for its return. */
export function isTakenAway(): boolean {
  return otherUserStore.get() !== undefined || (isExpiredStore.get() && userStore.get() === undefined);
}

function remember({ id, username, display_name, role, status, group }: LoginView): void {
  const stored = { id, username, display_name, role, status, group };
  writeJson(userKey, stored);
  userStore.set(stored);
}

/** Remembers who signed in; other tabs follow. */
export function signedIn(user: LoginView): void {
  remember(user);
  channel?.postMessage('in');
}

/** The account as the server knows it overrules what was stored at sign-in. */
export function accountLoaded(self: SelfView): void {
  const known = userStore.get();
  if (known?.id !== self.id) return;
  if (known.role === self.role && known.group === self.group && known.display_name === self.display_name) return;
  remember(self);
}

/**
 * Forgets the user, the drafts included; other tabs follow.
 * @param event `expired`: by the server's word; what is being typed is then kept for the return
 */
export function signedOut(event: 'out' | 'expired' = 'out'): void {
  writeText(userKey, undefined);
  try {
    sessionStorage.clear();
  } catch {
    // Nothing was stored.
  }
  followEnd(event);
  channel?.postMessage(event);
}

/** A call was answered 401: the session has ended, or the cookie is somebody else's, who came unheard while this tab slept. */
export function sessionRefused(): void {
  const theirs = storedUser();
  if (theirs === undefined || theirs.id === userStore.get()?.id) signedOut('expired');
  else otherUserStore.set(theirs);
}

export const useUser = (): LoginView | undefined => useStore(userStore);

export const isAdmin = (user: LoginView | undefined): boolean => (user?.role ?? 0) >= roles.admin;
export const isRoot = (user: LoginView | undefined): boolean => (user?.role ?? 0) >= roles.root;
