/** Paying for top-ups: orders, the payment provider, and the test of its way back. */
import { OrderService } from '../domain/orders.ts';
import { PaymentSelfTest } from '../domain/payment-self-test.ts';
import type { Route } from '../http/implement.ts';
import { orderRoutes } from '../http/routes/management/orders.ts';
import { guardedFetch } from '../integrations/guarded-fetch.ts';
import { callbackProbe } from '../integrations/payments/callback-probe.ts';
import { epayProvider } from '../integrations/payments/epay.ts';
import type { AddressGuard } from '../upstream/address-guard.ts';
import type { Foundation } from './foundation.ts';

/** Builds the services and their routes. */
export function buildPayments(foundation: Foundation, guard: AddressGuard): readonly Route[] {
  const { config, log, clock, nowSeconds, database, snapshots, identities } = foundation;
  const options = () => snapshots.current().options;
  const fetch = guardedFetch(guard);
  const orders = new OrderService({
    database,
    options,
    provider: epayProvider(fetch),
    language: config.site.default_language,
    balanceChanged: (userId) => identities.forgetUser(userId),
    nowSeconds,
    report: (cause) => log.warn({ err: cause }, 'a payment needs a look'),
  });
  const selfTest = new PaymentSelfTest({
    stores: database.stores,
    options,
    probe: callbackProbe(fetch),
    monotonic: clock.monotonic,
    nowSeconds,
  });
  return orderRoutes({ orders, selfTest });
}
