/** A map of names: as JSON, or as a table from and to. */
import { ActionIcon, Autocomplete, Button } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/UnstyledButton.css';
import { IconPlus, IconX } from '@tabler/icons-react';
import { memo, type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './mapping-editor.module.css';
import {
  findLoop,
  type MappingRow,
  mappingText,
  namesByLine,
  namesByRow,
  repeatedName,
  rowsOfMapping,
} from './mapping-rows.ts';
import { SwitchedEditor } from './switched-editor.tsx';

export interface MappingEditorProps {
  readonly label: string;
  readonly template: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly description?: ReactNode;
  readonly error?: ReactNode;
  /** Member of the form, by which a fault finds the field. */
  readonly path: string;
  /** Offered where a name is entered. */
  readonly names?: readonly string[];
}

const none: readonly string[] = [];
/** Each has two lists to choose from: a thousand would hold the page for seconds. */
const mostRows = 100;

export function MappingEditor(props: MappingEditorProps) {
  const { label, template, value, onChange, description, error, path, names = none } = props;
  const { t } = useTranslation('mapping');
  const [isTable, setTable] = useState(false);
  // Rows that are still empty have no place in the text.
  const [rows, setRows] = useState<readonly MappingRow[]>([]);
  // A form hands on a copy with each key that is pressed in any of its fields.
  const listed = names.join('\n');
  const offered = useMemo(() => (listed === '' ? none : listed.split('\n')), [listed]);
  const latest = useRef({ rows, onChange });
  latest.current = { rows, onChange };
  const change = useCallback((next: readonly MappingRow[]) => {
    setRows(next);
    latest.current.onChange(mappingText(next));
  }, []);
  const set = useCallback(
    (index: number, next: Partial<MappingRow>) =>
      change(latest.current.rows.map((one, at) => (at === index ? { ...one, ...next } : one))),
    [change],
  );
  const addButton = useRef<HTMLButtonElement>(null);
  const remove = useCallback(
    (index: number) => {
      const { rows: before } = latest.current;
      // Rows move up to the button that was pressed; that of the last one goes.
      if (index === before.length - 1) addButton.current?.focus();
      change(before.filter((_, at) => at !== index));
    },
    [change],
  );
  const read = rowsOfMapping(value);
  const loop = names.length > 0 && read ? findLoop(read) : undefined;
  const repeated = read && repeatedName(isTable ? namesByRow(rows) : namesByLine(value));
  const isLong = read !== undefined && read.length > mostRows && !isTable;
  const show = (isJson: boolean) => {
    if (!isJson) setRows(read && read.length > 0 ? read : [{ from: '', to: '' }]);
    setTable(!isJson);
  };
  return (
    <div>
      <SwitchedEditor
        label={label}
        viewLabel={t('view', { label })}
        fieldsLabel={t('table')}
        isJson={!isTable}
        onSwitch={show}
        isJsonAlone={read === undefined || isLong}
        template={template}
        value={value}
        onChange={onChange}
        description={description}
        error={error}
        path={path}
      >
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are told apart by their place alone
          <MappingLine key={index} row={row} index={index} names={offered} onSet={set} onRemove={remove} />
        ))}
        <div>
          <Button
            ref={addButton}
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} stroke={1.75} />}
            onClick={() => setRows([...rows, { from: '', to: '' }])}
          >
            {t('add')}
          </Button>
        </div>
      </SwitchedEditor>
      {isLong && <p className={classes.note}>{t('long', { most: mostRows })}</p>}
      {repeated && (
        <p className={classes.warning} role="status">
          {t(isTable ? 'repeated' : 'repeatedLine', { ...repeated })}
        </p>
      )}
      {loop && (
        <p className={classes.warning} role="status">
          {t('loop', { names: loop.join(' → ') })}
        </p>
      )}
    </div>
  );
}

interface MappingLineProps {
  readonly row: MappingRow;
  readonly index: number;
  readonly names: readonly string[];
  readonly onSet: (index: number, next: Partial<MappingRow>) => void;
  readonly onRemove: (index: number) => void;
}

/** Drawn anew only when it changed: with each key that is pressed, all the others would be. */
const MappingLine = memo(function MappingLine({ row, index, names, onSet, onRemove }: MappingLineProps) {
  const { t } = useTranslation('mapping');
  const place = index + 1;
  return (
    <div className={classes.mapping}>
      <Autocomplete
        aria-label={t('from', { place })}
        placeholder={t('fromName')}
        data={[...names]}
        limit={50}
        value={row.from}
        onChange={(from) => onSet(index, { from })}
      />
      <span className={classes.arrow} aria-hidden="true">
        →
      </span>
      <Autocomplete
        aria-label={t('to', { place })}
        placeholder={t('toName')}
        data={[...names]}
        limit={50}
        value={row.to}
        onChange={(to) => onSet(index, { to })}
      />
      <ActionIcon aria-label={t('remove', { place })} title={t('remove', { place })} onClick={() => onRemove(index)}>
        <IconX size={16} stroke={1.75} />
      </ActionIcon>
    </div>
  );
});
