/** Columns of the drawing log (console.md 6.15). */
import type { DrawingView } from '../../../daemon/contract/works.ts';
import { CopyText } from '../../components/copy.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { formatTime } from '../../components/format.ts';
import { Time } from '../../components/quota.tsx';
import { StatusTag } from '../../components/tag.tsx';
import { channelColumn, durationColumn, progressColumn, textColumn, type WorkColumns } from './work-columns.tsx';
import { isWebAddress, secondsTaken } from './work-facts.ts';
import classes from './works.module.css';

const taken = (row: DrawingView) => secondsTaken(row.submit_time, row.finish_time, 1000);

export function drawingColumns(deps: WorkColumns): readonly Column<DrawingView>[] {
  const { t, onOpen } = deps;
  return [
    {
      key: 'submitted',
      title: t('column.submitted'),
      cell: ({ submit_time }) => <Time seconds={Math.floor(submit_time / 1000)} />,
      width: 184,
      pin: 'start',
      export: ({ submit_time }) => formatTime(Math.floor(submit_time / 1000)),
    },
    durationColumn(deps, taken),
    ...channelColumn<DrawingView>(deps),
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
    progressColumn(deps, 'bar'),
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
    textColumn<DrawingView>(deps, { key: 'prompt', title: t('column.prompt'), read: ({ prompt }) => prompt }),
    textColumn<DrawingView>(deps, {
      key: 'promptEnglish',
      title: t('column.promptEnglish'),
      read: ({ prompt_en }) => prompt_en,
    }),
    textColumn<DrawingView>(deps, {
      key: 'failure',
      title: t('column.failure'),
      read: ({ fail_reason }) => fail_reason,
    }),
  ];
}
