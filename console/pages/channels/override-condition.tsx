/** One condition of an operation: what it reads, and what it compares that with. */
import { ActionIcon, Checkbox, Select, TextInput } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/UnstyledButton.css';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './editor.module.css';
import { type ConditionRow, conditionModes } from './override-rows.ts';

export interface OverrideConditionProps {
  readonly condition: ConditionRow;
  /** From 1, in its operation. */
  readonly place: number;
  readonly errorOf: (member: 'path' | 'mode' | 'value') => string | undefined;
  readonly onChange: (condition: ConditionRow) => void;
  readonly onRemove: () => void;
}

export function OverrideCondition({ condition, place, errorOf, onChange, onRemove }: OverrideConditionProps) {
  const { t } = useTranslation('override');
  const { mode } = condition;
  const set = (next: Partial<ConditionRow>) => onChange({ ...condition, ...next });
  const mono = { classNames: { input: classes.mono ?? '' }, autoComplete: 'off', spellCheck: false } as const;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings borders of its own; the label is read out all the same
    <div role="group" aria-label={t('condition', { place })} className={classes.operation}>
      <div className={classes.bar}>
        <span className={classes.label}>{t('condition', { place })}</span>
        <ActionIcon
          aria-label={t('removeCondition', { place })}
          title={t('removeCondition', { place })}
          onClick={onRemove}
        >
          <IconX size={16} stroke={1.75} />
        </ActionIcon>
      </div>
      <div className={classes.pair}>
        <TextInput
          {...mono}
          label={t('conditionPath')}
          value={condition.path}
          onChange={(event) => set({ path: event.currentTarget.value })}
          error={errorOf('path')}
        />
        <Select
          label={t('comparison')}
          data={conditionModes.map((value) => ({ value, label: `${t(`comparisons.${value}`)} (${value})` }))}
          value={mode}
          allowDeselect={false}
          onChange={(next) => set({ mode: conditionModes.find((one) => one === next) ?? mode })}
          error={errorOf('mode')}
        />
        {mode !== 'exists' && (
          <TextInput
            {...mono}
            label={t('valueJson')}
            placeholder={t('valueExample')}
            value={condition.value}
            onChange={(event) => set({ value: event.currentTarget.value })}
            error={errorOf('value')}
          />
        )}
      </div>
      <Checkbox
        label={t('invert')}
        checked={condition.invert}
        onChange={(event) => set({ invert: event.currentTarget.checked })}
      />
      {mode !== 'exists' && (
        <Checkbox
          label={t('passMissing')}
          checked={condition.pass_missing_key}
          onChange={(event) => set({ pass_missing_key: event.currentTarget.checked })}
        />
      )}
    </div>
  );
}
