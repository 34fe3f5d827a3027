/** Columns of the drawing log (console.md 6.15). */
import type { TFunction } from 'i18next';
import type { DrawingView } from '../../../daemon/contract/works.ts';
import { CopyText } from '../../components/copy.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { formatTime } from '../../components/format.ts';
import { Time } from '../../components/quota.tsx';
import { StatusTag } from '../../components/tag.tsx';
import { ChannelId, CutText, Progress, Taken } from './work-cells.tsx';
import type { Opened } from './work-dialogs.tsx';
import { isWebAddress, secondsTaken } from './work-facts.ts';
import classes from './works.module.css';

interface ColumnsDeps {
  readonly t: TFunction<'works'>;
  readonly isAdmin: boolean;
  readonly onOpen: (opened: Opened) => void;
}

const taken = (row: DrawingView) => secondsTaken(row.submit_time, row.finish_time, 1000);

export function drawingColumns({ t, isAdmin, onOpen }: ColumnsDeps): readonly Column<DrawingView>[] {
  const text = (key: string, title: string, read: (row: DrawingView) => string): Column<DrawingView> => ({
    key,
    title,
    cell: (row) => <CutText text={read(row)} onOpen={() => onOpen({ kind: 'text', title, text: read(row) })} />,
    export: read,
  });
  const channel: Column<DrawingView> = {
    key: 'channel',
    title: t('column.channel'),
    cell: ({ channel_id }) => <ChannelId id={channel_id} />,
    export: ({ channel_id }) => channel_id,
  };
  return [
    {
      key: 'submitted',
      title: t('column.submitted'),
      cell: ({ submit_time }) => <Time seconds={Math.floor(submit_time / 1000)} />,
      width: 184,
      pin: 'start',
      export: ({ submit_time }) => formatTime(Math.floor(submit_time / 1000)),
    },
    {
      key: 'duration',
      title: t('column.duration'),
      cell: (row) => <Taken seconds={taken(row)} />,
      export: (row) => taken(row) ?? '',
    },
    ...(isAdmin ? [channel] : []),
    {
      key: 'action',
      title: t('column.action'),
      cell: ({ action }) => <StatusTag kind="drawingAction" value={action} />,
      card: 'title',
      export: ({ action }) => action,
    },
    {
      key: 'task',
      title: t('column.task'),
      cell: ({ mj_id }) => (mj_id === '' ? null : <CopyText value={mj_id} isCut />),
      export: ({ mj_id }) => mj_id,
    },
    {
      key: 'code',
      title: t('column.code'),
      cell: ({ code }) => <StatusTag kind="drawingCode" value={code} />,
      export: ({ code }) => code,
    },
    {
      key: 'status',
      title: t('column.status'),
      cell: ({ status }) => <StatusTag kind="drawingStatus" value={status} />,
      card: 'status',
      export: ({ status }) => status,
    },
    {
      key: 'progress',
      title: t('column.progress'),
      cell: ({ progress, status }) => <Progress progress={progress} isFailed={status === 'FAILURE'} shape="bar" />,
      card: 'figure',
      export: ({ progress }) => progress,
    },
    {
      key: 'image',
      title: t('column.image'),
      cell: ({ image_url, prompt }) =>
        isWebAddress(image_url) ? (
          <button
            type="button"
            className={classes.open}
            onClick={() => onOpen({ kind: 'image', url: image_url, prompt })}
          >
            {t('image.view')}
          </button>
        ) : (
          <span className={classes.dim}>{t('image.none')}</span>
        ),
      card: 'figure',
      export: ({ image_url }) => image_url,
    },
    text('prompt', t('column.prompt'), ({ prompt }) => prompt),
    text('promptEnglish', t('column.promptEnglish'), ({ prompt_en }) => prompt_en),
    text('failure', t('column.failure'), ({ fail_reason }) => fail_reason),
  ];
}
