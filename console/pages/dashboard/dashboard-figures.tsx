/** The charts and tables of what was used. */
import { SegmentedControl } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UsageDataView } from '../../../daemon/contract/usage-data.ts';
import { Chart } from '../../components/chart.tsx';
import { formatCount, formatQuota } from '../../components/format.ts';
import { useMoneyUnits } from '../../components/quota.tsx';
import { Section } from '../../components/section.tsx';
import { usePhone } from '../../components/use-phone.ts';
import classes from './dashboard.module.css';
import { bucketsOf, modelSums, type Sums, sumsOf } from './dashboard-buckets.ts';
import type { Span } from './dashboard-range.ts';
import { FigureTable } from './figure-table.tsx';

const measures = ['quota', 'count', 'tokens'] as const satisfies readonly (keyof Sums)[];
const charts = ['models', 'shares', 'lines'] as const;
const mostDays = 5;

export interface FiguresProps {
  readonly rows: readonly UsageDataView[];
  readonly span: Span;
  readonly zone: string;
}

export function Figures({ rows, span, zone }: FiguresProps) {
  const { t } = useTranslation('dashboard');
  const money = useMoneyUnits();
  const isPhone = usePhone();
  const [measure, setMeasure] = useState<keyof Sums>('quota');
  const [chosen, setChosen] = useState<(typeof charts)[number]>('models');
  const buckets = rows.length === 0 ? [] : bucketsOf(rows, { ...span, zone });
  const models = modelSums(rows);
  const total = sumsOf(rows).quota;
  const format = measure === 'quota' ? (value: number) => formatQuota(value, money) : formatCount;
  // What is opened beside an invoice says money as the page does.
  const fileFigure =
    measure === 'quota' && money.isCurrency ? (value: number) => value / money.quotaPerUnit : undefined;
  const days = rows.length === 0 ? [] : bucketsOf(rows, { ...span, unit: 'day', zone });
  const dearest = days
    .map(({ name, rows: own }) => ({ name, ...sumsOf(own) }))
    .filter(({ count, quota }) => count > 0 || quota > 0)
    .toSorted((a, b) => b.quota - a.quota)
    .slice(0, mostDays);

  const choice = (
    <SegmentedControl
      size="xs"
      aria-label={t('measure.label')}
      value={measure}
      onChange={(value) => setMeasure(measures.find((one) => one === value) ?? 'quota')}
      data={measures.map((value) => ({ value, label: t(`measure.${value}`) }))}
    />
  );
  const lines = (key: 'count' | 'tokens') => (
    <Chart
      kind="lines"
      label={t(`measure.${key}`)}
      pointLabel={t('chart.time')}
      height={200}
      points={buckets.map(({ name, rows: own }) => ({ name, values: { [key]: sumsOf(own)[key] } }))}
      series={[{ key, label: t(`measure.${key}`) }]}
    />
  );
  const drawings: Readonly<Record<(typeof charts)[number], ReactNode>> = {
    models: (
      <Section key="models" title={t('chart.models')} actions={choice}>
        <Chart
          kind="stacked"
          label={t('chart.models')}
          pointLabel={t('chart.time')}
          points={buckets.map(({ name, rows: own }) => ({
            name,
            values: Object.fromEntries(modelSums(own).map((sums) => [sums.model, sums[measure]])),
          }))}
          series={models.map(({ model }) => ({ key: model, label: model }))}
          format={format}
          fileFigure={fileFigure}
        />
        <p className={classes.note}>{t('chart.zone', { zone })}</p>
      </Section>
    ),
    shares: (
      <Section key="shares" title={t('chart.shares')} {...(isPhone ? { actions: choice } : {})}>
        <Chart
          kind="ring"
          label={t('chart.shares')}
          pointLabel={t('table.model')}
          points={models.map((sums) => ({ name: sums.model, values: { share: sums[measure] } }))}
          series={[{ key: 'share', label: t(`measure.${measure}`) }]}
          format={format}
          fileFigure={fileFigure}
        />
      </Section>
    ),
    lines: (
      <Section key="lines" title={t('chart.lines')}>
        {lines('count')}
        {lines('tokens')}
      </Section>
    ),
  };
  return (
    <div className={classes.parts}>
      {isPhone && (
        <SegmentedControl
          fullWidth
          aria-label={t('chart.choice')}
          value={chosen}
          onChange={(value) => setChosen(charts.find((one) => one === value) ?? 'models')}
          data={charts.map((value) => ({ value, label: t(`chart.${value}Short`) }))}
        />
      )}
      {isPhone ? (
        drawings[chosen]
      ) : (
        <>
          <div className={classes.pair}>
            <div>{drawings.models}</div>
            <div>{drawings.shares}</div>
          </div>
          {drawings.lines}
        </>
      )}
      {models.length > 0 && (
        <FigureTable
          title={t('table.title')}
          nameLabel={t('table.model')}
          total={total}
          rows={models.map(({ model, ...sums }) => ({ name: model, ...sums }))}
        />
      )}
      {dearest.length > 1 && (
        <FigureTable title={t('table.days')} nameLabel={t('table.day')} total={total} rows={dearest} />
      )}
    </div>
  );
}
