/** Columns of the task log (console.md 6.16). */
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { TaskView } from '../../../daemon/contract/works.ts';
import { CopyButton } from '../../components/copy.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { formatTime, shortenMiddle } from '../../components/format.ts';
import { Time } from '../../components/quota.tsx';
import { StatusTag } from '../../components/tag.tsx';
import { type SongPiece, songPieces } from './song-result.ts';
import { ChannelId, CutText, Progress, Taken } from './work-cells.tsx';
import type { Opened } from './work-dialogs.tsx';
import { secondsTaken } from './work-facts.ts';
import classes from './works.module.css';

interface ResultProps {
  readonly pieces: readonly SongPiece[];
  readonly onOpen: (opened: Opened) => void;
}

function Result({ pieces, onOpen }: ResultProps) {
  const { t } = useTranslation('works');
  if (pieces.length === 0) return <span className={classes.dim}>—</span>;
  const isHeard = pieces.some(({ audio }) => audio !== '');
  return (
    <button type="button" className={classes.open} onClick={() => onOpen({ kind: 'songs', pieces })}>
      {isHeard ? t('song.listen') : t('song.read')}
    </button>
  );
}

interface ColumnsDeps {
  readonly t: TFunction<'works'>;
  readonly isAdmin: boolean;
  readonly onOpen: (opened: Opened) => void;
}

const taken = (row: TaskView) => secondsTaken(row.submit_time, row.finish_time, 1);

export function taskColumns({ t, isAdmin, onOpen }: ColumnsDeps): readonly Column<TaskView>[] {
  const channel: Column<TaskView> = {
    key: 'channel',
    title: t('column.channel'),
    cell: ({ channel_id }) => <ChannelId id={channel_id} />,
    export: ({ channel_id }) => channel_id,
  };
  return [
    {
      key: 'submitted',
      title: t('column.submitted'),
      cell: ({ submit_time }) => <Time seconds={submit_time} />,
      width: 184,
      pin: 'start',
      card: 'meta',
      export: ({ submit_time }) => formatTime(submit_time),
    },
    {
      key: 'finished',
      title: t('column.finished'),
      cell: ({ finish_time }) =>
        finish_time > 0 ? <Time seconds={finish_time} /> : <span className={classes.dim}>—</span>,
      export: ({ finish_time }) => (finish_time > 0 ? formatTime(finish_time) : ''),
    },
    {
      key: 'progress',
      title: t('column.progress'),
      cell: ({ progress, status }) => <Progress progress={progress} isFailed={status === 'FAILURE'} shape="circle" />,
      card: 'figure',
      export: ({ progress }) => progress,
    },
    {
      key: 'duration',
      title: t('column.duration'),
      cell: (row) => <Taken seconds={taken(row)} />,
      export: (row) => taken(row) ?? '',
    },
    ...(isAdmin ? [channel] : []),
    {
      key: 'platform',
      title: t('column.platform'),
      cell: ({ platform }) => <StatusTag kind="taskPlatform" value={platform} />,
      export: ({ platform }) => platform,
    },
    {
      key: 'action',
      title: t('column.action'),
      cell: ({ action }) => <StatusTag kind="taskAction" value={action} />,
      card: 'title',
      export: ({ action }) => action,
    },
    {
      key: 'task',
      title: t('column.task'),
      cell: (row) => (
        <span className={classes.task}>
          <button
            type="button"
            className={classes.open}
            title={row.task_id}
            onClick={() => onOpen({ kind: 'json', value: row })}
          >
            <code>{shortenMiddle(row.task_id)}</code>
          </button>
          <CopyButton value={row.task_id} />
        </span>
      ),
      card: 'figure',
      export: ({ task_id }) => task_id,
    },
    {
      key: 'status',
      title: t('column.status'),
      cell: ({ status }) => <StatusTag kind="taskStatus" value={status} />,
      card: 'status',
      export: ({ status }) => status,
    },
    {
      key: 'result',
      title: t('column.result'),
      cell: ({ data }) => <Result pieces={songPieces(data)} onOpen={onOpen} />,
      card: 'figure',
      export: ({ data }) =>
        songPieces(data)
          .flatMap(({ audio }) => (audio === '' ? [] : audio))
          .join(' '),
    },
    {
      key: 'failure',
      title: t('column.failure'),
      cell: ({ fail_reason }) => (
        <CutText
          text={fail_reason}
          onOpen={() => onOpen({ kind: 'text', title: t('column.failure'), text: fail_reason })}
        />
      ),
      export: ({ fail_reason }) => fail_reason,
    },
  ];
}
