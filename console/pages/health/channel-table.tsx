/** How the channels answer, what is broken first. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { SystemView } from '../../../daemon/contract/system.ts';
import { DataTable } from '../../components/data-table.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { formatInteger } from '../../components/format.ts';
import { EmptyState } from '../../components/section.tsx';
import { StatusTag, Tag } from '../../components/tag.tsx';
import classes from './health.module.css';
import { type ChannelLatency, percentilesText, successRate, worstChannelsFirst } from './health-levels.ts';
import { ErrorTags, ModelLatency } from './latency.tsx';
import { SuccessTag } from './level-tag.tsx';
import type { TableState } from './table-state.ts';
import { TableTitle } from './table-title.tsx';

type ChannelHealth = SystemView['channels'][number];

const rateText = (calls: ChannelHealth['last_hour']): string => String(successRate(calls) ?? '');

export function ChannelTable({
  channels,
  latency,
  state,
}: {
  readonly channels: readonly ChannelHealth[];
  /** Of the last hour; channels without calls are absent. */
  readonly latency: ReadonlyMap<number, ChannelLatency>;
  readonly state: TableState;
}) {
  const { t } = useTranslation('health');
  const rows = useMemo(() => worstChannelsFirst(channels), [channels]);
  const columns = useMemo<readonly Column<ChannelHealth>[]>(
    () => [
      {
        key: 'name',
        title: t('channel.name'),
        card: 'title',
        cell: ({ id, name }) => (
          <Link className={classes.name ?? ''} to={`/channel/edit/${id}`}>
            {name}
          </Link>
        ),
        export: ({ name }) => name,
      },
      {
        key: 'status',
        title: t('channel.status'),
        card: 'status',
        cell: ({ status, cooling }) => (
          <span className={classes.links}>
            <StatusTag kind="channelStatus" value={status} />
            {cooling > 0 && <Tag tone="cyan">{t('channel.cooling', { seconds: cooling })}</Tag>}
          </span>
        ),
        export: ({ status }) => status,
      },
      {
        key: 'hour',
        title: t('channel.hour'),
        align: 'right',
        card: 'figure',
        cell: ({ last_hour }) => <SuccessTag calls={last_hour} />,
        export: ({ last_hour }) => rateText(last_hour),
      },
      {
        key: 'day',
        title: t('channel.day'),
        align: 'right',
        card: 'figure',
        cell: ({ last_day }) => <SuccessTag calls={last_day} />,
        export: ({ last_day }) => rateText(last_day),
      },
      {
        key: 'first',
        title: t('latency.first'),
        align: 'right',
        cell: ({ id }) => <span className={classes.figure}>{percentilesText(latency.get(id)?.whole.first_token)}</span>,
        export: ({ id }) => percentilesText(latency.get(id)?.whole.first_token),
      },
      {
        key: 'duration',
        title: t('latency.whole'),
        align: 'right',
        card: 'figure',
        cell: ({ id }) => <span className={classes.figure}>{percentilesText(latency.get(id)?.whole.duration)}</span>,
        export: ({ id }) => percentilesText(latency.get(id)?.whole.duration),
      },
      {
        key: 'errors',
        title: t('latency.errors'),
        cell: ({ id }) => <ErrorTags errors={latency.get(id)?.whole.errors} />,
        export: ({ id }) =>
          (latency.get(id)?.whole.errors ?? [])
            .map(({ class: name, count }) => `${t(`error.${name}`)} ${count}`)
            .join(', '),
      },
      {
        key: 'calls',
        title: t('channel.calls'),
        align: 'right',
        isOptional: true,
        cell: ({ last_day }) => formatInteger(last_day.requests + last_day.failures),
        export: ({ last_day }) => last_day.requests + last_day.failures,
      },
      {
        key: 'failures',
        title: t('channel.failures'),
        align: 'right',
        cell: ({ id, last_day }) =>
          last_day.failures === 0 ? (
            '0'
          ) : (
            <Link
              to={`/log?channel=${id}&failed=true&range=24h`}
              aria-label={t('channel.failuresOf', { count: last_day.failures })}
            >
              {formatInteger(last_day.failures)}
            </Link>
          ),
        export: ({ last_day }) => last_day.failures,
      },
    ],
    [t, latency],
  );
  return (
    <DataTable
      label={t('section.channels')}
      rows={rows}
      rowKey={({ id }) => String(id)}
      columns={columns}
      expand={({ id }) => <ModelLatency models={latency.get(id)?.models ?? []} />}
      state={state}
      toolbar={<TableTitle title={t('section.channels')} hint={t('channel.hint')} />}
      empty={
        <EmptyState text={t('channel.none')}>
          <Link to="/channel/add">{t('channel.add')}</Link>
        </EmptyState>
      }
      storageKey="columns:channel-health"
    />
  );
}
