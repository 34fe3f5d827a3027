/** Figures of models, days, users or channels. On phones each row is a block of named figures. */
import { useTranslation } from 'react-i18next';
import { formatCount, formatPercent } from '../../components/format.ts';
import { Quota } from '../../components/quota.tsx';
import { Section } from '../../components/section.tsx';
import classes from './dashboard.module.css';
import type { Sums } from './dashboard-buckets.ts';

export interface FigureRow extends Sums {
  readonly name: string;
  /** Share of calls that failed, as text; a column of its own where the first row has one. */
  readonly failures?: string;
}

export interface FigureTableProps {
  readonly title: string;
  /** Head of the first column. */
  readonly nameLabel: string;
  readonly rows: readonly FigureRow[];
  /** Quota of all, of which each row has its share. */
  readonly total: number;
}

export function FigureTable({ title, nameLabel, rows, total }: FigureTableProps) {
  const { t } = useTranslation('dashboard');
  const hasFailures = rows[0]?.failures !== undefined;
  const columns = [
    'requests',
    'tokens',
    'cost',
    'perRequest',
    'share',
    ...(hasFailures ? ['failures' as const] : []),
  ] as const;
  return (
    <Section title={title}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.scroller} aria-label={title} tabIndex={0}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{nameLabel}</th>
              {columns.map((key) => (
                <th key={key} scope="col">
                  {t(`table.${key}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, count, tokens, quota, failures }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td data-label={t('table.requests')}>{formatCount(count)}</td>
                <td data-label={t('table.tokens')}>{formatCount(tokens)}</td>
                <td data-label={t('table.cost')}>
                  <Quota value={quota} />
                </td>
                <td data-label={t('table.perRequest')}>
                  {count > 0 ? <Quota value={Math.round(quota / count)} /> : '—'}
                </td>
                <td data-label={t('table.share')}>{formatPercent(total > 0 ? quota / total : 0)}</td>
                {hasFailures && <td data-label={t('table.failures')}>{failures}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  );
}
