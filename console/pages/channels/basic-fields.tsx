/** Type, name, key and address of a channel, and what its type asks for besides. */
import { Autocomplete, Select, TextInput } from '@mantine/core';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ContractForm } from '../../components/use-contract-form.ts';
import { currentLanguage } from '../../i18n/index.ts';
import type { ChannelDraft } from './channel-draft.ts';
import classes from './editor.module.css';
import { FormSection } from './form-section.tsx';
import { KeyInput, type KeyInputProps } from './key-input.tsx';
import { RegionInput } from './region-input.tsx';
import { type OtherField, specialFieldsOf } from './special-fields.ts';
import { groupedTypes, matchesType } from './type-select.ts';

export type BasicFieldsProps = KeyInputProps;

export function BasicFields(props: BasicFieldsProps) {
  const { form } = props;
  const { t } = useTranslation('channel-editor');
  const type = form.useWatchValue('type');
  const special = specialFieldsOf(type);
  return (
    <FormSection title={t('section.basics')}>
      <TypeSelect form={form} />
      <TextInput
        key={form.key('name')}
        {...form.getInputProps('name')}
        label={t('field.name')}
        required
        maxLength={255}
        autoComplete="off"
        data-autofocus
      />
      <KeyInput {...props} />
      <TextInput
        key={form.key('base_url')}
        {...form.getInputProps('base_url')}
        label={special.addressLabel ? t(`address.${special.addressLabel}`) : t('field.address')}
        placeholder={special.addressHint}
        required={special.isAddressRequired ?? false}
        description={special.note ? t(`note.${special.note}`) : undefined}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
      />
      {special.addresses && (
        <div className={classes.chips}>
          {special.addresses.map((address) => (
            <button
              key={address}
              type="button"
              className={classes.chip}
              onClick={() => form.setFieldValue('base_url', address)}
            >
              {address}
            </button>
          ))}
        </div>
      )}
      {special.other && <OtherInput form={form} other={special.other} />}
      {type === 1 && (
        <TextInput
          key={form.key('openai_organization')}
          {...form.getInputProps('openai_organization')}
          label={t('field.organization')}
          placeholder="org-…"
          autoComplete="off"
        />
      )}
    </FormSection>
  );
}

function TypeSelect({ form }: { readonly form: ContractForm<ChannelDraft> }) {
  const { t } = useTranslation('channel-editor');
  const language = currentLanguage();
  const type = form.useWatchValue('type');
  const data = useMemo(
    () =>
      groupedTypes().map(({ group, types }) => ({
        group: t(`typeGroup.${group}`),
        items: types
          // A retired type stays choosable for the channel that has it.
          .filter((one) => !one.retired || one.type === type)
          .map((one) => ({
            value: String(one.type),
            label: one.retired ? t('retired', { name: one.label[language] }) : one.label[language],
          })),
      })),
    [t, language, type],
  );
  const choose = (value: string | null) => {
    const next = Number(value);
    const { models } = form.getValues();
    // A list that nobody has touched is that of the type.
    if (models.length === 0 || models.join() === (specialFieldsOf(type).models ?? []).join()) {
      form.setFieldValue('models', [...(specialFieldsOf(next).models ?? [])]);
    }
    // The field means something else for another type, and nothing for most.
    if (specialFieldsOf(next).other?.label !== specialFieldsOf(type).other?.label) {
      const loaded = form.getInitialValues();
      form.setFieldValue('other', loaded.type === next ? loaded.other : '');
    }
    form.setFieldValue('type', next);
    form.clearErrors();
  };
  return (
    <Select
      label={t('field.type')}
      required
      searchable
      data={data}
      value={String(type)}
      onChange={choose}
      filter={({ options, search }) =>
        options
          .map((option) =>
            'group' in option
              ? { ...option, items: option.items.filter(({ value }) => matchesType(Number(value), search)) }
              : option,
          )
          .filter((option) => !('group' in option) || option.items.length > 0)
      }
      nothingFoundMessage={t('noType')}
      error={form.errors.type}
      data-path="type"
    />
  );
}

function OtherInput({ form, other }: { readonly form: ContractForm<ChannelDraft>; readonly other: OtherField }) {
  const { t } = useTranslation('channel-editor');
  const label = t(`other.${other.label}`);
  if (other.template !== undefined) return <RegionInput form={form} label={label} template={other.template} />;
  const input = {
    ...form.getInputProps('other'),
    label,
    required: other.isRequired ?? false,
    placeholder: other.placeholder ?? '',
    autoComplete: 'off',
  };
  return other.choices ? (
    <Autocomplete key={form.key('other')} {...input} data={[...other.choices]} description={t('appKindHelp')} />
  ) : (
    <TextInput key={form.key('other')} {...input} />
  );
}
