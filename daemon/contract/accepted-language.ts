/** Which of our languages a caller asks for. */
import type { Language } from './error-codes.ts';

/** The first of `zh*` and `en*` in an `Accept-Language` header; undefined when it names neither. */
export function acceptedLanguage(header: string | undefined): Language | undefined {
  for (const part of (header ?? '').split(',', 20)) {
    const language = languageNamed(part);
    if (language) return language;
  }
  return undefined;
}

/** The language that a tag such as `zh-CN` stands for. */
export function languageNamed(tag: string | undefined): Language | undefined {
  const start = tag?.trim().slice(0, 2).toLowerCase();
  return start === 'zh' || start === 'en' ? start : undefined;
}
