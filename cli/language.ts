/** Which language the command line speaks, and the pair every text comes in. */
import { fillText } from '../daemon/contract/fill-text.ts';

export type Language = 'en' | 'zh';

/** What stands in the places of a text that have a name. */
type Figures = Readonly<Record<string, string | number>>;

/** One text in both languages. */
export interface Bilingual {
  en: string;
  zh: string;
}

/**
 * A pair of texts. With figures both are filled with them, so that English counts: `{count} {count:key|keys} removed`.
 * Names then come among the figures too, since what stands in braces within a name is part of it.
 */
export function both(en: string, zh: string, figures?: Figures): Bilingual {
  return figures === undefined ? { en, zh } : { en: fillText(en, figures), zh: fillText(zh, figures) };
}

/** Says a pair of texts in one language. */
export type Say = (text: Bilingual) => string;

/** What says texts in this language. */
export function sayIn(language: Language): Say {
  return (text) => text[language];
}

/**
 * First of `--lang`, `TOLLGATE_LANG`, the profile, `LC_ALL`, `LC_MESSAGES`, `LANG` that speaks; Chinese for `zh*`, else
 * English. A C locale cannot promise to show Chinese, so it gets English.
 */
export function chooseLanguage(
  { flag, profile }: { flag?: string | undefined; profile?: string | undefined },
  { TOLLGATE_LANG, LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv,
): Language {
  const wish = [flag, TOLLGATE_LANG, profile, LC_ALL, LC_MESSAGES, LANG].find(
    (value) => value !== undefined && value !== '',
  );
  return wish?.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}
