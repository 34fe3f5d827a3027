import { useTranslation } from 'react-i18next';
import { CopyText } from './copy.tsx';
import type { Toast } from './toast.ts';
import classes from './toast-body.module.css';

/** Text, counter, request id and undo of a toast. */
export function ToastBody({ toast, count, onClose }: { toast: Toast; count: number; onClose: () => void }) {
  const { t } = useTranslation(['components', 'frame']);
  const { text, requestId, undo, extra } = toast;
  return (
    <div className={classes.body}>
      <span className={classes.text}>
        {text}
        {count > 1 && <span className={classes.count}> ×{count}</span>}
      </span>
      {extra}
      {requestId && <CopyText value={requestId} label={t('toast.requestId')} />}
      {undo && (
        <button
          type="button"
          className={classes.undo}
          onClick={() => {
            onClose();
            void undo();
          }}
        >
          {t('frame:action.undo')}
        </button>
      )}
    </div>
  );
}
