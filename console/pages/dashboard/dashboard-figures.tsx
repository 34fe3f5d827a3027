/** The charts and the table of models of the dashboard. */
import { SegmentedControl } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UsageDataView } from '../../../daemon/contract/usage-data.ts';
import { Chart } from '../../components/chart.tsx';
import { formatCount, formatPercent, formatQuota } from '../../components/format.ts';
import { Quota, useMoneyUnits } from '../../components/quota.tsx';
import { Section } from '../../components/section.tsx';
import classes from './dashboard.module.css';
import { bucketsOf, modelSums, type Sums, sumsOf } from './dashboard-buckets.ts';
import type { Span } from './dashboard-range.ts';

const measures = ['quota', 'count', 'tokens'] as const satisfies readonly (keyof Sums)[];

export interface FiguresProps {
  readonly rows: readonly UsageDataView[];
  readonly span: Span;
  readonly zone: string;
}

export function Figures({ rows, span, zone }: FiguresProps) {
  const { t } = useTranslation('dashboard');
  const money = useMoneyUnits();
  const [measure, setMeasure] = useState<keyof Sums>('quota');
  const buckets = rows.length === 0 ? [] : bucketsOf(rows, { ...span, zone });
  const models = modelSums(rows);
  const total = sumsOf(rows).quota;
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
  return (
    <div className={classes.parts}>
      <Section
        title={t('chart.models')}
        actions={
          <SegmentedControl
            size="xs"
            aria-label={t('measure.label')}
            value={measure}
            onChange={(value) => setMeasure(measures.find((one) => one === value) ?? 'quota')}
            data={measures.map((value) => ({ value, label: t(`measure.${value}`) }))}
          />
        }
      >
        <Chart
          kind="stacked"
          label={t('chart.models')}
          pointLabel={t('chart.time')}
          points={buckets.map(({ name, rows: own }) => ({
            name,
            values: Object.fromEntries(modelSums(own).map((sums) => [sums.model, sums[measure]])),
          }))}
          series={models.map(({ model }) => ({ key: model, label: model }))}
          format={measure === 'quota' ? (value) => formatQuota(value, money) : formatCount}
        />
        <p className={classes.note}>{t('chart.zone', { zone })}</p>
      </Section>
      <Section title={t('chart.lines')}>
        {lines('count')}
        {lines('tokens')}
      </Section>
      {models.length > 0 && (
        <Section title={t('table.title')}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <section className={classes.scroller} aria-label={t('table.title')} tabIndex={0}>
            <table className={classes.table}>
              <thead>
                <tr>
                  <th scope="col">{t('table.model')}</th>
                  <th scope="col">{t('table.requests')}</th>
                  <th scope="col">{t('table.tokens')}</th>
                  <th scope="col">{t('table.cost')}</th>
                  <th scope="col">{t('table.share')}</th>
                </tr>
              </thead>
              <tbody>
                {models.map(({ model, count, tokens, quota }) => (
                  <tr key={model}>
                    <th scope="row">{model}</th>
                    <td>{formatCount(count)}</td>
                    <td>{formatCount(tokens)}</td>
                    <td>
                      <Quota value={quota} />
                    </td>
                    <td>{formatPercent(total > 0 ? quota / total : 0)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </Section>
      )}
    </div>
  );
}
