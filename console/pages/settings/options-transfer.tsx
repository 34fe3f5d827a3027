/** All options as a file without the secrets, and back: what differs becomes a draft, which is looked at and saved. */
import { Button } from '@mantine/core';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import { showFailure } from '../../api/failures.ts';
import { loadPart } from '../../session/late-code.ts';
import { useProblem, useSettings } from './settings-context.tsx';

const exchange = () => loadPart(() => import('./options-exchange.tsx'));

export function OptionsTransfer() {
  const { t } = useTranslation('settings');
  const settings = useSettings();
  const problem = useProblem();
  const picker = useRef<HTMLInputElement>(null);

  const save = async () => (await exchange()).saveOptionsFile(settings);
  const read = async (file: File) => (await exchange()).takeOptionsFile(file, settings, { problem, t });

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
