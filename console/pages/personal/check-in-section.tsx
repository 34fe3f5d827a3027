/** The daily check-in: today's button and the days of a month. */
import { ActionIcon, Button } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { IconCheck, IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CheckInStatusView, rewards as endpoints } from '../../../daemon/contract/rewards.ts';
import { callsFor } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { formatDollars, formatQuota } from '../../components/format.ts';
import { useMoneyUnits } from '../../components/quota.tsx';
import { ErrorPanel, Section } from '../../components/section.tsx';
import { momentIn } from '../../components/site-time.ts';
import { toast } from '../../components/toast.ts';
import classes from './check-in-section.module.css';
import { daysOf, millisecondsUntil, monthAfter, monthOf } from './month.ts';
import { useFailureOr } from './use-failure-or.ts';

const rewards = callsFor({
  status: endpoints.checkInStatus,
  checkIn: endpoints.checkIn,
  month: endpoints.checkInMonth,
});

const mutationKey = ['check-in'] as const;

export function CheckInSection({ timeZone }: { timeZone: string }) {
  const { t } = useTranslation('personal');
  const failureOr = useFailureOr();
  const units = useMoneyUnits();
  const status = useQuery({
    queryKey: ['check-in'],
    queryFn: ({ signal }) => rewards.status({}, { signal }),
    // A page that stays open over midnight offers the new day, also where the machine slept meanwhile.
    refetchInterval: ({ state }) => millisecondsUntil(state.data?.next_time, state.dataUpdatedAt, Date.now()),
    refetchIntervalInBackground: true,
    refetchOnWindowFocus: 'always',
  });
  const checkIn = useMutation({
    mutationKey,
    mutationFn: () => rewards.checkIn(),
    onSuccess: ({ quota }) => {
      toast.success(t('checkIn.success', { amount: formatDollars(quota, units.quotaPerUnit) }));
      void queryClient.invalidateQueries({ queryKey: ['self'] });
    },
    onError: (error) => toast.error(failureOr(error, t('checkIn.failed'))),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['check-in'] }),
  });
  const isDone = status.data?.checked_in_today === true;
  const reward = ({ min_quota, max_quota }: CheckInStatusView) => {
    const [min, max] = [formatQuota(min_quota, units), formatQuota(max_quota, units)];
    return min_quota === max_quota ? t('checkIn.fixedReward', { amount: min }) : t('checkIn.reward', { min, max });
  };
  return (
    <Section
      title={t('checkIn.title')}
      actions={
        <Button
          size="xs"
          loading={checkIn.isPending}
          disabled={status.data?.can_check_in !== true}
          leftSection={isDone ? <IconCheck size={16} stroke={1.75} /> : undefined}
          // The second of two quick presses comes before the button is drawn as busy, and would be refused.
          onClick={() => queryClient.isMutating({ mutationKey }) === 0 && checkIn.mutate()}
        >
          {isDone ? t('checkIn.done') : t('checkIn.now')}
        </Button>
      }
      description={
        status.data && (isDone ? t('checkIn.next', momentIn(timeZone, status.data.next_time)) : reward(status.data))
      }
    >
      {status.isError && <ErrorPanel error={status.error} onRetry={() => void status.refetch()} />}
      <MonthCalendar timeZone={timeZone} />
    </Section>
  );
}

function MonthCalendar({ timeZone }: { timeZone: string }) {
  const { t, i18n } = useTranslation('personal');
  const units = useMoneyUnits();
  const current = monthOf(Date.now(), timeZone);
  const [month, setMonth] = useState(current);
  const answer = useQuery({
    queryKey: ['check-in', 'month', month],
    queryFn: ({ signal }) => rewards.month({ month }, { signal }),
    placeholderData: keepPreviousData,
  });
  const amounts = new Map(
    (answer.data?.stats.records ?? []).map((record) => [record.checkin_date, record.quota_awarded]),
  );
  const first = new Date(`${month}-01T00:00:00Z`);
  const nameOf = (options: Intl.DateTimeFormatOptions, date: Date) =>
    new Intl.DateTimeFormat(i18n.language, { ...options, timeZone: 'UTC' }).format(date);
  // 5 January 1970 was a Monday.
  const weekdays = [0, 1, 2, 3, 4, 5, 6].map((day) => nameOf({ weekday: 'short' }, new Date((4 + day) * 86_400_000)));
  return (
    <div className={classes.calendar}>
      <div className={classes.head}>
        <ActionIcon aria-label={t('checkIn.previous')} onClick={() => setMonth(monthAfter(month, -1))}>
          <IconChevronLeft size={16} stroke={1.75} />
        </ActionIcon>
        <span className={classes.month} aria-live="polite">
          {nameOf({ year: 'numeric', month: 'long' }, first)}
        </span>
        <ActionIcon
          className={classes.step ?? ''}
          aria-label={t('checkIn.following')}
          disabled={month >= current}
          onClick={() => setMonth(monthAfter(month, 1))}
        >
          <IconChevronRight size={16} stroke={1.75} />
        </ActionIcon>
      </div>
      <div className={classes.weekdays} aria-hidden>
        {weekdays.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <ol className={classes.days}>
        {daysOf(month).map(({ date, day, column }) => {
          const amount = amounts.get(date);
          return (
            <li
              key={date}
              className={classes.day}
              title={amount === undefined ? undefined : `+${formatQuota(amount, units)}`}
              data-first={day === 1 ? column : undefined}
              data-done={amount !== undefined || undefined}
            >
              <span>{day}</span>
              {amount !== undefined && <span className={classes.amount}>+{formatQuota(amount, units)}</span>}
            </li>
          );
        })}
      </ol>
      {answer.data && (
        <p className={classes.sum}>
          {t('checkIn.sum', {
            count: answer.data.stats.checkin_count,
            total: answer.data.stats.total_checkins,
            amount: formatQuota(answer.data.stats.total_quota, units),
          })}
        </p>
      )}
    </div>
  );
}
