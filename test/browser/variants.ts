/** The ways in which the console is looked at: language, colours and size (console.md 10). */
import { fileURLToPath } from 'node:url';
import type { Language } from '../../daemon/contract/error-codes.ts';

export interface Variant {
  readonly name: string;
  readonly language: Language;
  readonly theme: 'light' | 'dark';
  readonly size: 'desktop' | 'phone';
}

const look = (language: Language, theme: Variant['theme'], size: Variant['size']): Variant => ({
  name: `${language}-${theme}-${size}`,
  language,
  theme,
  size,
});

/**
 * A file sees two of the eight at a time, a desktop and a phone: what it leaves behind on its site, the next visit has to
 * do with, so more would each be a longer story than the one before.
 */
const pairs: readonly (readonly [desktop: Variant, phone: Variant])[] = [
  [look('zh', 'light', 'desktop'), look('en', 'dark', 'phone')],
  [look('en', 'light', 'desktop'), look('zh', 'dark', 'phone')],
  [look('zh', 'dark', 'desktop'), look('en', 'light', 'phone')],
  [look('en', 'dark', 'desktop'), look('zh', 'light', 'phone')],
];
/** Every pair by its place, for a run in all of them. */
export const turns: readonly string[] = pairs.map((_, place) => String(place));

const { TEST_CONSOLE_TURN: turn } = process.env;
/** Whether this run is one of those that see all eight. */
export const isWhole = turn !== undefined;
const acting = pairs[Number(turn ?? 0)];
if (acting === undefined) throw new Error(`TEST_CONSOLE_TURN is one of ${turns.join(', ')}`);

/** What acts runs in these. */
export const journeyVariants: readonly Variant[] = acting;
/** What only looks runs in these, taking turns page by page where they are not all seen. */
export const walkVariants: readonly Variant[] = isWhole ? acting : (pairs[1] ?? []);
/** The two of them, for what runs in one. */
export const desktopVariants = acting.slice(0, 1);
export const phoneVariants = acting.slice(1);
/** What is too long for every day. */
export const releaseVariants = isWhole ? acting : [];
/** For what has nothing to do with looks: `(1)` in console.md 10. */
export const oneVariant = turn === undefined || turn === turns[0] ? [look('zh', 'light', 'desktop')] : [];

/** Where screenshots go; undefined while nobody wants any. */
export const screenshotFolder = isWhole
  ? fileURLToPath(new URL('../../.cache/screenshots/', import.meta.url))
  : undefined;
