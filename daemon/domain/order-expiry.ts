/** Orders that nobody paid within a day (management-api.md 5.6); a payment that comes later still counts. */
import type { Stores } from '../store/database.ts';

const orderLifeSeconds = 86_400;

/** Expires them; returns how many. */
export function expireOrders(deps: { readonly stores: Stores; readonly nowSeconds: () => number }): Promise<number> {
  return deps.stores.topUps.expire(deps.nowSeconds() - orderLifeSeconds);
}
