/** Ends the session here and in every other tab (console.md 4.3, rule 11). */
import i18next from 'i18next';
import { account as endpoints } from '../../daemon/contract/account.ts';
import { callsFor } from '../api/client.ts';
import { showFailure } from '../api/failures.ts';
import { queryClient } from '../api/query-client.ts';
import { toast } from '../components/toast.ts';
import { hasLeft } from '../session/leaving.ts';
import { signedOut, userStore } from '../session/session.ts';
import { mayLeave } from '../session/unsaved-work.ts';

const calls = callsFor({ logout: endpoints.logout });

/** Resolves to true when the session is over. */
export async function signOut(): Promise<boolean> {
  if (userStore.get() === undefined) return true;
  if (!(await mayLeave())) return false;
  let next: string | undefined;
  try {
    next = (await calls.logout()).logout_url;
  } catch (error) {
    showFailure(error);
    return false;
  }
  hasLeft.set(true);
  signedOut();
  queryClient.clear();
  // The identity provider that opened the session is left as well.
  if (next) window.location.assign(next);
  else toast.success(i18next.t('notice.signedOut'));
  return true;
}
