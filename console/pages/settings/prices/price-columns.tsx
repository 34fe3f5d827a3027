/** The columns that the two tables of prices share. */
import type { TFunction } from 'i18next';
import type { Column } from '../../../components/data-table-types.ts';
import { Tag } from '../../../components/tag.tsx';
import { PriceCell } from './price-cell.tsx';
import {
  inputPriceOf,
  isConflict,
  outputPriceOf,
  type PriceEntry,
  type PriceFigure,
  withFigure,
} from './price-entry.ts';
import classes from './prices.module.css';
import type { PriceEditing } from './use-price-edits.ts';

export interface PriceRow {
  readonly name: string;
  readonly entry: PriceEntry;
}

const dollars = (value: number | undefined): string => (value === undefined ? '' : `$${value}`);

export function priceColumns(
  { set, isEdited, wrong, setWrong }: PriceEditing,
  t: TFunction<'settings-prices'>,
): Column<PriceRow>[] {
  const figure = (of: PriceFigure, title: string): Column<PriceRow> => ({
    key: of,
    title,
    align: 'right',
    width: 118,
    card: 'figure',
    cell: ({ name, entry }) => (
      <PriceCell
        key={name}
        label={`${name}: ${title}`}
        value={entry[of]}
        refused={of !== 'price' && entry.price !== undefined ? t('cell.byCall') : undefined}
        wrong={wrong.find((cell) => cell.name === name && cell.figure === of)?.text}
        onWrong={(text) => setWrong({ name, figure: of }, text)}
        onChange={(value) => set([[name, withFigure(entry, of, value)]])}
      />
    ),
  });
  return [
    {
      key: 'name',
      title: t('column.name'),
      width: 280,
      card: 'title',
      pin: 'start',
      cell: ({ name, entry }) => (
        <span className={classes.name}>
          <span className={classes.nameText} title={name}>
            {name}
          </span>
          {isConflict(entry) && (
            <Tag tone="red" title={t('conflictText')}>
              {t('conflict')}
            </Tag>
          )}
          {isEdited(name) && <Tag tone="blue">{t('edited')}</Tag>}
        </span>
      ),
    },
    figure('price', t('column.price')),
    figure('ratio', t('column.ratio')),
    figure('completion', t('column.completion')),
    figure('cache', t('column.cache')),
    figure('creation', t('column.creation')),
    {
      key: 'input',
      title: t('column.input'),
      align: 'right',
      card: 'figure',
      cell: ({ entry }) => (entry.price === undefined ? dollars(inputPriceOf(entry)) : ''),
    },
    {
      key: 'output',
      title: t('column.output'),
      align: 'right',
      card: 'figure',
      cell: ({ entry }) => (entry.price === undefined ? dollars(outputPriceOf(entry)) : ''),
    },
  ];
}
