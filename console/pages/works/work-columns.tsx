/** Columns that both lists of works have. */
import type { TFunction } from 'i18next';
import type { Column } from '../../components/data-table-types.ts';
import { ChannelId, CutText, Progress, Taken } from './work-cells.tsx';
import type { Opened } from './work-dialogs.tsx';

export interface WorkColumns {
  readonly t: TFunction<'works'>;
  readonly isAdmin: boolean;
  readonly onOpen: (opened: Opened) => void;
}

/** Users are not told which channel it was. */
export function channelColumn<Row extends { readonly channel_id: number }>({ t, isAdmin }: WorkColumns): Column<Row>[] {
  if (!isAdmin) return [];
  return [
    {
      key: 'channel',
      title: t('column.channel'),
      cell: ({ channel_id }) => <ChannelId id={channel_id} />,
      export: ({ channel_id }) => channel_id,
    },
  ];
}

/** @param taken seconds; undefined while the work goes on */
export function durationColumn<Row>({ t }: WorkColumns, taken: (row: Row) => number | undefined): Column<Row> {
  return {
    key: 'duration',
    title: t('column.duration'),
    cell: (row) => <Taken seconds={taken(row)} />,
    export: (row) => taken(row) ?? '',
  };
}

export function progressColumn<Row extends { readonly progress: string; readonly status: string }>(
  { t }: WorkColumns,
  shape: 'bar' | 'circle',
): Column<Row> {
  return {
    key: 'progress',
    title: t('column.progress'),
    cell: ({ progress, status }) => <Progress progress={progress} isFailed={status === 'FAILURE'} shape={shape} />,
    card: 'figure',
    export: ({ progress }) => progress,
  };
}

/** A text of which the beginning is shown. */
export function textColumn<Row>(
  { onOpen }: WorkColumns,
  { key, title, read }: { readonly key: string; readonly title: string; readonly read: (row: Row) => string },
): Column<Row> {
  return {
    key,
    title,
    cell: (row) => <CutText text={read(row)} onOpen={() => onOpen({ kind: 'text', title, text: read(row) })} />,
    export: read,
  };
}
