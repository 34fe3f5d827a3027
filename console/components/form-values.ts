/** What a form sends and what it says of its values: pure, so that it is tested without a page. */
import type { TFunction } from 'i18next';
import * as z from 'zod/mini';

/** Members that differ from what was loaded; lists and objects by their content. */
export function changedMembers<Values extends object>(before: Values, now: Values): Partial<Values> {
  const changed: Partial<Values> = {};
  for (const key of Object.keys(now) as (keyof Values)[]) {
    // `Object.keys` knows no keys: those of an object of this type are its members.
    if (!isSame(before[key], now[key])) changed[key] = now[key];
  }
  return changed;
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Texts by path (`list.0.name`) of what a schema refuses; a message of the schema's own comes before ours. */
export function errorsOf(schema: z.core.$ZodType, values: unknown, t: TFunction<'components'>): Record<string, string> {
  const parsed = z.safeParse(schema, values, { error: (issue) => issueText(issue, t) });
  if (parsed.success) return {};
  const errors: Record<string, string> = {};
  for (const { path, message } of parsed.error.issues) errors[path.join('.')] ??= message;
  return errors;
}

function isEmptyList(input: unknown): boolean {
  return Array.isArray(input) && input.length === 0;
}

function issueText(issue: z.core.$ZodRawIssue, t: TFunction<'components'>): string {
  const { input } = issue;
  // An emptied amount is NaN; one that cannot be read says so at its field.
  if (input === '' || input === undefined || input === null || Number.isNaN(input) || isEmptyList(input)) {
    return t('form.required');
  }
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'string') return t('form.tooShort', { count: Number(issue.minimum) });
      if (issue.origin === 'array') return t('form.tooFew', { count: Number(issue.minimum) });
      return t('form.tooSmall', { limit: String(issue.minimum) });
    case 'too_big':
      if (issue.origin === 'string') return t('form.tooLong', { count: Number(issue.maximum) });
      if (issue.origin === 'array') return t('form.tooMany', { count: Number(issue.maximum) });
      return t('form.tooBig', { limit: String(issue.maximum) });
    case 'invalid_type':
      return issue.expected === 'int' ? t('form.integer') : t('form.invalid');
    default:
      return t('form.invalid');
  }
}
