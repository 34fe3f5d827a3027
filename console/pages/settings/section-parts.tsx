/** Which section has what besides its options. */
import { lazy } from 'react';
import { LimitsSection } from './limits/limit-fields.tsx';
import { ChatsSection } from './operation/chats-section.tsx';
import { GroupsSection } from './operation/groups-section.tsx';
import { LogCleanup } from './operation/log-cleanup.tsx';
import { CheckInLine, RebateExample } from './operation/reward-lines.tsx';
import { WordTester } from './operation/word-tester.tsx';
import { ContentSection } from './other/content-section.tsx';
import { SystemInfo } from './other/system-info.tsx';
import type { SectionParts } from './section-part.ts';
import { CallbackAddresses } from './system/callback-addresses.tsx';
import { MailTest } from './system/mail-test.tsx';
import { SaveOidc } from './system/save-oidc.tsx';
import { PaymentCheck, SavePayment } from './system/save-payment.tsx';
import { ServerAddressCheck } from './system/server-address.tsx';
import { SignInSwitches } from './system/sign-in-switches.tsx';

// With tables and dialogs of their own: loaded when their tab is opened.
const PricesSection = lazy(() =>
  import('./prices/prices-section.tsx').then((module) => ({ default: module.PricesSection })),
);
const AlertsSection = lazy(() =>
  import('./alerts/alerts-section.tsx').then((module) => ({ default: module.AlertsSection })),
);

const none: SectionParts = {};
const parts: ReadonlyMap<string, SectionParts> = new Map<string, SectionParts>([
  ['sensitive', { After: WordTester }],
  ['logs', { After: LogCleanup }],
  ['check-in', { Between: CheckInLine }],
  ['rebate', { Between: RebateExample }],
  ['chats', { Body: ChatsSection }],
  ['groups', { Body: GroupsSection }],
  ['prices', { Body: PricesSection }],
  ['server', { Between: ServerAddressCheck }],
  ['payment', { Save: SavePayment, After: PaymentCheck }],
  ['sign-in', { Body: SignInSwitches }],
  ['smtp', { After: MailTest }],
  ['oidc', { Before: CallbackAddresses, Save: SaveOidc }],
  ['github', { Before: CallbackAddresses }],
  ['linuxdo', { Before: CallbackAddresses }],
  ['alerts', { Body: AlertsSection }],
  ['rate-limits', { Body: LimitsSection }],
  ['limits', { Body: LimitsSection }],
  ['content', { Body: ContentSection }],
  ['system-info', { Body: SystemInfo }],
]);

export function partsOf(id: string): SectionParts {
  return parts.get(id) ?? none;
}
