/** Which columns, in which order, how close (console.md 7.1). Nothing changes before it is confirmed. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ColumnChoice, choiceStore, defaultChoice, isShown, ordered, saveChoice } from './column-choice.ts';
import classes from './column-dialog.module.css';
import type { Column } from './data-table-types.ts';
import { Dialog } from './dialog.tsx';

export interface ColumnDialogProps {
  readonly columns: readonly Pick<Column<never>, 'key' | 'title' | 'isOptional' | 'pin'>[];
  readonly storageKey: string;
  readonly onClose: () => void;
}

export function ColumnDialog({ columns, storageKey, onClose }: ColumnDialogProps) {
  const { t } = useTranslation('list');
  const [choice, setChoice] = useState<ColumnChoice>(() => choiceStore(storageKey).get());
  const list = ordered(columns, choice);
  const shown = columns.filter((column) => isShown(choice, column)).map(({ key }) => key);
  const show = (keys: readonly string[]) =>
    setChoice({
      ...choice,
      hidden: columns.filter(({ key, isOptional }) => !isOptional && !keys.includes(key)).map(({ key }) => key),
      shown: columns.filter(({ key, isOptional }) => isOptional && keys.includes(key)).map(({ key }) => key),
    });
  const move = (index: number, by: -1 | 1) => {
    const keys = list.map(({ key }) => key);
    const [key] = keys.splice(index, 1);
    if (key !== undefined) keys.splice(index + by, 0, key);
    setChoice({ ...choice, order: keys });
  };
  const mayMove = (index: number, by: -1 | 1) =>
    list[index + by] !== undefined && list[index + by]?.pin === list[index]?.pin;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('columns.title')}
      footer={
        <>
          <Button variant="subtle" color="gray" onClick={() => setChoice(defaultChoice)}>
            {t('columns.reset')}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t('columns.cancel')}
          </Button>
          <Button
            disabled={shown.length === 0}
            onClick={() => {
              saveChoice(storageKey, choice);
              onClose();
            }}
          >
            {t('columns.confirm')}
          </Button>
        </>
      }
    >
      <label className={classes.all}>
        <input
          type="checkbox"
          checked={shown.length === columns.length}
          ref={(box) => {
            if (box) box.indeterminate = shown.length > 0 && shown.length < columns.length;
          }}
          onChange={(event) => show(event.currentTarget.checked ? columns.map(({ key }) => key) : [])}
        />
        {t('columns.all')}
      </label>
      <ul className={classes.list}>
        {list.map(({ key, title }, index) => (
          <li key={key}>
            <label>
              <input
                type="checkbox"
                checked={shown.includes(key)}
                onChange={(event) =>
                  show(event.currentTarget.checked ? [...shown, key] : shown.filter((other) => other !== key))
                }
              />
              {title}
            </label>
            <button
              type="button"
              aria-label={t('columns.up', { title })}
              disabled={!mayMove(index, -1)}
              onClick={() => move(index, -1)}
            >
              <IconArrowUp size={16} stroke={1.75} aria-hidden="true" />
            </button>
            <button
              type="button"
              aria-label={t('columns.down', { title })}
              disabled={!mayMove(index, 1)}
              onClick={() => move(index, 1)}
            >
              <IconArrowDown size={16} stroke={1.75} aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
      <fieldset className={classes.density}>
        <legend>{t('columns.density')}</legend>
        {[false, true].map((isCompact) => (
          <label key={String(isCompact)}>
            <input
              type="radio"
              name="density"
              checked={choice.isCompact === isCompact}
              onChange={() => setChoice({ ...choice, isCompact })}
            />
            {t(isCompact ? 'columns.compact' : 'columns.normal')}
          </label>
        ))}
      </fieldset>
    </Dialog>
  );
}
