/** One model's price: by call, or by token as ratios or in dollars, both in view. */
import { SegmentedControl, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/SegmentedControl.css';
import { Dialog } from '../../../components/section.tsx';
import { useTypedClose } from '../../../components/use-asked-close.ts';
import { FormEnd } from './form-end.tsx';
import {
  figureOf,
  figureProblem,
  inputPriceOf,
  outputPriceOf,
  type PriceEntries,
  type PriceEntry,
  ratiosOfPrices,
} from './price-entry.ts';
import classes from './prices.module.css';

interface PriceDialogProps {
  /** Absent: a model is added. */
  readonly name?: string;
  readonly entries: PriceEntries;
  /** Of models that stand in the table: none of them is added once more. */
  readonly isTaken: (name: string) => boolean;
  readonly onClose: () => void;
  readonly onSave: (name: string, entry: PriceEntry) => void;
}

const text = (value: number | undefined): string => (value === undefined ? '' : String(value));
const dollarText = (typed: string): string => (typed === '' ? '–' : `$${typed}`);

export function PriceDialog({ name, entries, isTaken, onClose, onSave }: PriceDialogProps) {
  const { t } = useTranslation(['settings-prices', 'frame']);
  const before = (name === undefined ? undefined : entries.get(name)) ?? {};
  const [typedName, setTypedName] = useState('');
  const [isByCall, setIsByCall] = useState(before.price !== undefined);
  const [isByPrice, setIsByPrice] = useState(false);
  const [price, setPrice] = useState(text(before.price));
  const [ratio, setRatio] = useState(text(before.ratio));
  const [completion, setCompletion] = useState(text(before.completion));
  const [input, setInput] = useState(text(inputPriceOf(before)));
  const [output, setOutput] = useState(text(outputPriceOf(before)));
  const [problem, setProblem] = useState<string>();
  const { close, onInput } = useTypedClose(onClose);

  const typeRatios = (nextRatio: string, nextCompletion: string) => {
    setRatio(nextRatio);
    setCompletion(nextCompletion);
    const [one, two] = [figureOf(nextRatio)?.value, figureOf(nextCompletion)?.value];
    const entry = { ...(one === undefined ? {} : { ratio: one }), ...(two === undefined ? {} : { completion: two }) };
    setInput(text(inputPriceOf(entry)));
    setOutput(text(outputPriceOf(entry)));
  };
  const typePrices = (nextInput: string, nextOutput: string) => {
    setInput(nextInput);
    setOutput(nextOutput);
    const into = figureOf(nextInput)?.value;
    if (into === undefined || into === 0) return;
    const ratios = ratiosOfPrices(into, figureOf(nextOutput)?.value);
    setRatio(text(ratios.ratio));
    setCompletion(text(ratios.completion));
  };

  /** The entry, or what is wrong with it. */
  const read = (): PriceEntry | string => {
    const shown = isByCall ? [price] : isByPrice ? [input, output] : [ratio, completion];
    const figures = shown.map(figureOf);
    const [problem] = shown.flatMap((typed) => figureProblem(typed) ?? []);
    if (problem) return t(`cell.${problem}`);
    if (figures[0]?.value === undefined) return t('cell.number');
    if (isByCall) return { price: figures[0].value };
    if (isByPrice && figures[0].value === 0) return t('dialog.zero');
    const { price: _, ratio: _ratio, completion: _completion, ...others } = before;
    if (isByPrice) return { ...others, ...ratiosOfPrices(figures[0].value, figures[1]?.value) };
    const second = figures[1]?.value;
    return { ...others, ratio: figures[0].value, ...(second === undefined ? {} : { completion: second }) };
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    const model = name ?? typedName.trim();
    const entry = read();
    if (model === '') setProblem(t('dialog.nameMissing'));
    else if (name === undefined && isTaken(model)) setProblem(t('dialog.nameTaken'));
    else if (typeof entry === 'string') setProblem(entry);
    else {
      onSave(model, entry);
      onClose();
    }
  };
  return (
    <Dialog opened onClose={close} title={name === undefined ? t('dialog.add') : t('dialog.edit')}>
      <form className={classes.form} onSubmit={save} onInput={onInput}>
        {name === undefined ? (
          <TextInput
            label={t('column.name')}
            value={typedName}
            onChange={(event) => setTypedName(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        ) : (
          <code className={classes.model}>{name}</code>
        )}
        <SegmentedControl
          aria-label={t('dialog.mode')}
          value={isByCall ? 'call' : 'token'}
          data={[
            { value: 'token', label: t('dialog.byToken') },
            { value: 'call', label: t('dialog.byCall') },
          ]}
          onChange={(value) => setIsByCall(value === 'call')}
        />
        {isByCall ? (
          <TextInput
            label={t('dialog.price')}
            inputMode="decimal"
            value={price}
            onChange={(event) => setPrice(event.currentTarget.value)}
          />
        ) : (
          <>
            <SegmentedControl
              aria-label={t('dialog.style')}
              value={isByPrice ? 'price' : 'ratio'}
              data={[
                { value: 'ratio', label: t('dialog.asRatio') },
                { value: 'price', label: t('dialog.asPrice') },
              ]}
              onChange={(value) => setIsByPrice(value === 'price')}
            />
            {isByPrice ? (
              <Pair
                first={{ label: t('column.input'), value: input, onChange: (value) => typePrices(value, output) }}
                second={{ label: t('column.output'), value: output, onChange: (value) => typePrices(input, value) }}
              />
            ) : (
              <Pair
                first={{ label: t('column.ratio'), value: ratio, onChange: (value) => typeRatios(value, completion) }}
                second={{
                  label: t('column.completion'),
                  value: completion,
                  onChange: (value) => typeRatios(ratio, value),
                }}
              />
            )}
            <p className={classes.hint} role="status">
              {isByPrice
                ? t('dialog.asRatios', { ratio: ratio || '–', completion: completion || '–' })
                : t('dialog.asPrices', { input: dollarText(input), output: dollarText(output) })}
            </p>
          </>
        )}
        <FormEnd problem={problem} act={t('frame:action.confirm')} onClose={close} />
      </form>
    </Dialog>
  );
}

interface Half {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Pair({ first, second }: { first: Half; second: Half }) {
  return (
    <div className={classes.pair}>
      {[first, second].map(({ label, value, onChange }) => (
        <TextInput
          key={label}
          label={label}
          inputMode="decimal"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      ))}
    </div>
  );
}
