/** The key of a channel: one secret, or a row for each of several (console.md 6.9 "Key"). */
import { ActionIcon, SegmentedControl, Textarea } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import '@mantine/core/styles/UnstyledButton.css';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { type DragEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { findChannelType } from '../../../daemon/contract/channel-types.ts';
import { KeyField } from '../../components/key-field.tsx';
import type { ContractForm } from '../../components/use-contract-form.ts';
import { currentLanguage } from '../../i18n/index.ts';
import { channels } from './channel-calls.ts';
import { type ChannelDraft, keyRulesOf } from './channel-draft.ts';
import classes from './editor.module.css';
import { holdsSeveralKeys, joinKeyTexts, keyRows } from './key-list.ts';
import { KeyRows } from './key-rows.tsx';
import { specialFieldsOf } from './special-fields.ts';

export interface KeyInputProps {
  readonly form: ContractForm<ChannelDraft>;
  /** Undefined for a new channel. */
  readonly channelId: number | undefined;
  /** The saved key may be looked at. */
  readonly isKeyShown: boolean;
  readonly keyMode: 'replace' | 'append';
  readonly onKeyMode: (mode: 'replace' | 'append') => void;
}

export function KeyInput({ form, channelId, isKeyShown, keyMode, onKeyMode }: KeyInputProps) {
  const { t } = useTranslation('channel-editor');
  const type = form.useWatchValue('type');
  const text = form.useWatchValue('key');
  const rules = keyRulesOf(type);
  const special = specialFieldsOf(type);
  const isOptional = findChannelType(type)?.keyOptional === true;
  const [isPlain, setPlain] = useState(false);
  const [isMasked, setMasked] = useState(true);
  const [isOver, setOver] = useState(false);
  const rows = keyRows(text, rules);
  const isSeveral = rules.isJson ? rows.length > 1 : !isPlain && holdsSeveralKeys(text, rules);
  const setText = (next: string) => form.setFieldValue('key', next);
  const addFiles = async (files: Iterable<File>) => {
    const texts = await Promise.all([...files].map((file) => file.text()));
    setText(joinKeyTexts([text, ...texts], rules));
  };
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  const onDrop = (event: DragEvent) => {
    // A key that is dragged as text is the field's own matter.
    if (!hasFiles(event)) return;
    event.preventDefault();
    setOver(false);
    void addFiles(event.dataTransfer.files);
  };
  const forms = special.keyForms ? formsText(special.keyForms) : undefined;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button for files beside it does the same
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      {isSeveral ? (
        <KeyRows
          rows={rows}
          isJson={rules.isJson}
          error={form.errors.key}
          onRemove={(index) => {
            const kept = rows.filter((_, at) => at !== index).map((row) => row.text);
            setText(joinKeyTexts(kept, rules));
          }}
          onAdd={(more) => setText(joinKeyTexts([text, more], rules))}
          onPlain={rules.isJson ? undefined : () => setPlain(true)}
        />
      ) : (
        <Textarea
          label={t('field.key')}
          required={channelId === undefined && !isOptional}
          placeholder={channelId === undefined ? (rules.isJson ? t('key.json') : (forms ?? '')) : t('key.keep')}
          description={forms === undefined ? keyNote(isOptional, t) : t('key.form', { forms })}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            if (!holdsSeveralKeys(event.currentTarget.value, rules)) setPlain(false);
          }}
          error={form.errors.key}
          minRows={rules.isJson ? 4 : 1}
          maxRows={8}
          spellCheck={false}
          autoComplete="off"
          data-1p-ignore
          data-path="key"
          classNames={{ input: classes.secret ?? '' }}
          {...(isMasked ? { attributes: { input: { 'data-masked': '' } } } : {})}
          rightSection={
            <ActionIcon
              variant="subtle"
              aria-label={t(isMasked ? 'key.show' : 'key.hide')}
              title={t(isMasked ? 'key.show' : 'key.hide')}
              aria-pressed={!isMasked}
              onClick={() => setMasked(!isMasked)}
            >
              {isMasked ? <IconEye size={16} stroke={1.75} /> : <IconEyeOff size={16} stroke={1.75} />}
            </ActionIcon>
          }
        />
      )}
      {rows.some(({ isOdd }) => isOdd) && (
        <p className={classes.warning} role="status">
          {rules.isJson ? t('key.oddJson') : t('key.odd', { forms: forms ?? '' })}
        </p>
      )}
      {rules.isJson && <FileButton onFiles={(files) => void addFiles(files)} />}
      {channelId !== undefined && rows.length > 0 && (
        <div className={classes.bar}>
          <SegmentedControl
            size="xs"
            aria-label={t('key.mode')}
            value={keyMode}
            onChange={(value) => onKeyMode(value === 'append' ? 'append' : 'replace')}
            data={[
              { value: 'replace', label: t('key.replace') },
              { value: 'append', label: t('key.append') },
            ]}
          />
        </div>
      )}
      {channelId !== undefined && isKeyShown && (
        <div className={classes.bar}>
          <span className={classes.hint}>{t('key.saved')}</span>
          <KeyField label={t('key.saved')} reveal={async () => (await channels.revealKey({ id: channelId })).key} />
        </div>
      )}
    </div>
  );
}

function keyNote(isOptional: boolean, t: (key: 'key.any') => string): string | undefined {
  return isOptional ? t('key.any') : undefined;
}

/** `a or b` in the language of the page, with a space between Han and Latin (console.md 1.9). */
function formsText(forms: readonly string[]): string {
  return new Intl.ListFormat(currentLanguage(), { type: 'disjunction' }).format(forms).replace(/或/g, ' 或 ');
}

function FileButton({ onFiles }: { readonly onFiles: (files: FileList) => void }) {
  const { t } = useTranslation('channel-editor');
  return (
    <label className={classes.link}>
      {t('key.file')}
      <input
        type="file"
        accept="application/json,.json"
        multiple
        className={classes.unseen}
        onChange={(event) => {
          if (event.currentTarget.files) onFiles(event.currentTarget.files);
          event.currentTarget.value = '';
        }}
      />
    </label>
  );
}
