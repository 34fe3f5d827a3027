/** What went wrong, in the user's words (console.md 4.7). */
import i18next, { type TFunction } from 'i18next';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../daemon/contract/client.ts';
import { toast } from '../components/toast.ts';

/** The exact text for an error; "" for a call that was given up on purpose. */
export function failureText(error: unknown, t: TFunction<'components'>): string {
  if (!(error instanceof ApiError)) return t('failure.told', { message: error instanceof Error ? error.message : '' });
  if (isGivenUp(error)) return '';
  if (error.code === 'network_error' || error.code === 'timeout') return t('failure.network');
  const byStatus = textOfStatus(error, t);
  if (byStatus !== undefined) return byStatus;
  if (error.code === 'invalid_answer' && error.status < 400) return t('failure.unreadable');
  return t('failure.told', { message: error.message });
}

function textOfStatus({ status, retryAfter }: ApiError, t: TFunction<'components'>): string | undefined {
  switch (status) {
    case 401:
      return t('failure.signedOut');
    case 404:
      return t('failure.gone');
    case 405:
      return t('failure.demo');
    case 429:
      return retryAfter === undefined
        ? t('failure.tooMany')
        : t('failure.tooManyUntil', { seconds: Math.ceil(retryAfter) });
    case 500:
      return t('failure.server');
    case 503:
      return t('failure.unavailable');
    default:
      return undefined;
  }
}

/** True for what the console itself ended: a page left, an account switched. */
export function isGivenUp(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'aborted' || error.code === 'account_changed');
}

/** Of a proof that was not given the user knows; of a session that has ended the sign-in page tells. */
export function needsNoWord(error: unknown): boolean {
  return isGivenUp(error) || (error instanceof ApiError && error.status === 401);
}

/** The id to give to the administrator, where the error has one. */
export function requestIdOf(error: unknown): string | undefined {
  return error instanceof ApiError ? error.requestId : undefined;
}

/**
 * `const failure = useFailures(); failure(error)`: the text of an error in the language of the page. Undefined, so that
 * nothing is drawn, for a call that was given up on purpose.
 */
export function useFailures(): (error: unknown) => string | undefined {
  const { t } = useTranslation('components');
  return useCallback((error: unknown) => failureText(error, t) || undefined, [t]);
}

/** Says by a toast what went wrong. A lost session is told by the sign-in page instead. */
export function showFailure(error: unknown): void {
  if (needsNoWord(error)) return;
  void i18next.loadNamespaces('components').then(() => {
    toast.error(failureText(error, i18next.getFixedT(null, 'components')), { requestId: requestIdOf(error) });
  });
}

/**
 * The form field that a refusal belongs to: by its code where `byCode` names one, else the field that the server names
 * where the form has it; undefined for a refusal of the whole.
 */
export function fieldOfRefusal(
  error: unknown,
  fields: readonly string[],
  byCode: Readonly<Record<string, string>> = {},
): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const named = byCode[error.code] ?? error.field;
  if (named === undefined) return undefined;
  const path = named.replaceAll(/\[(\d+)\]/g, '.$1');
  return fields.find((field) => field === path || path.startsWith(`${field}.`));
}
