/** One input of a filter bar. Text waits for Enter or blur, choices apply at once (console.md 5). */
import { MultiSelect, Select, Switch, TextInput } from '@mantine/core';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Switch.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useTranslation } from 'react-i18next';
import { isComposing } from './composition.ts';
import { TimeRange } from './time-range.tsx';

export interface FilterOption {
  readonly value: string;
  readonly label: string;
}

export interface FilterField {
  /** Parameter in the address. */
  readonly key: string;
  readonly label: string;
  /** `number`: an id. `multi`: a comma list. `switch`: `true` or nothing. `range`: text of `time-range-text.ts`. */
  readonly kind: 'text' | 'select' | 'multi' | 'number' | 'switch' | 'range';
  readonly options?: readonly FilterOption[];
  /** Pixels; 180 when absent. */
  readonly width?: number;
  /** What stands for "not filtered"; "" when absent. */
  readonly initial?: string;
  readonly placeholder?: string;
}

interface FilterInputProps {
  readonly field: FilterField;
  readonly value: string;
  /** A draft that is not applied. */
  readonly onDraft: (value: string) => void;
  readonly onCommit: (value: string) => void;
  /** Above the input, for the sheet of a phone. */
  readonly hasLabel: boolean;
}

export function FilterInput({ field, value, onDraft, onCommit, hasLabel }: FilterInputProps) {
  const { t } = useTranslation('list');
  const name = hasLabel ? { label: field.label } : { 'aria-label': field.label };
  const placeholder = field.placeholder ?? (hasLabel ? '' : field.label);
  switch (field.kind) {
    case 'select':
      return (
        <Select
          {...name}
          data={[...(field.options ?? [])]}
          value={value === (field.initial ?? '') && !hasOption(field, value) ? null : value}
          onChange={(next) => onCommit(next ?? field.initial ?? '')}
          placeholder={placeholder}
          clearable={value !== (field.initial ?? '')}
          clearButtonProps={{ 'aria-label': t('filter.remove', { label: field.label }) }}
          searchable={(field.options?.length ?? 0) > 8}
          nothingFoundMessage={t('filter.noneFound')}
          data-filter={field.key}
        />
      );
    case 'multi':
      return (
        <MultiSelect
          {...name}
          data={[...(field.options ?? [])]}
          value={value === '' ? [] : value.split(',')}
          onChange={(next) => onCommit(next.join(','))}
          placeholder={value === '' ? placeholder : ''}
          clearButtonProps={{ 'aria-label': t('filter.remove', { label: field.label }) }}
          clearable
          searchable
          nothingFoundMessage={t('filter.noneFound')}
          data-filter={field.key}
        />
      );
    case 'switch':
      return (
        <Switch
          label={field.label}
          checked={value === 'true'}
          onChange={(event) => onCommit(event.currentTarget.checked ? 'true' : '')}
          data-filter={field.key}
        />
      );
    case 'range':
      return <TimeRange value={value} onChange={onCommit} label={field.label} hasLabel={hasLabel} />;
    default:
      return (
        <TextInput
          {...name}
          value={value}
          placeholder={placeholder}
          inputMode={field.kind === 'number' ? 'numeric' : 'text'}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onDraft(typedIn(field, event.currentTarget.value))}
          onBlur={() => onCommit(value.trim())}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !isComposing(event)) onCommit(value.trim());
          }}
          data-filter={field.key}
        />
      );
  }
}

/** What is no id would be taken for no filter at all. */
const typedIn = ({ kind }: FilterField, text: string): string => (kind === 'number' ? text.replace(/\D/g, '') : text);

function hasOption(field: FilterField, value: string): boolean {
  return field.options?.some((option) => option.value === value) ?? false;
}
