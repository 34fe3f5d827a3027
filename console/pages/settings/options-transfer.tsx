/** All options as a file without the secrets, and back: what differs becomes a draft, which is looked at and saved. */
import { Button } from '@mantine/core';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import { showFailure } from '../../api/failures.ts';
import { confirm } from '../../components/confirm.tsx';
import { downloadFile } from '../../components/csv-download.ts';
import { toast } from '../../components/toast.ts';
import { loadPart } from '../../session/late-code.ts';
import classes from './options-transfer.module.css';
import { useProblem, useSettings } from './settings-context.tsx';

const optionsFile = () => loadPart(() => import('./options-file.ts'));

export function OptionsTransfer() {
  const { t } = useTranslation('settings');
  const { rows, board, isRoot } = useSettings();
  const problem = useProblem();
  const picker = useRef<HTMLInputElement>(null);

  const save = async () => {
    const { exportedOptions } = await optionsFile();
    downloadFile('tollgate-options.json', exportedOptions(rows), 'application/json');
  };
  const read = async (file: File) => {
    const { readOptionsFile } = await optionsFile();
    const found = readOptionsFile(await file.text(), rows, {
      isRefused: (key, value) => (!isRoot && rows.get(key)?.class === 'root') || problem(key, value) !== undefined,
    });
    if (!found) {
      toast.error(t('transfer.notRead'));
      return;
    }
    if (found.changes.length === 0) {
      toast.info(t('transfer.same'));
      return;
    }
    const isSure = await confirm({
      kind: 'plain',
      title: t('transfer.title'),
      text: (
        <>
          <span className={classes.line}>{t('transfer.taken', { count: found.changes.length })}</span>
          {found.unknown.length > 0 && (
            <span className={classes.line}>{t('transfer.unknown', { keys: found.unknown.join(', ') })}</span>
          )}
          {found.refused.length > 0 && (
            <span className={classes.line}>{t('transfer.refused', { keys: found.refused.join(', ') })}</span>
          )}
        </>
      ),
      verb: t('transfer.verb', { count: found.changes.length }),
    });
    if (!isSure) return;
    for (const { key, value } of found.changes) board.setDraft(key, value);
  };

  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} stroke={1.75} aria-hidden />}
        onClick={() => void save().catch(showFailure)}
      >
        {t('transfer.export')}
      </Button>
      <Button
        variant="default"
        leftSection={<IconUpload size={16} stroke={1.75} aria-hidden />}
        onClick={() => picker.current?.click()}
      >
        {t('transfer.import')}
      </Button>
      <input
        ref={picker}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label={t('transfer.import')}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          // The same file may be chosen again.
          event.currentTarget.value = '';
          if (file) void read(file).catch(showFailure);
        }}
      />
    </>
  );
}
