/** What the sections of limits have in place of single options. */
import type { TabParts } from '../section-part.ts';
import { LimitsSection } from './limit-fields.tsx';

export const parts: TabParts = new Map([
  ['rate-limits', { Body: LimitsSection }],
  ['limits', { Body: LimitsSection }],
]);
