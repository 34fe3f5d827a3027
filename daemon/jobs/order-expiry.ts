import { expireOrders } from '../domain/order-expiry.ts';
import type { Job } from './scheduler.ts';

/** Expires orders that were not paid. */
export function orderExpiryJob(deps: Parameters<typeof expireOrders>[0]): Job {
  return {
    name: 'order-expiry',
    everyMs: 600_000,
    scope: 'cluster',
    run: async () => {
      await expireOrders(deps);
    },
  };
}
