/** Language of management texts (management-api.md 1.4). */
import type { Language } from '../../contract/error-codes.ts';

/** Query `lang`, else the first of `zh*` and `en*` in `Accept-Language`, else Chinese. */
export function languageOf(query: string | undefined, acceptLanguage: string | undefined): Language {
  return known(query) ?? firstKnown(acceptLanguage) ?? 'zh';
}

function firstKnown(header: string | undefined): Language | undefined {
  for (const part of (header ?? '').split(',', 20)) {
    const language = known(part);
    if (language) return language;
  }
  return undefined;
}

function known(text: string | undefined): Language | undefined {
  const start = text?.trim().slice(0, 2).toLowerCase();
  return start === 'zh' || start === 'en' ? start : undefined;
}
