/** What the sections of the first tab have besides their options. */

import { lazyPart } from '../../../components/late-part.tsx';
import type { TabParts } from '../section-part.ts';
import { ChatsSection } from './chats-section.tsx';
import { GroupsSection } from './groups-section.tsx';
import { LogCleanup } from './log-cleanup.tsx';
import { CheckInLine, RebateExample } from './reward-lines.tsx';
import { WordTester } from './word-tester.tsx';

// With tables and dialogs of its own.
const PricesSection = lazyPart(() =>
  import('../prices/prices-section.tsx').then((module) => ({ default: module.PricesSection })),
);

export const parts: TabParts = new Map([
  ['sensitive', { After: WordTester }],
  ['logs', { After: LogCleanup }],
  ['check-in', { Between: CheckInLine }],
  ['rebate', { Between: RebateExample }],
  ['chats', { Body: ChatsSection }],
  ['groups', { Body: GroupsSection }],
  ['prices', { Body: PricesSection }],
]);
