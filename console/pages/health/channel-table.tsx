/** How the channels answer, what is broken first. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { SystemView } from '../../../daemon/contract/system.ts';
import { DataTable } from '../../components/data-table.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { formatInteger } from '../../components/format.ts';
import { EmptyState } from '../../components/section.tsx';
import { StatusTag } from '../../components/tag.tsx';
import classes from './health.module.css';
import { successRate, worstChannelsFirst } from './health-levels.ts';
import { SuccessTag } from './level-tag.tsx';
import type { TableState } from './table-state.ts';
import { TableTitle } from './table-title.tsx';

type ChannelHealth = SystemView['channels'][number];

const rateText = (calls: ChannelHealth['last_hour']): string => String(successRate(calls) ?? '');

export function ChannelTable({
  channels,
  state,
}: {
  readonly channels: readonly ChannelHealth[];
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
        cell: ({ status }) => <StatusTag kind="channelStatus" value={status} />,
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
        key: 'calls',
        title: t('channel.calls'),
        align: 'right',
        cell: ({ last_day }) => formatInteger(last_day.requests + last_day.failures),
        export: ({ last_day }) => last_day.requests + last_day.failures,
      },
      {
        key: 'failures',
        title: t('channel.failures'),
        align: 'right',
        card: 'meta',
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
    [t],
  );
  return (
    <DataTable
      label={t('section.channels')}
      rows={rows}
      rowKey={({ id }) => String(id)}
      columns={columns}
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
