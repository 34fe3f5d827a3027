import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../components/copy.tsx';
import { downloadCsv, downloadFile } from '../../components/csv-download.ts';
import { Dialog } from '../../components/dialog.tsx';
import classes from './redemptions.module.css';

interface CreatedDialogProps {
  readonly name: string;
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** The new codes, to be taken along. */
export function CreatedDialog({ name, codes, onClose }: CreatedDialogProps) {
  const { t } = useTranslation(['redemptions', 'frame']);
  const copy = useCopy();
  // Names may hold what no file may be called.
  const fileName = name.replaceAll(/[\\/:*?"<>|]/g, '_');
  const saveText = () => {
    downloadFile(`${fileName}.txt`, `${codes.join('\n')}\n`, 'text/plain;charset=utf-8');
    onClose();
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('done.created')}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            {t('frame:action.close')}
          </Button>
          <Button onClick={saveText} data-autofocus>
            {t('frame:action.download')}
          </Button>
        </>
      }
    >
      <div className={classes.stack}>
        <p>{t('created.ask', { name: fileName })}</p>
        {codes.length === 1 && <div className={classes.shown}>{codes[0]}</div>}
        <div className={classes.acts}>
          <Button
            variant="default"
            size="xs"
            onClick={() => void copy(codes.join('\n'), { label: t('done.codes', { count: codes.length }) })}
          >
            {t('created.copyAll')}
          </Button>
          <Button
            variant="default"
            size="xs"
            onClick={() =>
              downloadCsv(fileName, [[t('column.name'), t('column.code')], ...codes.map((code) => [name, code])])
            }
          >
            CSV
          </Button>
          <Button
            variant="default"
            size="xs"
            onClick={() => downloadFile(`${fileName}.json`, JSON.stringify(codes, null, 2), 'application/json')}
          >
            JSON
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
