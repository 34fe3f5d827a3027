import { orders as endpoints } from '../../../daemon/contract/orders.ts';
import { callsFor } from '../../api/client.ts';

/** What administrators do with orders; the provider's own call is none of theirs. */
export const orders = callsFor({
  list: endpoints.list,
  export: endpoints.export,
  complete: endpoints.complete,
  query: endpoints.query,
});

/** Root of the keys under which answers about orders are kept. */
export const ordersKey = 'all-orders';
