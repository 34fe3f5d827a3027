/** Which of many channels a loop of calls could not change, and why. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../daemon/contract/client.ts';
import { isGivenUp, requestIdOf, useFailures } from '../../api/failures.ts';
import type { BatchFailure } from '../../api/use-batch.ts';
import { toast } from '../../components/toast.ts';
import classes from './cells.module.css';
import { nameOf } from './use-channels.ts';

/** So many are named; the others stay selected, as these do. */
const mostNamed = 5;

/** @returns says in one lasting message how many of `total` were refused, and of the first few which and why */
export function useToldFailures(): (total: number, failures: readonly BatchFailure<number>[]) => void {
  const { t } = useTranslation('channels');
  const client = useQueryClient();
  const failure = useFailures();
  return useCallback(
    (total, failures) => {
      // The sign-in page tells of a session that is lost.
      if (failures.some(({ error }) => isGivenUp(error) || (error instanceof ApiError && error.status === 401))) return;
      const rest = failures.length - mostNamed;
      const extra = (
        <ul className={classes.refused}>
          {failures.slice(0, mostNamed).map(({ item, error }) => (
            <li key={item}>{t('refusedOne', { name: nameOf(client, item), id: item, reason: failure(error) })}</li>
          ))}
          {rest > 0 && <li>{t('refusedRest', { count: rest })}</li>}
        </ul>
      );
      const requestId = requestIdOf(failures[0]?.error);
      toast.error(t('refusedMany', { count: failures.length, total }), { extra, requestId, isLasting: true });
    },
    [client, failure, t],
  );
}
