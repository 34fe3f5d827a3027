import type { TFunction } from 'i18next';
import * as z from 'zod/mini';
import { jsonMistake, jsonPosition } from './json-position.ts';

/** What is wrong with a JSON text, with line and column; undefined for a good or an empty one. */
export function checkJson(
  text: string,
  schema: z.core.$ZodType | undefined,
  t: TFunction<'components'>,
): string | undefined {
  if (text.trim() === '') return undefined;
  const mistake = jsonMistake(text);
  if (mistake) return t('json.mistake', { ...mistake });
  if (!schema) return undefined;
  const parsed = z.safeParse(schema, JSON.parse(text), { error: () => t('form.invalid') });
  const [issue] = parsed.error?.issues ?? [];
  if (!issue) return undefined;
  const path = issue.path.map(String).join('.');
  return t('json.refused', { ...jsonPosition(text, issue.path), path, message: issue.message });
}

/**
 * Text of word processors and chat programs has quotation marks and blanks that are none in JSON; those of a text within
 * JSON are its own.
 * @param whole with it, what stands before and behind the place where it is put
 */
export function withoutTypographicQuotes(text: string, whole: string): string {
  if (isJson(text) || isJson(whole)) return text;
  return text.replaceAll(/[“”„‟″＂]/g, '"').replaceAll(/[\u00a0\u3000\u2028\u2029\ufeff]/g, ' ');
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
