/** The order that is being paid: on a phone the payment page takes this page's place, and Back opens it anew. */
import { userStore } from '../../session/session.ts';

const key = 'awaited-order';

/** For so long a payment is waited for. */
export const awaitedForMs = 300_000;

/** Of whoever is signed in. Undefined: there is none any more. */
export function keepAwaited(tradeNo: string | undefined): void {
  try {
    if (tradeNo === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, `${Date.now()} ${userStore.get()?.id} ${tradeNo}`);
  } catch {
    // A browser that keeps nothing: the order stands in the list below.
  }
}

/** Another tab may have signed in as somebody else since: the order of an account is awaited by nobody else. */
export function keptAwaited(): string | undefined {
  try {
    const [at, user, tradeNo] = (sessionStorage.getItem(key) ?? '').split(' ');
    const isOwn = user === String(userStore.get()?.id);
    return isOwn && Date.now() - Number(at) < awaitedForMs ? tradeNo : undefined;
  } catch {
    return undefined;
  }
}
