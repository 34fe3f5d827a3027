/** Channels as a file, those of the filter or those selected. */
import { Button, Checkbox, Radio, SegmentedControl } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Radio.css';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFailures } from '../../api/failures.ts';
import { Dialog } from '../../components/section.tsx';
import { channels } from './channel-calls.ts';
import { saveFile } from './save-file.ts';
import classes from './tools.module.css';
import { askedStatus, type ChannelFilters } from './use-channels.ts';

export interface ExportDialogProps {
  readonly filters: ChannelFilters;
  /** Those selected. */
  readonly ids: readonly number[];
  readonly onClose: () => void;
}

const formats = ['json', 'ndjson', 'csv'] as const;
type Format = (typeof formats)[number];
/** The list of ids goes in the address. */
const mostIds = 500;

export function ExportDialog({ filters, ids, onClose }: ExportDialogProps) {
  const { t } = useTranslation(['channel-tools', 'frame']);
  const failure = useFailures();
  const canSelect = ids.length > 0 && ids.length <= mostIds;
  const [format, setFormat] = useState<Format>('json');
  const [hasKeys, setKeys] = useState(false);
  const [which, setWhich] = useState<'all' | 'filter' | 'selected'>(canSelect ? 'selected' : 'all');
  const [error, setError] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const { type, group, status } = filters;
  const isFiltered = type !== '' || group !== '' || status !== '';
  const run = async () => {
    setSaving(true);
    setError(undefined);
    try {
      const response = await channels.export({
        format,
        keys: hasKeys,
        ...(which === 'selected' ? { ids: ids.join(',') } : {}),
        ...(which === 'filter' ? { type, group, status: askedStatus(status) } : {}),
      });
      await saveFile(response, `channels.${format}`);
      onClose();
    } catch (refusal) {
      setError(failure(refusal));
      setSaving(false);
    }
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      isSending={isSaving}
      title={t('export.title')}
      footer={
        <>
          <Button variant="default" onClick={onClose} disabled={isSaving}>
            {t('frame:action.cancel')}
          </Button>
          <Button onClick={run} loading={isSaving}>
            {t('export.run')}
          </Button>
        </>
      }
    >
      <div className={classes.panel}>
        {(isFiltered || canSelect) && (
          <Radio.Group
            label={t('export.which')}
            value={which}
            onChange={(value) => setWhich(value === 'selected' || value === 'filter' ? value : 'all')}
          >
            <div className={classes.choices}>
              <Radio value="all" label={t('export.all')} />
              {isFiltered && <Radio value="filter" label={t('export.filter')} />}
              {canSelect && <Radio value="selected" label={t('export.selected', { count: ids.length })} />}
            </div>
          </Radio.Group>
        )}
        <SegmentedControl
          aria-label={t('export.format')}
          value={format}
          onChange={(value) => setFormat(formats.find((one) => one === value) ?? 'json')}
          data={formats.map((value) => ({ value, label: value.toUpperCase() }))}
        />
        <Checkbox
          label={t('export.keys')}
          description={t('export.keysHelp')}
          checked={hasKeys}
          onChange={(event) => setKeys(event.currentTarget.checked)}
        />
        {error !== undefined && (
          <p className={classes.refusal} role="alert">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}
