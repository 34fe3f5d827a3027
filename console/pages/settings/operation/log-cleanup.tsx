/** Deleting old rows of the usage log. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { logs as logEndpoints } from '../../../../daemon/contract/logs.ts';
import { callsFor } from '../../../api/client.ts';
import { showFailure } from '../../../api/failures.ts';
import { confirm } from '../../../components/confirm.tsx';
import { formatTime } from '../../../components/format.ts';
import { MomentInput } from '../../../components/moment-input.tsx';
import { toast } from '../../../components/toast.ts';
import { monthBefore } from './month-before.ts';
import classes from './operation.module.css';

const logs = callsFor(logEndpoints);
/** Many rows go in small batches. */
const longestMs = 600_000;

const oneMonthAgo = (): number => monthBefore(Math.floor(Date.now() / 1000));

export function LogCleanup() {
  const { t } = useTranslation('settings');
  const [before, setBefore] = useState<number | undefined>(oneMonthAgo);
  const [error, setError] = useState<string>();
  const [isRunning, setIsRunning] = useState(false);
  const clean = async () => {
    const problem = before === undefined ? t('cleanup.missing') : isFuture(before) ? t('cleanup.future') : undefined;
    setError(problem);
    if (problem !== undefined) toast.error(problem);
    if (before === undefined || problem !== undefined) return;
    const time = formatTime(before);
    const isSure = await confirm({
      kind: 'typed',
      title: t('cleanup.title', { time }),
      text: t('cleanup.text'),
      verb: t('cleanup.act'),
      typed: time.slice(0, 10),
    });
    if (!isSure) return;
    setIsRunning(true);
    try {
      const count = await logs.deleteBefore({ target_timestamp: before }, { timeoutMs: longestMs });
      toast.success(t('cleanup.done', { count }));
    } catch (failure) {
      showFailure(failure);
    } finally {
      setIsRunning(false);
    }
  };
  return (
    <div className={classes.row}>
      <MomentInput label={t('cleanup.label')} seconds={before} onChange={setBefore} error={error} />
      <Button variant="outline" color="red" loading={isRunning} onClick={() => void clean()}>
        {t('cleanup.act')}
      </Button>
    </div>
  );
}

function isFuture(seconds: number): boolean {
  return seconds * 1000 > Date.now();
}
