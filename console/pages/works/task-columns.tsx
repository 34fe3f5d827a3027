/** Columns of the task log (console.md 6.16). */
import { useTranslation } from 'react-i18next';
import type { TaskView } from '../../../daemon/contract/works.ts';
import { CopyButton } from '../../components/copy.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { formatTime, shortenMiddle } from '../../components/format.ts';
import { Time } from '../../components/quota.tsx';
import { StatusTag } from '../../components/tag.tsx';
import { type SongPiece, songPieces } from './song-result.ts';
import { channelColumn, durationColumn, progressColumn, textColumn, type WorkColumns } from './work-columns.tsx';
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

const taken = (row: TaskView) => secondsTaken(row.submit_time, row.finish_time, 1);

export function taskColumns(deps: WorkColumns): readonly Column<TaskView>[] {
  const { t, onOpen } = deps;
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
    progressColumn(deps, 'circle'),
    durationColumn(deps, taken),
    ...channelColumn<TaskView>(deps),
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
    textColumn<TaskView>(deps, { key: 'failure', title: t('column.failure'), read: ({ fail_reason }) => fail_reason }),
  ];
}
