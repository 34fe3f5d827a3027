/** A figure in a table, typed in place; what is no number stays until it is mended, and says so. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../../../components/toast.ts';
import { figureOf } from './price-entry.ts';
import classes from './prices.module.css';

interface PriceCellProps {
  readonly label: string;
  readonly value: number | undefined;
  /** Why it cannot be typed in; undefined when it can. */
  readonly refused?: string | undefined;
  readonly onChange: (value: number | undefined) => void;
}

export function PriceCell({ label, value, refused, onChange }: PriceCellProps) {
  const { t } = useTranslation('settings-prices');
  /** What was typed and is no number, or is being typed. */
  const [typed, setTyped] = useState<string>();
  const isBad = typed !== undefined && figureOf(typed) === undefined;
  return (
    <input
      className={classes.cell}
      aria-label={label}
      aria-invalid={isBad}
      inputMode="decimal"
      autoComplete="off"
      disabled={refused !== undefined}
      title={refused ?? (isBad ? t('cell.number') : undefined)}
      value={typed ?? (value === undefined ? '' : String(value))}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => {
        if (typed === undefined) return;
        const figure = figureOf(typed);
        if (!figure) {
          toast.error(t('cell.number'));
          return;
        }
        setTyped(undefined);
        if (figure.value !== value) onChange(figure.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') setTyped(undefined);
      }}
    />
  );
}
