/** What the last tab has: texts with a button each, and what is known of the system. */
import type { TabParts } from '../section-part.ts';
import { ContentSection } from './content-section.tsx';
import { SystemInfo } from './system-info.tsx';

export const parts: TabParts = new Map([
  ['content', { Body: ContentSection }],
  ['system-info', { Body: SystemInfo }],
]);
