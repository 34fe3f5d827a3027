/** Models of a channel, under which names and for whom. */
import { MultiSelect, Select, TextInput } from '@mantine/core';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { useTranslation } from 'react-i18next';
import { MappingEditor } from '../../components/mapping-editor.tsx';
import { parseObject } from '../../components/mapping-rows.ts';
import type { ContractForm } from '../../components/use-contract-form.ts';
import type { ChannelDraft } from './channel-draft.ts';
import classes from './editor.module.css';
import { FormSection } from './form-section.tsx';
import { ModelPicker } from './model-picker.tsx';
import { specialFieldsOf } from './special-fields.ts';
import { useGroupNames } from './use-channel-filters.ts';

export interface ModelFieldsProps {
  readonly form: ContractForm<ChannelDraft>;
  readonly channelId: number | undefined;
}

const mappingTemplate = '{"gpt-3.5-turbo": "gpt-3.5-turbo-0125"}';

export function ModelFields({ form, channelId }: ModelFieldsProps) {
  const { t } = useTranslation('channel-editor');
  const names = useGroupNames();
  const models = form.useWatchValue('models');
  const groups = form.useWatchValue('groups');
  const prefix = form.useWatchValue('model_prefix').trim();
  const mapping = form.useWatchValue('model_mapping');
  const isUntestable = specialFieldsOf(form.useWatchValue('type')).isUntestable ?? false;
  const testModel = form.useWatchValue('test_model');
  const [first = ''] = models;
  return (
    <FormSection title={t('section.models')}>
      <ModelPicker
        models={models}
        onChange={(next) => form.setFieldValue('models', next)}
        error={form.errors.models}
        mapping={textMapping(mapping)}
        source={() => {
          const { type, base_url, key } = form.getValues();
          return { id: channelId, type, base_url, key, isChanged: form.changed().base_url !== undefined || key !== '' };
        }}
      />
      <div className={classes.pair}>
        <TextInput
          key={form.key('model_prefix')}
          {...form.getInputProps('model_prefix')}
          label={t('field.prefix')}
          description={t('prefixPreview', { name: `${prefix}${first === '' ? t('prefixName') : first}` })}
          maxLength={64}
          autoComplete="off"
        />
        {!isUntestable && (
          <Select
            label={t('field.testModel')}
            description={t('testModelHelp')}
            data={[...new Set([...models, ...(testModel === '' ? [] : [testModel])])]}
            value={testModel === '' ? null : testModel}
            onChange={(value) => form.setFieldValue('test_model', value ?? '')}
            placeholder={first}
            error={form.errors.test_model}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t('clear') }}
            data-path="test_model"
          />
        )}
      </div>
      <MultiSelect
        label={t('field.groups')}
        required
        data={[...new Set([...names, ...groups])]}
        value={[...groups]}
        onChange={(value) => form.setFieldValue('groups', value)}
        error={form.errors.groups}
        searchable
        nothingFoundMessage={t('noGroup')}
        data-path="groups"
      />
      <MappingEditor
        label={t('field.mapping')}
        template={mappingTemplate}
        value={mapping}
        onChange={(text) => form.setFieldValue('model_mapping', text)}
        error={form.errors.model_mapping}
        path="model_mapping"
        names={models}
      />
    </FormSection>
  );
}

function textMapping(text: string): Readonly<Record<string, string>> {
  const members = Object.entries(parseObject(text) ?? {});
  return Object.fromEntries(members.filter((member): member is [string, string] => typeof member[1] === 'string'));
}
