/** The nodes that share the database, as of their last heartbeat. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { NodeView } from '../../../daemon/contract/system.ts';
import { DataTable } from '../../components/data-table.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { formatBytes, formatInteger, formatTime, shortenMiddle } from '../../components/format.ts';
import { Time } from '../../components/quota.tsx';
import { EmptyState } from '../../components/section.tsx';
import { Tag } from '../../components/tag.tsx';
import classes from './health.module.css';
import { limits } from './health-levels.ts';
import { LimitTag } from './level-tag.tsx';
import type { TableState } from './table-state.ts';
import { TableTitle } from './table-title.tsx';

export function NodeTable({ nodes, state }: { readonly nodes: readonly NodeView[]; readonly state: TableState }) {
  const { t } = useTranslation('health');
  const columns = useMemo<readonly Column<NodeView>[]>(
    () => [
      {
        key: 'id',
        title: t('node.id'),
        card: 'title',
        cell: ({ id, address, role }) => (
          <span className={classes.name} title={`${id} · ${address}`}>
            <code>{shortenMiddle(id, 20)}</code> <span className={classes.dim}>{t(`role.${role}`)}</span>
          </span>
        ),
        export: ({ id }) => id,
      },
      {
        key: 'alive',
        title: t('node.state'),
        card: 'status',
        cell: ({ alive, heartbeat_at }) => (
          <Tag
            tone={alive ? 'green' : 'red'}
            dot
            title={t('node.heartbeat', { time: heartbeat_at === 0 ? '—' : formatTime(heartbeat_at) })}
          >
            {alive ? t('state.alive') : t('state.silent')}
          </Tag>
        ),
        export: ({ alive }) => String(alive),
      },
      { key: 'version', title: t('part.version'), cell: ({ version }) => version, export: ({ version }) => version },
      {
        key: 'started',
        title: t('node.started'),
        cell: ({ started_at }) => <Time seconds={started_at} />,
        export: ({ started_at }) => formatTime(started_at),
      },
      {
        key: 'cpu',
        title: 'CPU',
        align: 'right',
        card: 'figure',
        cell: ({ cpu_percent }) => <LimitTag value={cpu_percent} limits={limits.cpuPercent} unit="%" />,
        export: ({ cpu_percent }) => cpu_percent,
      },
      {
        key: 'memory',
        title: t('node.memory'),
        align: 'right',
        card: 'figure',
        cell: ({ memory_bytes }) => <span className={classes.figure}>{formatBytes(memory_bytes)}</span>,
        export: ({ memory_bytes }) => memory_bytes,
      },
      {
        key: 'running',
        title: t('node.running'),
        align: 'right',
        card: 'figure',
        cell: ({ running }) => formatInteger(running),
        export: ({ running }) => running,
      },
      {
        key: 'perMinute',
        title: t('node.perMinute'),
        align: 'right',
        cell: ({ calls_per_second }) => formatInteger(Math.round(calls_per_second * 60)),
        export: ({ calls_per_second }) => Math.round(calls_per_second * 60),
      },
      {
        key: 'delay',
        title: t('node.delay'),
        align: 'right',
        cell: ({ loop_delay_ms }) => <LimitTag value={loop_delay_ms} limits={limits.loopDelayMs} unit=" ms" />,
        export: ({ loop_delay_ms }) => loop_delay_ms,
      },
      {
        key: 'revision',
        title: t('node.revision'),
        align: 'right',
        cell: ({ revision }) => formatInteger(revision),
        export: ({ revision }) => revision,
      },
      {
        key: 'lag',
        title: t('node.lag'),
        align: 'right',
        cell: ({ lag }) => <LimitTag value={lag} limits={limits.lag} unit="" />,
        export: ({ lag }) => lag,
      },
    ],
    [t],
  );
  return (
    <DataTable
      label={t('section.nodes')}
      rows={nodes}
      rowKey={({ id }) => id}
      columns={columns}
      state={state}
      toolbar={<TableTitle title={t('section.nodes')} />}
      empty={<EmptyState text={t('node.none')} />}
      storageKey="columns:nodes"
    />
  );
}
