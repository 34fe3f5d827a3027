/** JSON as text (console.md 7.4): line numbers, checks with line and column, format, template. */
import { Input } from '@mantine/core';
import { useId, useUncontrolled } from '@mantine/hooks';
import { type ClipboardEvent, type FocusEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Input.css';
import type * as z from 'zod/mini';
import { confirm } from './confirm.tsx';
import { checkJson, isJson, withoutTypographicQuotes } from './json-check.ts';
import classes from './json-editor.module.css';
import { formattedJson } from './json-format.ts';

export interface JsonEditorProps {
  readonly label: string;
  /** The text. In a form, `{...form.getInputProps('name')}` instead. */
  readonly value?: string;
  readonly defaultValue?: string;
  readonly onChange?: (text: string) => void;
  readonly description?: ReactNode;
  /** Put in by a button. */
  readonly template?: string;
  /** Checks what the text means. */
  readonly schema?: z.core.$ZodType;
  readonly error?: ReactNode;
  readonly required?: boolean;
  readonly isReadOnly?: boolean;
  readonly onFocus?: (event: FocusEvent<HTMLTextAreaElement>) => void;
  readonly onBlur?: (event: FocusEvent<HTMLTextAreaElement>) => void;
  readonly 'data-path'?: string;
}

const indent = '  ';
const fewestLines = 5;
const mostLines = 22;

export function JsonEditor(props: JsonEditorProps) {
  const { label, description, template, schema, required, isReadOnly = false } = props;
  const { t } = useTranslation('components');
  const id = useId();
  const gutter = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  // After Esc the next Tab leaves the field instead of indenting.
  const isLeaving = useRef(false);
  const [isChecked, setChecked] = useState(false);
  const [text, setText] = useUncontrolled<string>({
    ...(props.value === undefined ? {} : { value: props.value }),
    ...(props.defaultValue === undefined ? {} : { defaultValue: props.defaultValue }),
    finalValue: '',
    onChange: (next) => props.onChange?.(next),
  });
  const complaint = isChecked ? checkJson(text, schema, t) : undefined;
  // What the form says of it, and where; once where it says the same.
  const error =
    props.error && complaint && props.error !== complaint ? (
      <>
        {props.error} {complaint}
      </>
    ) : (
      (complaint ?? props.error)
    );
  const lines = text.split('\n').length;

  /** By the browser's own editing where it can, so that undo goes on working. */
  const insert = (inserted: string) => {
    const field = area.current;
    if (!field) return;
    field.focus();
    if (document.execCommand('insertText', false, inserted)) return;
    field.setRangeText(inserted, field.selectionStart, field.selectionEnd, 'end');
    setText(field.value);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape' && !isLeaving.current) {
      isLeaving.current = true;
      event.preventDefault();
      return;
    }
    if (event.key === 'Tab' && !event.shiftKey && !isLeaving.current && !isReadOnly) {
      event.preventDefault();
      insert(indent);
    }
    if (event.key !== 'Tab' && event.key !== 'Escape') isLeaving.current = false;
  };
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart, selectionEnd } = event.currentTarget;
    const pasted = event.clipboardData.getData('text/plain');
    const cleaned = withoutTypographicQuotes(pasted, text.slice(0, selectionStart) + pasted + text.slice(selectionEnd));
    if (cleaned === pasted || isReadOnly) return;
    event.preventDefault();
    insert(cleaned);
  };
  const format = () => {
    setChecked(true);
    if (isJson(text)) setText(formattedJson(text));
  };
  const fill = async () => {
    if (template === undefined) return;
    const isOver =
      text.trim() !== '' &&
      text !== template &&
      !(await confirm({ kind: 'danger', title: t('json.overwrite'), verb: t('json.template') }));
    if (!isOver) setText(template);
  };

  return (
    <Input.Wrapper id={id} label={label} description={description} error={error} withAsterisk={required === true}>
      <div className={classes.editor} data-error={error ? true : undefined} data-read-only={isReadOnly || undefined}>
        <div ref={gutter} className={classes.gutter} aria-hidden>
          {Array.from({ length: lines }, (_, index) => index + 1).join('\n')}
        </div>
        <textarea
          ref={area}
          id={id}
          className={classes.area}
          value={text}
          rows={Math.min(mostLines, Math.max(fewestLines, lines + 1))}
          wrap="off"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          readOnly={isReadOnly}
          required={required === true}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-error ${id}-description ${id}-keys`}
          data-path={props['data-path']}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
          onFocus={props.onFocus}
          onBlur={(event) => {
            isLeaving.current = false;
            setChecked(true);
            props.onBlur?.(event);
          }}
        />
      </div>
      <div className={classes.foot}>
        <span id={`${id}-keys`} className={classes.keys}>
          {isReadOnly ? '' : t('json.keys')}
        </span>
        {!isReadOnly && (
          <span className={classes.acts}>
            {template !== undefined && (
              <button type="button" className={classes.act} onClick={fill}>
                {t('json.template')}
              </button>
            )}
            <button type="button" className={classes.act} onClick={format}>
              {t('json.format')}
            </button>
          </span>
        )}
      </div>
    </Input.Wrapper>
  );
}
