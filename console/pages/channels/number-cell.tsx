/** A number of a row that is changed where it stands: a click, a figure, Enter. */
import { type KeyboardEvent, useRef, useState } from 'react';
import classes from './cells.module.css';
import { isInteger } from './whole-number.ts';

export interface NumberCellProps {
  /** Undefined where the rows behind it differ. */
  readonly value: number | undefined;
  /** Shown for undefined. */
  readonly mixed?: string;
  /** Shown for 0, where that is no limit. */
  readonly unlimited?: string;
  readonly lowest: number;
  readonly highest?: number;
  /** Accessible name: what the number is and whose. */
  readonly label: string;
  /** Said of what is no such number. */
  readonly refusal: string;
  /** Said instead of a whole number that is below the lowest. */
  readonly tooLow?: string;
  readonly onSave: (value: number) => void;
}

export function NumberCell(props: NumberCellProps) {
  const { value, mixed = '', unlimited, lowest, highest, label, refusal, tooLow = refusal, onSave } = props;
  const [text, setText] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  if (text === undefined) {
    return (
      <button
        type="button"
        className={classes.number}
        aria-label={`${label}: ${value ?? mixed}`}
        onClick={() => setText(value === undefined ? '' : String(value))}
      >
        {value === undefined ? <span className={classes.mixed}>{mixed}</span> : value === 0 ? (unlimited ?? 0) : value}
      </button>
    );
  }
  const isRight = text.trim() === '' || isInteger(text, lowest, highest);
  const save = () => {
    if (!isRight) return;
    setText(undefined);
    if (text.trim() !== '' && Number(text) !== value) onSave(Number(text));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    event.stopPropagation();
    if (event.key === 'Enter') save();
    if (event.key === 'Escape') setText(undefined);
  };
  return (
    <>
      <input
        ref={input}
        // The click that opened it asked for it.
        // biome-ignore lint/a11y/noAutofocus: the button that had the focus became this input
        autoFocus
        className={classes.numberInput}
        inputMode="numeric"
        aria-label={label}
        aria-invalid={!isRight}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={() => (isRight ? save() : setText(undefined))}
        onKeyDown={onKeyDown}
      />
      {!isRight && (
        <span className={classes.refusal} style={below(input.current)} role="alert">
          {isInteger(text, Number.MIN_SAFE_INTEGER) ? tooLow : refusal}
        </span>
      )}
    </>
  );
}

/** Beside the window's edges and not within the cell, which cuts what is larger. */
function below(input: HTMLInputElement | null) {
  const place = input?.getBoundingClientRect();
  return place ? { top: place.bottom + 6, right: window.innerWidth - place.right } : undefined;
}
