/** Several keys, each with its place and its last letters; repeats are struck out. */
import { ActionIcon, Button, Textarea } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/UnstyledButton.css';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isFocusLost } from '../../components/kept-focus.ts';
import { parseObject } from '../../components/mapping-rows.ts';
import { Tag } from '../../components/tag.tsx';
import classes from './editor.module.css';
import { type KeyRow, keyTail } from './key-list.ts';

export interface KeyRowsProps {
  readonly rows: readonly KeyRow[];
  readonly isJson: boolean;
  readonly error?: ReactNode;
  readonly onRemove: (index: number) => void;
  readonly onAdd: (text: string) => void;
  /** Back to one text; absent where the keys are no text. */
  readonly onPlain?: (() => void) | undefined;
}

export function KeyRows({ rows, isJson, error, onRemove, onAdd, onPlain }: KeyRowsProps) {
  const { t } = useTranslation('channel-editor');
  const [more, setMore] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  // Where the comma was typed that called for this view, the field is gone: whoever types on does so here.
  useEffect(() => {
    if (isFocusLost()) field.current?.focus({ preventScroll: true });
  }, []);
  const repeats = rows.filter(({ isRepeated }) => isRepeated).length;
  const add = () => {
    if (more.trim() !== '') onAdd(more);
    setMore('');
  };
  return (
    <div>
      <div className={classes.bar}>
        <span>
          <span className={classes.label}>{t('field.key')}</span>{' '}
          <span className={classes.hint}>
            {t('key.count', { count: rows.length - repeats })}
            {repeats > 0 && ` · ${t('key.repeats', { count: repeats })}`}
          </span>
        </span>
        {onPlain && (
          <button type="button" className={classes.link} onClick={onPlain}>
            {t('key.turnOff')}
          </button>
        )}
      </div>
      <ol className={classes.keys}>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: repeats are rows of their own, and rows never move
          <li key={index}>
            <span className={classes.order}>{index + 1}</span>
            <span className={classes.keyText} data-repeated={row.isRepeated || undefined}>
              {nameOf(row.text, isJson)}
            </span>
            {row.isRepeated && <Tag>{t('key.repeated')}</Tag>}
            {row.isOdd && <Tag tone="orange">{t('key.oddTag')}</Tag>}
            <ActionIcon
              size="md"
              aria-label={t('key.remove', { place: index + 1 })}
              title={t('key.remove', { place: index + 1 })}
              onClick={() => onRemove(index)}
            >
              <IconX size={14} stroke={1.75} />
            </ActionIcon>
          </li>
        ))}
      </ol>
      <Textarea
        ref={field}
        aria-label={isJson ? t('key.moreJson') : t('key.more')}
        placeholder={isJson ? t('key.moreJson') : t('key.more')}
        value={more}
        onChange={(event) => setMore(event.currentTarget.value)}
        onKeyDown={({ key, ctrlKey, metaKey }) => {
          if (key === 'Enter' && (ctrlKey || metaKey)) add();
        }}
        // What was typed is meant; nobody has to press the button before submitting.
        onBlur={add}
        minRows={1}
        maxRows={4}
        spellCheck={false}
        autoComplete="off"
        data-1p-ignore
        error={error}
        mt={8}
        classNames={{ input: classes.secret ?? '' }}
        attributes={{ input: { 'data-masked': '' } }}
        rightSectionWidth={72}
        rightSection={
          <Button size="compact-xs" variant="light" onClick={add} disabled={more.trim() === ''}>
            {t('key.add')}
          </Button>
        }
      />
    </div>
  );
}

/** Enough to tell keys apart, and no more. */
function nameOf(text: string, isJson: boolean): string {
  if (!isJson) return `…${keyTail(text)}`;
  const account = parseObject(text);
  const name = account?.client_email ?? account?.project_id;
  return typeof name === 'string' ? name : '{ … }';
}
