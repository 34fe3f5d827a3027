/** What follows a successful sign-in, whichever way it was made. */
import type { LoginView } from '../../daemon/contract/account.ts';
import { signedIn } from '../session/session.ts';
import { writeText } from '../session/storage.ts';

/** Remembers the user and forgets the invite code, which has done its work. */
export function enter(user: LoginView): void {
  writeText('aff', undefined);
  signedIn(user);
}
