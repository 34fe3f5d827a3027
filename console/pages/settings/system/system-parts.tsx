/** What the sections of the system have besides their options. */

import { lazyPart } from '../../../components/late-part.tsx';
import type { TabParts } from '../section-part.ts';
import { CallbackAddresses } from './callback-addresses.tsx';
import { MailTest } from './mail-test.tsx';
import { NetworkFacts } from './network-facts.tsx';
import { PaymentCheck } from './payment-check.tsx';
import { ServerAddressCheck } from './server-address.tsx';
import { SignInSwitches } from './sign-in-switches.tsx';

// With tables and dialogs of its own.
const AlertsSection = lazyPart(() =>
  import('../alerts/alerts-section.tsx').then((module) => ({ default: module.AlertsSection })),
);

export const parts: TabParts = new Map([
  ['server', { Between: ServerAddressCheck }],
  ['payment', { After: PaymentCheck }],
  ['sign-in', { Body: SignInSwitches }],
  ['smtp', { After: MailTest }],
  ['oidc', { Before: CallbackAddresses }],
  ['github', { Before: CallbackAddresses }],
  ['linuxdo', { Before: CallbackAddresses }],
  ['network', { Body: NetworkFacts }],
  ['alerts', { Body: AlertsSection }],
]);
