/** One operation of a parameter override: its mode, what the mode needs, and when it runs. */
import { ActionIcon, Button, Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/UnstyledButton.css';
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react';
import { memo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { JsonEditor } from '../../components/json-editor.tsx';
import classes from './editor.module.css';
import { OverrideCondition } from './override-condition.tsx';
import {
  keptMembers,
  mistakesOf,
  modeNames,
  modes,
  newCondition,
  type OperationRow,
  type OverrideRow,
  refusalNames,
  withMode,
} from './override-rows.ts';

/** They stay the same while the rows change. */
export interface OperationActs {
  readonly change: (row: OverrideRow) => void;
  readonly move: (row: OverrideRow, by: -1 | 1) => void;
  readonly remove: (row: OverrideRow) => void;
}

export interface OverrideOperationProps {
  readonly row: OverrideRow;
  /** From 1. */
  readonly place: number;
  readonly count: number;
  /** Whether what cannot be written is called wrong yet. */
  readonly isChecked: boolean;
  /** The member of this row that the server refused, and what it said. */
  readonly refused: string | undefined;
  readonly refusal: string | undefined;
  readonly acts: OperationActs;
}

/** Members that have a field of their own, at which their refusal is told. */
const fields = /^(?:mode|path|from|to|value(?:\.\w+)?|conditions\.\d+\.(?:path|mode|value))$/;

/** Drawn anew only when it changed: with each key that is pressed, all the others would be. */
export const OverrideOperation = memo(function OverrideOperation(props: OverrideOperationProps) {
  const { row, place, count, isChecked, refused, refusal, acts } = props;
  const { t } = useTranslation('override');
  const mistakes = isChecked ? mistakesOf([row]).get(row.id) : undefined;
  const errorOf = (member: string) => {
    if (mistakes?.includes(member)) return t(member === 'value.status_code' ? 'status' : 'json');
    return refused === member ? refusal : undefined;
  };
  const hasField = refused !== undefined && (row.kind === 'json' || fields.test(refused));
  const act = (name: string) => ({ 'data-act': `${row.id}-${name}` });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings borders of its own; the label is read out all the same
    <div role="group" aria-label={t('operation', { place })} className={classes.operation}>
      <div className={classes.bar}>
        <span className={classes.label}>{t('operation', { place })}</span>
        <div className={classes.acts}>
          <ActionIcon
            {...act('up')}
            aria-label={t('up', { place })}
            title={t('up', { place })}
            disabled={place === 1}
            onClick={() => acts.move(row, -1)}
          >
            <IconArrowUp size={16} stroke={1.75} />
          </ActionIcon>
          <ActionIcon
            {...act('down')}
            aria-label={t('down', { place })}
            title={t('down', { place })}
            disabled={place === count}
            onClick={() => acts.move(row, 1)}
          >
            <IconArrowDown size={16} stroke={1.75} />
          </ActionIcon>
          <ActionIcon
            {...act('remove')}
            aria-label={t('remove', { place })}
            title={t('remove', { place })}
            onClick={() => acts.remove(row)}
          >
            <IconX size={16} stroke={1.75} />
          </ActionIcon>
        </div>
      </div>
      {row.kind === 'json' ? (
        <JsonEditor
          label={t('asJson')}
          description={t('asJsonHelp')}
          value={row.text}
          onChange={(text) => acts.change({ ...row, text })}
          error={errorOf('json') ?? refusal}
        />
      ) : (
        <Fields row={row} errorOf={errorOf} onChange={acts.change} />
      )}
      {refusal && !hasField && (
        <p className={classes.warning} role="alert" data-refused tabIndex={-1}>
          {refusal}
        </p>
      )}
    </div>
  );
});

interface FieldsProps {
  readonly row: OperationRow;
  readonly errorOf: (member: string) => string | undefined;
  readonly onChange: (row: OperationRow) => void;
}

function Fields({ row, errorOf, onChange }: FieldsProps) {
  const { t } = useTranslation('override');
  const controls: { path?: string; ends?: string; value?: string; keepOrigin?: true } = modes[row.mode];
  const set = (next: Partial<OperationRow>) => onChange({ ...row, ...next });
  const kept = keptMembers(row);
  const addButton = useRef<HTMLButtonElement>(null);
  const removeCondition = (id: string) => {
    // The button that was pressed goes with its condition.
    addButton.current?.focus();
    set({ conditions: row.conditions.filter((one) => one.id !== id) });
  };
  const mono = { classNames: { input: classes.mono ?? '' }, autoComplete: 'off', spellCheck: false } as const;
  const text = (name: 'path' | 'from' | 'to', label: string) => (
    <TextInput
      {...mono}
      label={label}
      value={row[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
      error={errorOf(name)}
    />
  );
  return (
    <>
      <div className={classes.pair}>
        <Select
          data-act={`${row.id}-mode`}
          label={t('mode')}
          data={modeNames.map((value) => ({ value, label: `${t(`modes.${value}`)} (${value})` }))}
          value={row.mode}
          allowDeselect={false}
          onChange={(next) => onChange(withMode(row, modeNames.find((one) => one === next) ?? row.mode))}
          error={errorOf('mode')}
        />
        {controls.path && text('path', controls.path === 'name' ? t('header') : t('path'))}
        {controls.ends && text('from', controls.ends === 'paths' ? t('fromPath') : t(`find.${find(row)}`))}
        {controls.ends && text('to', controls.ends === 'paths' ? t('toPath') : t('replacement'))}
        {(controls.value === 'json' || controls.value === 'text') && (
          <Textarea
            {...mono}
            label={controls.value === 'json' ? t('valueJson') : t('value')}
            placeholder={controls.value === 'json' ? t('valueExample') : ''}
            value={row.value}
            minRows={1}
            maxRows={8}
            onChange={(event) => set({ value: event.currentTarget.value })}
            error={errorOf('value')}
          />
        )}
        {controls.value === 'refusal' &&
          refusalNames.map((name) => (
            <TextInput
              key={name}
              label={t(`refusal.${name}`)}
              value={row.refusal[name]}
              autoComplete="off"
              onChange={(event) => set({ refusal: { ...row.refusal, [name]: event.currentTarget.value } })}
              error={errorOf(`value.${name}`)}
            />
          ))}
      </div>
      {controls.keepOrigin && (
        <Checkbox
          label={t(row.mode === 'set' ? 'keepOrigin' : 'keepMembers')}
          checked={row.keep_origin}
          onChange={(event) => set({ keep_origin: event.currentTarget.checked })}
        />
      )}
      {row.conditions.length > 1 && (
        <Select
          label={t('logic')}
          data={[
            { value: 'OR', label: t('or') },
            { value: 'AND', label: t('and') },
          ]}
          value={row.logic}
          allowDeselect={false}
          onChange={(next) => set({ logic: next === 'AND' ? 'AND' : 'OR' })}
        />
      )}
      {row.conditions.map((condition, index) => (
        <OverrideCondition
          key={condition.id}
          condition={condition}
          place={index + 1}
          errorOf={(member) => errorOf(`conditions.${index}.${member}`)}
          onChange={(next) => set({ conditions: row.conditions.map((one) => (one.id === next.id ? next : one)) })}
          onRemove={() => removeCondition(condition.id)}
        />
      ))}
      <div>
        <Button
          ref={addButton}
          size="xs"
          variant="subtle"
          leftSection={<IconPlus size={14} stroke={1.75} />}
          onClick={() => set({ conditions: [...row.conditions, newCondition()] })}
        >
          {t('addCondition')}
        </Button>
      </div>
      {kept.length > 0 && <p className={classes.hint}>{t('kept', { names: kept.join(', ') })}</p>}
    </>
  );
}

function find({ mode }: OperationRow): 'text' | 'pattern' {
  return mode === 'regex_replace' ? 'pattern' : 'text';
}
