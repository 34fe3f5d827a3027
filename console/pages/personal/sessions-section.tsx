/** Where the account is signed in. */
import { Button, Skeleton } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Skeleton.css';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { sessions as endpoints, type SessionView } from '../../../daemon/contract/sessions.ts';
import { callsFor } from '../../api/client.ts';
import { showFailure } from '../../api/failures.ts';
import { queryClient } from '../../api/query-client.ts';
import { confirm } from '../../components/confirm.tsx';
import { formatRelative, formatTime } from '../../components/format.ts';
import { ErrorPanel, Section } from '../../components/section.tsx';
import { Tag } from '../../components/tag.tsx';
import { toast } from '../../components/toast.ts';
import { deviceOf } from './device.ts';
import classes from './personal-page.module.css';

const sessions = callsFor(endpoints);

export function SessionsSection() {
  const { t } = useTranslation('personal');
  const list = useQuery({ queryKey: ['sessions'], queryFn: ({ signal }) => sessions.list({}, { signal }) });
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['sessions'] });
  const end = useMutation({
    mutationFn: (session: string) => sessions.end({ session }),
    onSuccess: () => toast.success(t('sessions.ended', { count: 1 })),
    onError: showFailure,
    onSettled: refresh,
  });
  const endOthers = useMutation({
    mutationFn: () => sessions.endAll({ others: true }),
    onSuccess: ({ ended }) => toast.success(t('sessions.ended', { count: ended })),
    onError: showFailure,
    onSettled: refresh,
  });
  const others = list.data?.filter((session) => !session.current) ?? [];
  const askForOthers = async () => {
    const isSure = await confirm({
      kind: 'danger',
      title: t('sessions.question', { count: others.length }),
      text: t('sessions.consequence'),
      verb: t('sessions.endOthers'),
    });
    if (isSure) endOthers.mutate();
  };
  return (
    <Section
      title={t('sessions.title')}
      actions={
        others.length > 0 && (
          <Button variant="default" size="xs" loading={endOthers.isPending} onClick={() => void askForOthers()}>
            {t('sessions.endOthers')}
          </Button>
        )
      }
    >
      {list.isPending && <Skeleton height={56} />}
      {list.isError && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      <ul className={classes.rows}>
        {list.data?.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            isEnding={end.isPending && end.variables === session.id}
            onEnd={() => end.mutate(session.id)}
          />
        ))}
      </ul>
    </Section>
  );
}

interface SessionRowProps {
  readonly session: SessionView;
  readonly isEnding: boolean;
  readonly onEnd: () => void;
}

function SessionRow({ session, isEnding, onEnd }: SessionRowProps) {
  const { t, i18n } = useTranslation('personal');
  const { program, system, isHandheld } = deviceOf(session.user_agent);
  const Icon = isHandheld ? IconDeviceMobile : IconDeviceDesktop;
  const name = [program, system].filter((part) => part !== '').join(' · ') || t('sessions.unknownDevice');
  return (
    <li className={classes.row}>
      <span className={classes.rowMark}>
        <Icon size={20} stroke={1.75} aria-hidden />
      </span>
      <div className={classes.rowText}>
        <div className={classes.marks}>
          <span className={classes.rowName} title={session.user_agent}>
            {name}
          </span>
          {session.current && <Tag tone="green">{t('sessions.current')}</Tag>}
        </div>
        <div className={classes.rowValue} title={t('sessions.since', { time: formatTime(session.created_at) })}>
          {t('sessions.seen', {
            address: session.ip,
            time: formatRelative(session.last_seen_at, Date.now() / 1000, i18n.language),
          })}
        </div>
      </div>
      {!session.current && (
        <Button
          variant="default"
          size="xs"
          loading={isEnding}
          aria-label={t('sessions.endOne', { device: name, address: session.ip })}
          onClick={onEnd}
        >
          {t('sessions.end')}
        </Button>
      )}
    </li>
  );
}
