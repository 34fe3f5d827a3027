/** Language of management texts (management-api.md 1.4). */
import { acceptedLanguage, languageNamed } from '../../contract/accepted-language.ts';
import type { Language } from '../../contract/error-codes.ts';

/** Query `lang`, else the first of `zh*` and `en*` in `Accept-Language`, else Chinese. */
export function languageOf(query: string | undefined, acceptLanguage: string | undefined): Language {
  return languageNamed(query) ?? acceptedLanguage(acceptLanguage) ?? 'zh';
}
