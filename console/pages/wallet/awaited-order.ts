/** The order that is being paid: on a phone the payment page takes this page's place, and Back opens it anew. */

const key = 'awaited-order';

/** For so long a payment is waited for. */
export const awaitedForMs = 300_000;

/** Undefined: there is none any more. */
export function keepAwaited(tradeNo: string | undefined): void {
  try {
    if (tradeNo === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, `${Date.now()} ${tradeNo}`);
  } catch {
    // A browser that keeps nothing: the order stands in the list below.
  }
}

export function keptAwaited(): string | undefined {
  try {
    const [at, tradeNo] = (sessionStorage.getItem(key) ?? '').split(' ');
    return Date.now() - Number(at) < awaitedForMs ? tradeNo : undefined;
  } catch {
    return undefined;
  }
}
