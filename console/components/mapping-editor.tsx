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
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './mapping-editor.module.css';
import { findLoop, type MappingRow, mappingText, rowsOfMapping } from './mapping-rows.ts';
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

export function MappingEditor(props: MappingEditorProps) {
  const { label, template, value, onChange, description, error, path, names = none } = props;
  const { t } = useTranslation('mapping');
  const [isTable, setTable] = useState(false);
  // Rows that are still empty have no place in the text.
  const [rows, setRows] = useState<readonly MappingRow[]>([]);
  const change = (next: readonly MappingRow[]) => {
    setRows(next);
    onChange(mappingText(next));
  };
  const read = rowsOfMapping(value);
  const loop = names.length > 0 && read ? findLoop(read) : undefined;
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
        isJsonAlone={read === undefined}
        template={template}
        value={value}
        onChange={onChange}
        description={description}
        error={error}
        path={path}
      >
        {rows.map((row, index) => {
          const set = (next: Partial<MappingRow>) =>
            change(rows.map((one, at) => (at === index ? { ...one, ...next } : one)));
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are told apart by their place alone
            <div key={index} className={classes.mapping}>
              <Autocomplete
                aria-label={t('from', { place: index + 1 })}
                placeholder={t('fromName')}
                data={[...names]}
                limit={50}
                value={row.from}
                onChange={(from) => set({ from })}
              />
              <span className={classes.arrow} aria-hidden="true">
                →
              </span>
              <Autocomplete
                aria-label={t('to', { place: index + 1 })}
                placeholder={t('toName')}
                data={[...names]}
                limit={50}
                value={row.to}
                onChange={(to) => set({ to })}
              />
              <ActionIcon
                aria-label={t('remove', { place: index + 1 })}
                title={t('remove', { place: index + 1 })}
                onClick={() => change(rows.filter((_, at) => at !== index))}
              >
                <IconX size={16} stroke={1.75} />
              </ActionIcon>
            </div>
          );
        })}
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} stroke={1.75} />}
            onClick={() => setRows([...rows, { from: '', to: '' }])}
          >
            {t('add')}
          </Button>
        </div>
      </SwitchedEditor>
      {loop && (
        <p className={classes.warning} role="status">
          {t('loop', { names: loop.join(' → ') })}
        </p>
      )}
    </div>
  );
}
