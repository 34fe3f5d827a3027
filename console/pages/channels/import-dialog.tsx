/** Channels out of a file: first what would happen, then, confirmed, that it happens (console.md 6.9 "Import/export"). */
import { Button, Select, Textarea } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clashRules, type ImportAnswer } from '../../../daemon/contract/channel-transfer.ts';
import { useFailures } from '../../api/failures.ts';
import { randomId } from '../../components/random-id.ts';
import { Dialog } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { useAskedClose } from '../../components/use-asked-close.ts';
import { channels, upstreamWait } from './channel-calls.ts';
import { type ImportFault, readImport } from './import-file.ts';
import { ImportPreview } from './import-preview.tsx';
import classes from './tools.module.css';
import { refreshRows } from './use-channels.ts';

type ClashRule = (typeof clashRules)[number];

export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(['channel-tools', 'components', 'frame']);
  const client = useQueryClient();
  const failure = useFailures();
  const [text, setText] = useState('');
  const [rule, setRule] = useState<ClashRule>('fail');
  const [preview, setPreview] = useState<ImportAnswer>();
  const [error, setError] = useState<string>();
  const [running, setRunning] = useState<'preview' | 'import'>();
  // What was asked about a text or a rule that is no longer there is never shown as the preview of what is.
  const asked = useRef<AbortController>(undefined);
  // One key for what the preview showed: a second click never makes a second batch.
  const once = useRef('');
  const forget = () => {
    asked.current?.abort();
    setPreview(undefined);
    setError(undefined);
  };
  const change = (next: string) => {
    forget();
    setText(next);
  };
  const read = async (file: File | undefined) => file && running !== 'import' && change(await file.text());
  const faultText = (fault: ImportFault): string => {
    if (fault.kind === 'json') return t('components:json.mistake', { ...fault });
    return fault.kind === 'member' ? t('import.badMember', { ...fault }) : t('import.unreadable');
  };
  const run = async (isDry: boolean) => {
    const source = readImport(text);
    if ('kind' in source) {
      setError(faultText(source));
      return;
    }
    const call = new AbortController();
    if (isDry) asked.current = call;
    setRunning(isDry ? 'preview' : 'import');
    setError(undefined);
    try {
      if (isDry) once.current = randomId();
      const answer = await channels.import(
        { ...source, on_clash: rule, dry_run: isDry },
        { ...upstreamWait, signal: call.signal, ...(isDry ? {} : { idempotencyKey: once.current }) },
      );
      if (call.signal.aborted) return;
      if (isDry || !answer.success) setPreview(answer);
      else {
        toast.success(t('import.done', { created: answer.created, updated: answer.updated }));
        void refreshRows(client);
        onClose();
      }
    } catch (refusal) {
      if (!call.signal.aborted) setError(failure(refusal));
    } finally {
      setRunning(undefined);
    }
  };
  const close = useAskedClose(text.trim() !== '', onClose);
  const changes = preview?.success ? preview.created + preview.updated : 0;
  return (
    <Dialog
      opened
      onClose={close}
      isSending={running === 'import'}
      title={t('import.title')}
      size={860}
      footer={
        <>
          <Button variant="default" onClick={close} disabled={running === 'import'}>
            {t('frame:action.cancel')}
          </Button>
          <Button
            variant={changes > 0 ? 'default' : 'filled'}
            onClick={() => run(true)}
            loading={running === 'preview'}
            disabled={text.trim() === '' || running === 'import'}
          >
            {t('import.preview')}
          </Button>
          {changes > 0 && (
            <Button onClick={() => run(false)} loading={running === 'import'} disabled={running === 'preview'}>
              {t('import.run', { count: changes })}
            </Button>
          )}
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the field for files beside it does the same */}
      <div
        className={classes.panel}
        onDragOver={(event) => {
          if (event.dataTransfer.types.includes('Files')) event.preventDefault();
        }}
        onDrop={(event: DragEvent) => {
          // Lines that are dragged are the field's own matter.
          if (!event.dataTransfer.types.includes('Files')) return;
          event.preventDefault();
          void read(event.dataTransfer.files[0]);
        }}
      >
        <p className={classes.hint}>{t('import.help')}</p>
        <div className={classes.wishes}>
          <label className={classes.file}>
            {t('import.file')}
            <input
              type="file"
              accept=".json,.ndjson,.csv,application/json,text/csv"
              className={classes.unseen}
              onChange={(event) => {
                void read(event.currentTarget.files?.[0]);
                event.currentTarget.value = '';
              }}
            />
          </label>
          <Select
            label={t('import.clash')}
            data={clashRules.map((value) => ({ value, label: t(`clash.${value}`) }))}
            value={rule}
            disabled={running === 'import'}
            onChange={(value) => {
              forget();
              setRule(clashRules.find((one) => one === value) ?? 'fail');
            }}
          />
        </div>
        <Textarea
          label={t('import.text')}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          readOnly={running === 'import'}
          error={error}
          // To fit the field to a file of thousands of rows takes the browser longer than everything else here.
          autosize={false}
          rows={preview ? 3 : 8}
          spellCheck={false}
          autoComplete="off"
          data-1p-ignore
          data-autofocus
        />
        {preview && <ImportPreview answer={preview} />}
      </div>
    </Dialog>
  );
}
