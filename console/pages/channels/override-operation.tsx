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
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { JsonEditor } from '../../components/json-editor.tsx';
import classes from './editor.module.css';
import { OverrideCondition } from './override-condition.tsx';
import {
  keptMembers,
  modeNames,
  modes,
  newCondition,
  type OperationRow,
  type OverrideRow,
  refusalNames,
  withMode,
} from './override-rows.ts';

export interface OverrideOperationProps {
  readonly row: OverrideRow;
  /** From 1. */
  readonly place: number;
  readonly count: number;
  /** What is wrong with a member, such as `path` or `conditions.0.value`. */
  readonly errorOf: (member: string) => string | undefined;
  /** What the server refused of this row. */
  readonly refused: { readonly member: string; readonly text: string } | undefined;
  readonly onChange: (row: OverrideRow) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** Members that have a field of their own, at which their refusal is told. */
const fields = /^(?:mode|path|from|to|value(?:\.\w+)?|conditions\.\d+\.(?:path|mode|value))$/;

export function OverrideOperation(props: OverrideOperationProps) {
  const { row, place, count, errorOf, refused, onChange, onMove, onRemove } = props;
  const { t } = useTranslation('override');
  const hasField = refused !== undefined && (row.kind === 'json' || fields.test(refused.member));
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
            onClick={() => onMove(-1)}
          >
            <IconArrowUp size={16} stroke={1.75} />
          </ActionIcon>
          <ActionIcon
            {...act('down')}
            aria-label={t('down', { place })}
            title={t('down', { place })}
            disabled={place === count}
            onClick={() => onMove(1)}
          >
            <IconArrowDown size={16} stroke={1.75} />
          </ActionIcon>
          <ActionIcon
            {...act('remove')}
            aria-label={t('remove', { place })}
            title={t('remove', { place })}
            onClick={onRemove}
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
          onChange={(text) => onChange({ ...row, text })}
          error={errorOf('json') ?? refused?.text}
        />
      ) : (
        <Fields row={row} errorOf={errorOf} onChange={onChange} />
      )}
      {refused && !hasField && (
        <p className={classes.warning} role="alert" data-refused tabIndex={-1}>
          {refused.text}
        </p>
      )}
    </div>
  );
}

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
