/** What follows a successful sign-in, whichever way it was made. */
import type { LoginView } from '../../daemon/contract/account.ts';
import { isExpiredStore } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { signedIn } from '../session/session.ts';
import { writeText } from '../session/storage.ts';

/** Remembers the user; answers given to somebody else are dropped, and so is the invite code, which has done its work. */
export function enter(user: LoginView): void {
  queryClient.clear();
  isExpiredStore.set(false);
  writeText('aff', undefined);
  signedIn(user);
}
