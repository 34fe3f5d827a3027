/** The ways in which the console is looked at: language, colours and size (console.md 10). */
import type { Language } from '../../daemon/contract/error-codes.ts';

export interface Variant {
  readonly name: string;
  readonly language: Language;
  readonly theme: 'light' | 'dark';
  readonly size: 'desktop' | 'phone';
}

const every: readonly Variant[] = (['zh', 'en'] as const).flatMap((language) =>
  (['light', 'dark'] as const).flatMap((theme) =>
    (['desktop', 'phone'] as const).map((size) => ({ name: `${language}-${theme}-${size}`, language, theme, size })),
  ),
);

export const isWhole = process.env.TEST_CONSOLE_ALL === '1';
const named = (...names: readonly string[]) => (isWhole ? every : every.filter(({ name }) => names.includes(name)));

/** What acts runs in these. */
export const journeyVariants = named('zh-light-desktop', 'en-dark-phone');
/** What only looks runs in these, taking turns page by page. */
export const walkVariants = named('zh-dark-phone', 'en-light-desktop');
/** The two of them, for what runs in one. */
export const desktopVariants = named('zh-light-desktop');
export const phoneVariants = named('en-dark-phone');
/** What is too long for every day. */
export const releaseVariants = named();
/** For what has nothing to do with looks: `(1)` in console.md 10. */
export const oneVariant = every.filter(({ name }) => name === 'zh-light-desktop');

/** Where screenshots go; undefined while nobody wants any. */
export const screenshotFolder = isWhole ? new URL('../../.cache/screenshots/', import.meta.url).pathname : undefined;
