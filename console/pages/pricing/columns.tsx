/** What the list of prices shows of each model. */
import { IconCheck } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import type { PriceView } from '../../../daemon/contract/pricing.ts';
import type { Column } from '../../components/data-table-types.ts';
import { formatInteger } from '../../components/format.ts';
import { ModelName } from '../../components/model-name.tsx';
import { Tag } from '../../components/tag.tsx';
import { groupTone } from '../../components/tones.ts';
import { factorOf, priceByCall, pricesByToken } from './model-prices.ts';
import classes from './pricing.module.css';

export interface ShownGroup {
  readonly name: string;
  readonly ratio: number;
}

export interface PriceColumns {
  readonly t: TFunction<['pricing', 'frame']>;
  readonly group: ShownGroup;
  readonly quotaPerUnit: number;
  readonly onGroup: (name: string) => void;
}

export function priceColumns({ t, group, quotaPerUnit, onGroup }: PriceColumns): readonly Column<PriceView>[] {
  const prices = (model: PriceView) => priceLines(model, group.ratio, quotaPerUnit, t);
  return [
    {
      key: 'available',
      title: t('column.available'),
      width: 88,
      cell: ({ enable_groups }) =>
        enable_groups.includes(group.name) ? (
          <span className={classes.tick} role="img" aria-label={t('available')} title={t('available')}>
            <IconCheck size={16} stroke={2} />
          </span>
        ) : (
          <span title={t('unavailable')}>–</span>
        ),
    },
    {
      key: 'model',
      title: t('column.model'),
      card: 'title',
      cell: ({ model_name }) => <ModelName name={model_name} />,
      export: ({ model_name }) => model_name,
    },
    {
      key: 'billing',
      title: t('column.billing'),
      card: 'status',
      cell: ({ quota_type }) => (
        <Tag tone={quota_type === 1 ? 'cyan' : 'purple'}>
          {quota_type === 1 ? t('billing.call') : t('billing.token')}
        </Tag>
      ),
      export: ({ quota_type }) => (quota_type === 1 ? t('billing.call') : t('billing.token')),
    },
    {
      key: 'groups',
      title: t('column.groups'),
      card: 'meta',
      cell: ({ enable_groups }) => (
        <span className={classes.groups}>
          {enable_groups.map((name) => (
            <button
              key={name}
              type="button"
              className={classes.group}
              aria-pressed={name === group.name}
              title={t('viewGroup', { group: name })}
              onClick={() => onGroup(name)}
            >
              <Tag tone={groupTone(name)}>{name}</Tag>
            </button>
          ))}
        </span>
      ),
      export: ({ enable_groups }) => enable_groups.join(' '),
    },
    {
      key: 'ratios',
      title: t('column.ratios'),
      cell: (model) =>
        model.quota_type === 1 ? (
          t('frame:state.none')
        ) : (
          <span className={classes.ratios}>
            {ratioLines(model, group.ratio, t).map(({ label, value }) => (
              <span key={label}>
                <span className={classes.dim}>{label}</span> {value}
              </span>
            ))}
          </span>
        ),
    },
    {
      key: 'price',
      title: t('column.price'),
      card: 'figure',
      sortable: true,
      cell: (model) => (
        <span className={classes.prices}>
          {prices(model).map((line) => (
            <span key={line}>{line}</span>
          ))}
        </span>
      ),
      export: (model) => prices(model).join('; '),
    },
  ];
}

function ratioLines(model: PriceView, groupRatio: number, t: PriceColumns['t']) {
  const known: readonly (readonly [string, number | undefined])[] = [
    [t('ratio.model'), model.model_ratio],
    [t('ratio.completion'), model.completion_ratio],
    [model.rate_ratio === undefined ? t('ratio.group') : t('ratio.own'), factorOf(model, groupRatio)],
    [t('ratio.cache'), unlessOne(model.cache_ratio)],
    [t('ratio.creation'), unlessOne(model.create_cache_ratio)],
    [t('ratio.audio'), unlessOne(model.audio_ratio)],
    [t('ratio.image'), unlessOne(model.image_ratio)],
  ];
  return known.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value: plain(value) }]));
}

/** A ratio of 1 changes nothing. */
const unlessOne = (ratio: number | undefined): number | undefined => (ratio === 1 ? undefined : ratio);

/** Without the noise of binary fractions. */
export const plain = (ratio: number): string => String(Number(ratio.toPrecision(12)));

function priceLines(model: PriceView, ratio: number, quotaPerUnit: number, t: PriceColumns['t']): readonly string[] {
  if (model.quota_type === 1) return [t('price.call', { price: priceByCall(model, ratio) })];
  return pricesByToken(model, ratio, quotaPerUnit).flatMap(({ inputOver, outputOver, prompt, completion }) => {
    const lines = [t('price.prompt', { price: prompt }), t('price.completion', { price: completion })];
    if (inputOver === 0) return lines;
    const over =
      outputOver === undefined
        ? t('price.over', { input: formatInteger(inputOver) })
        : t('price.overBoth', { input: formatInteger(inputOver), output: formatInteger(outputOver) });
    return [over, ...lines.map((line) => `· ${line}`)];
  });
}
