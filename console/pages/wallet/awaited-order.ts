/** The order that is being paid: on a phone the payment page takes this page's place, and Back opens it anew. */
import { userStore } from '../../session/session.ts';

const key = 'awaited-order';

/** For so long a payment is waited for. */
export const awaitedForMs = 300_000;

export interface AwaitedOrder {
  readonly tradeNo: string;
  /** When it was sent to be paid, in milliseconds. */
  readonly since: number;
}

/** Of whoever is signed in. Undefined: there is none any more. */
export function keepAwaited(order: AwaitedOrder | undefined): void {
  try {
    if (order === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, `${order.since} ${userStore.get()?.id} ${order.tradeNo}`);
  } catch {
    // A browser that keeps nothing: the order stands in the list below.
  }
}

/** Another tab may have signed in as somebody else since: the order of an account is awaited by nobody else. */
export function keptAwaited(): AwaitedOrder | undefined {
  try {
    const [at, user, tradeNo] = (sessionStorage.getItem(key) ?? '').split(' ');
    const since = Number(at);
    const isOwn = tradeNo !== undefined && user === String(userStore.get()?.id);
    return isOwn && Date.now() - since < awaitedForMs ? { tradeNo, since } : undefined;
  } catch {
    return undefined;
  }
}
