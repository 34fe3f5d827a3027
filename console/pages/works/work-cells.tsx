/** Cells that drawings and tasks have alike. */
import { useTranslation } from 'react-i18next';
import { CopyText } from '../../components/copy.tsx';
import { formatDuration } from '../../components/format.ts';
import { Tag } from '../../components/tag.tsx';
import { cutText, durationTone, percentOf } from './work-facts.ts';
import classes from './works.module.css';

/** @param seconds undefined while the work is not finished */
export function Taken({ seconds }: { readonly seconds: number | undefined }) {
  if (seconds === undefined) return <span className={classes.dim}>—</span>;
  return <Tag tone={durationTone(seconds)}>{formatDuration(seconds)}</Tag>;
}

/** The id of a channel, copied by a click. */
export function ChannelId({ id }: { readonly id: number }) {
  return id > 0 ? <CopyText value={String(id)} /> : null;
}

interface ProgressProps {
  readonly progress: string;
  readonly isFailed: boolean;
  readonly shape: 'bar' | 'circle';
}

/** How far a work is, with its number beside it. */
export function Progress({ progress, isFailed, shape }: ProgressProps) {
  const { t } = useTranslation('works');
  const percent = percentOf(progress);
  if (percent === undefined) return progress === '' ? <span className={classes.dim}>—</span> : progress;
  return (
    <span className={classes.progress}>
      <span
        role="progressbar"
        aria-label={t('column.progress')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className={classes[shape]}
        data-failed={isFailed || undefined}
        style={{ '--share': `${percent}%` } as React.CSSProperties} // the type does not know variables
      />
      <span className={classes.percent}>{Math.round(percent)}%</span>
    </span>
  );
}

/** The beginning of a text; a click shows all of it. */
export function CutText({ text, onOpen }: { readonly text: string; readonly onOpen: () => void }) {
  if (text === '') return <span className={classes.dim}>—</span>;
  return (
    <button type="button" className={classes.open} onClick={onOpen}>
      {cutText(text)}
    </button>
  );
}
