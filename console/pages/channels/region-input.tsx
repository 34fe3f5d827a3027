/** Where a deployment runs: one word, or JSON with a region for each model. */
import { TextInput } from '@mantine/core';
import '@mantine/core/styles/Input.css';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { JsonEditor } from '../../components/json-editor.tsx';
import type { ContractForm } from '../../components/use-contract-form.ts';
import type { ChannelDraft } from './channel-draft.ts';
import classes from './editor.module.css';

export interface RegionInputProps {
  readonly form: ContractForm<ChannelDraft>;
  readonly label: string;
  readonly template: string;
}

export function RegionInput({ form, label, template }: RegionInputProps) {
  const { t } = useTranslation('channel-editor');
  const [isJson, setJson] = useState(() => form.getValues().other.trim().startsWith('{'));
  const field = form.getInputProps('other');
  return (
    <div>
      {isJson ? (
        <JsonEditor key={form.key('other')} {...field} label={label} template={template} required />
      ) : (
        <TextInput
          key={form.key('other')}
          {...field}
          label={label}
          placeholder="us-central1"
          required
          autoComplete="off"
        />
      )}
      <button
        type="button"
        className={classes.link}
        onClick={() => {
          if (!isJson && !form.getValues().other.trim().startsWith('{')) form.setFieldValue('other', template);
          setJson(!isJson);
        }}
      >
        {t(isJson ? 'regionAsText' : 'regionAsJson')}
      </button>
    </div>
  );
}
