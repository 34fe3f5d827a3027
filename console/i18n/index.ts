/**
 * i18next with one namespace an area, loaded with its page. `zh` is the source of keys and the fallback, `en` must have
 * the same; `frame` holds what every page needs.
 */
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Language } from '../../daemon/contract/error-codes.ts';
import { readText, writeText } from '../session/storage.ts';

const storageKey = 'i18nextLng';

/** By file name, `./catalogues/zh/frame.ts`. */
const catalogues = import.meta.glob<{ readonly texts: object }>('./catalogues/*/*.ts');

function firstLanguage(): Language {
  const stored = readText(storageKey);
  if (stored === 'zh' || stored === 'en') return stored;
  return navigator.language.toLowerCase().startsWith('en') ? 'en' : 'zh';
}

async function load(language: string, namespace: string): Promise<object> {
  const found = catalogues[`./catalogues/${language}/${namespace}.ts`];
  if (!found) throw new Error(`no catalogue ${namespace} in ${language}`);
  return (await found()).texts;
}

/** Resolves when the texts of every page are there. */
export async function startTranslation(): Promise<void> {
  await i18next
    .use({
      type: 'backend',
      read: (language: string, namespace: string, done: (error: unknown, texts: object | null) => void) => {
        load(language, namespace).then(
          (texts) => done(null, texts),
          (error: unknown) => done(error, null),
        );
      },
    })
    .use(initReactI18next)
    .init({
      lng: firstLanguage(),
      fallbackLng: false,
      supportedLngs: ['zh', 'en'],
      ns: ['frame'],
      defaultNS: 'frame',
      interpolation: { escapeValue: false, prefix: '{', suffix: '}' },
      returnNull: false,
      showSupportNotice: false,
    });
  document.documentElement.lang = currentLanguage();
}

export function currentLanguage(): Language {
  return i18next.language === 'en' ? 'en' : 'zh';
}

/** Switches every text without a reload. */
export async function switchLanguage(language: Language): Promise<void> {
  writeText(storageKey, language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
