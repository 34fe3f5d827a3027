/** Where to go on after a provider has sent the browser back; kept for this tab only. */
import { safeReturnTo } from '../session/return-to.ts';

const key = 'oauth-return';

/** Undefined forgets what an earlier attempt kept. */
export function keepForReturn(returnTo: string | undefined): void {
  try {
    if (returnTo === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, returnTo);
  } catch {
    // Without storage the way back ends at the start page.
  }
}

/** The kept address, once. */
export function takeReturn(): string | undefined {
  try {
    const kept = safeReturnTo(sessionStorage.getItem(key));
    sessionStorage.removeItem(key);
    return kept;
  } catch {
    return undefined;
  }
}
