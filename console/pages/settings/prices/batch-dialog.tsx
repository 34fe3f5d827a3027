/** The same figures for every chosen model. */
import { Select, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { Dialog } from '../../../components/section.tsx';
import { FormEnd } from './form-end.tsx';
import { figureOf, figureProblem, type PriceEntry } from './price-entry.ts';
import classes from './prices.module.css';

const kinds = ['price', 'ratio', 'completion', 'both'] as const;
type Kind = (typeof kinds)[number];

interface BatchDialogProps {
  readonly count: number;
  readonly onClose: () => void;
  /** Told how to fill an entry. */
  readonly onFill: (fill: (entry: PriceEntry) => PriceEntry) => void;
}

export function BatchDialog({ count, onClose, onFill }: BatchDialogProps) {
  const { t } = useTranslation(['settings-prices', 'frame']);
  const [kind, setKind] = useState<Kind>('price');
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const [problem, setProblem] = useState<string>();
  const isBoth = kind === 'both';
  const fill = (event: FormEvent) => {
    event.preventDefault();
    const typed = isBoth ? [first, second] : [first];
    if (typed.some((value) => value.trim() === '')) {
      setProblem(isBoth ? t('batch.bothMissing') : t('batch.missing'));
      return;
    }
    const [one, two] = typed.map((value) => figureOf(value)?.value);
    if (one === undefined || (isBoth && two === undefined)) {
      const [reason = 'number'] = typed.flatMap((value) => figureProblem(value) ?? []);
      setProblem(reason === 'number' ? t('batch.number') : t(`cell.${reason}`));
      return;
    }
    onFill(({ price: _, ...entry }) => {
      if (kind === 'price') return { price: one };
      if (kind === 'ratio') return { ...entry, ratio: one };
      if (kind === 'completion') return { ...entry, completion: one };
      return { ...entry, ratio: one, ...(two === undefined ? {} : { completion: two }) };
    });
    onClose();
  };
  return (
    <Dialog opened onClose={onClose} title={t('batch.title', { count })}>
      <form className={classes.form} onSubmit={fill}>
        <Select
          label={t('batch.kind')}
          value={kind}
          data={kinds.map((value) => ({ value, label: t(`batch.kinds.${value}`) }))}
          onChange={(value) => setKind(kinds.find((known) => known === value) ?? 'price')}
        />
        <TextInput
          label={isBoth ? t('column.ratio') : t('batch.value')}
          inputMode="decimal"
          value={first}
          onChange={(event) => setFirst(event.currentTarget.value)}
        />
        {isBoth && (
          <TextInput
            label={t('column.completion')}
            inputMode="decimal"
            value={second}
            onChange={(event) => setSecond(event.currentTarget.value)}
          />
        )}
        <FormEnd problem={problem} act={t('frame:action.apply')} onClose={onClose} />
      </form>
    </Dialog>
  );
}
