/** A figure in a table, typed in place; what is no number stays until it is mended, wherever the table goes, and says so. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../../../components/toast.ts';
import { figureOf, figureProblem } from './price-entry.ts';
import classes from './prices.module.css';

interface PriceCellProps {
  readonly label: string;
  readonly value: number | undefined;
  /** Why it cannot be typed in; undefined when it can. */
  readonly refused?: string | undefined;
  /** What was typed into it before and is no number. */
  readonly wrong: string | undefined;
  /** Undefined: what was typed is taken back. */
  readonly onWrong: (text: string | undefined) => void;
  readonly onChange: (value: number | undefined) => void;
}

export function PriceCell({ label, value, refused, wrong, onWrong, onChange }: PriceCellProps) {
  const { t } = useTranslation('settings-prices');
  const [typed, setTyped] = useState<string>();
  const text = typed ?? wrong;
  const problem = text === undefined ? undefined : figureProblem(text);
  return (
    <input
      className={classes.cell}
      aria-label={label}
      aria-invalid={problem !== undefined}
      inputMode="decimal"
      autoComplete="off"
      disabled={refused !== undefined}
      title={refused ?? (problem && t(`cell.${problem}`))}
      value={text ?? (value === undefined ? '' : String(value))}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => {
        if (typed === undefined) return;
        setTyped(undefined);
        const figure = figureOf(typed);
        if (!figure) {
          onWrong(typed);
          if (problem) toast.error(t(`cell.${problem}`));
          return;
        }
        if (wrong !== undefined) onWrong(undefined);
        if (figure.value !== value) onChange(figure.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') {
          setTyped(undefined);
          if (wrong !== undefined) onWrong(undefined);
        }
      }}
    />
  );
}
