/** How far a loop of calls is, with its stop and its continuation. */
import { useTranslation } from 'react-i18next';
import type { BatchControl } from '../api/use-batch.ts';
import classes from './batch-progress.module.css';

export function BatchProgressBar<Item>({ batch }: { readonly batch: BatchControl<Item> }) {
  const { t } = useTranslation('list');
  const { progress } = batch;
  if (!progress) return null;
  const { done, total, isRunning, waitSeconds } = progress;
  const text =
    waitSeconds === undefined ? t('batch.progress', { done, total }) : t('batch.waiting', { seconds: waitSeconds });
  return (
    <div className={classes.batch}>
      <progress className={classes.bar} value={done} max={total} aria-label={text} />
      <span className={classes.text} role="status">
        {text}
      </span>
      {isRunning ? (
        <button type="button" className={classes.act} onClick={batch.stop}>
          {t('batch.cancel')}
        </button>
      ) : (
        done < total && (
          <button type="button" className={classes.act} onClick={() => void batch.resume()}>
            {t('batch.resume')}
          </button>
        )
      )}
    </div>
  );
}
