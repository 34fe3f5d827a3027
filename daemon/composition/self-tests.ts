/** Tests of what the site depends on. */
import { SelfTests } from '../domain/self-tests.ts';
import { guardedFetch } from '../integrations/guarded-fetch.ts';
import type { SmtpMailer } from '../integrations/mail.ts';
import { oidcDiscovery } from '../integrations/oauth/oidc-discovery.ts';
import { callbackProbe } from '../integrations/payments/callback-probe.ts';
import type { AddressGuard } from '../upstream/address-guard.ts';
import type { Foundation } from './foundation.ts';

export function buildSelfTests(
  { config, database, keyring, snapshots, nowSeconds }: Foundation,
  { guard, mailer }: { readonly guard: AddressGuard; readonly mailer: SmtpMailer },
): SelfTests {
  const fetch = guardedFetch(guard);
  return new SelfTests({
    database,
    options: () => snapshots.current().options,
    greetMail: () => mailer.greet(),
    discover: oidcDiscovery(fetch),
    probe: callbackProbe(fetch),
    prove: (challenge) => keyring.codeHash('site-proof', '', challenge),
    longestCallSeconds: Math.max(config.relay.stream_max_seconds, config.relay.realtime_max_seconds),
    nowSeconds,
  });
}
