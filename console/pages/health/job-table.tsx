/** What runs in the background, failures first. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { NodeView } from '../../../daemon/contract/system.ts';
import { DataTable } from '../../components/data-table.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { formatDuration, formatTime, shortenMiddle } from '../../components/format.ts';
import { Time } from '../../components/quota.tsx';
import { EmptyState } from '../../components/section.tsx';
import { Tag } from '../../components/tag.tsx';
import classes from './health.module.css';
import { type JobRow, jobRows } from './health-levels.ts';
import type { TableState } from './table-state.ts';
import { TableTitle } from './table-title.tsx';

const outcomeTones = { never: 'grey', done: 'green', failed: 'red', elsewhere: 'blue' } as const;

/** Those with a name in the catalogue; a newer daemon may have others. */
const knownJobs: readonly string[] = [
  'alert-channel-balance',
  'alert-error-rate',
  'channel-balance',
  'channel-key-use',
  'channel-test',
  'drawing-follow-up',
  'heartbeat',
  'hold-retention',
  'hold-sweeper',
  'hourly-usage',
  'log-sums',
  'notice-marks',
  'order-expiry',
  'retention',
  'session-cleanup',
  'song-follow-up',
  'stored-responses',
];

function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : formatDuration(ms / 1000);
}

export function JobTable({ nodes, state }: { readonly nodes: readonly NodeView[]; readonly state: TableState }) {
  const { t } = useTranslation('health');
  const rows = useMemo(() => jobRows(nodes), [nodes]);
  const hasNodes = nodes.length > 1;
  const columns = useMemo<readonly Column<JobRow>[]>(
    () => [
      {
        key: 'name',
        title: t('job.column.name'),
        card: 'title',
        cell: ({ name }) => <span title={name}>{knownJobs.includes(name) ? t(`job.name.${name}`) : name}</span>,
        export: ({ name }) => name,
      },
      ...(hasNodes
        ? [
            {
              key: 'node',
              title: t('node.id'),
              card: 'meta',
              cell: ({ node }: JobRow) => <code title={node}>{shortenMiddle(node, 20)}</code>,
              export: ({ node }: JobRow) => node,
            } as const,
          ]
        : []),
      {
        key: 'last',
        title: t('job.column.last'),
        card: 'meta',
        cell: ({ last_at }) => <Time seconds={last_at} />,
        export: ({ last_at }) => (last_at === 0 ? '' : formatTime(last_at)),
      },
      {
        key: 'duration',
        title: t('job.column.duration'),
        align: 'right',
        card: 'figure',
        cell: ({ last_at, last_ms }) =>
          last_at === 0 ? '—' : <span className={classes.figure}>{duration(last_ms)}</span>,
        export: ({ last_ms }) => last_ms,
      },
      {
        key: 'outcome',
        title: t('job.column.outcome'),
        card: 'status',
        cell: ({ outcome }) => (
          <Tag tone={outcomeTones[outcome]} dot>
            {t(`job.outcome.${outcome}`)}
          </Tag>
        ),
        export: ({ outcome }) => outcome,
      },
      {
        key: 'next',
        title: t('job.column.next'),
        cell: ({ next_at }) => (next_at === 0 ? t('job.now') : <Time seconds={next_at} />),
        export: ({ next_at }) => (next_at === 0 ? '' : formatTime(next_at)),
      },
    ],
    [t, hasNodes],
  );
  return (
    <DataTable
      label={t('section.jobs')}
      rows={rows}
      rowKey={({ node, name }) => `${node}/${name}`}
      columns={columns}
      state={state}
      toolbar={<TableTitle title={t('section.jobs')} />}
      empty={<EmptyState text={t('job.none')} />}
      storageKey="columns:jobs"
    />
  );
}
