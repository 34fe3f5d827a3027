/** What past charges come to by other prices: the sums, by whom or what, and the charges that are left as they are. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { RerateReport } from '../../../../daemon/contract/price-rerate.ts';
import { DataTable } from '../../../components/data-table.tsx';
import type { Column } from '../../../components/data-table-types.ts';
import { movedBy } from '../../../components/diff-values.ts';
import { formatInteger, formatPercent, formatQuota, type MoneyUnits } from '../../../components/format.ts';
import { Quota, useMoneyUnits } from '../../../components/quota.tsx';
import { Stat, Stats } from '../../../components/section.tsx';
import classes from './prices.module.css';
import { type RerateSum, sumOf } from './rerate-sum.ts';
import type { RerateQuestion } from './use-rerate.ts';

/** Requests of a reason that are named at once. */
const namedRequests = 3;

interface RerateReportProps {
  readonly title: string;
  readonly report: RerateReport;
  readonly by: RerateQuestion['by'];
}

export function RerateReportView({ title, report, by }: RerateReportProps) {
  const { t } = useTranslation('settings-price-work');
  const units = useMoneyUnits();
  const sum = useMemo(() => sumOf(report.rows), [report]);
  const rows = useMemo(() => [...report.rows].sort((a, b) => moved(b) - moved(a)), [report]);
  const columns = useMemo(
    (): Column<RerateSum>[] => [
      { key: 'key', title: t(`rerate.by.${by}`), card: 'title', cell: ({ key }) => key, export: ({ key }) => key },
      {
        key: 'requests',
        title: t('rerate.requests'),
        align: 'right',
        card: 'figure',
        cell: ({ requests }) => formatInteger(requests),
        export: ({ requests }) => requests,
      },
      {
        key: 'charged',
        title: t('rerate.charged'),
        align: 'right',
        card: 'figure',
        cell: ({ charged }) => <Quota value={charged} />,
        export: ({ charged }) => charged,
      },
      {
        key: 'would_be',
        title: t('rerate.wouldBe'),
        align: 'right',
        card: 'figure',
        cell: ({ would_be }) => <Quota value={would_be} />,
        export: ({ would_be }) => would_be,
      },
      {
        key: 'change',
        title: t('rerate.change'),
        align: 'right',
        card: 'status',
        cell: (row) => <span className={classes.figure}>{changeText(row, units)}</span>,
        export: ({ charged, would_be }) => would_be - charged,
      },
    ],
    [t, by, units],
  );
  return (
    <div className={classes.form}>
      <strong>{title}</strong>
      <Stats>
        <Stat label={t('rerate.differing')} value={formatInteger(report.differing)} />
        <Stat label={t('rerate.charged')} value={<Quota value={sum.charged} />} />
        <Stat label={t('rerate.wouldBe')} value={<Quota value={sum.would_be} />} />
        <Stat label={t('rerate.change')} value={differenceText(sum, units)} note={percentText(sum)} />
      </Stats>
      <DataTable
        label={title}
        rows={rows}
        rowKey={({ key }) => key}
        columns={columns}
        state={{ isLoading: false }}
        empty={t('rerate.nothing')}
        storageKey="columns:rerate"
        fileName="rerate"
      />
      {report.left.length > 0 && (
        <div>
          <strong>{t('rerate.left')}</strong>
          <ul className={classes.reasons}>
            {report.left.map(({ reason, rows: count, charged, request_ids: ids }) => (
              <li key={reason}>
                {t('rerate.leftRows', {
                  count,
                  replace: { count: formatInteger(count) },
                  amount: formatQuota(charged, units),
                  reason: t(`reason.${reason}`),
                })}
                {ids.slice(0, namedRequests).map((id) => (
                  <Link key={id} className={classes.request} to={`/log?range=&request_id=${encodeURIComponent(id)}`}>
                    {id}
                  </Link>
                ))}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function moved({ charged, would_be }: RerateSum): number {
  return Math.abs(would_be - charged);
}

const signed = (value: number, text: string) => (value > 0 ? `+${text}` : text);

function differenceText({ charged, would_be: wouldBe }: RerateSum, units: MoneyUnits): string {
  return signed(wouldBe - charged, formatQuota(wouldBe - charged, units));
}

/** "" where that says nothing. */
function percentText({ charged, would_be: wouldBe }: RerateSum): string {
  const percent = movedBy({ name: '', before: charged, after: wouldBe }) ?? 0;
  return percent === 0 ? '' : signed(percent, formatPercent(percent));
}

/** `+$1.20 (+10.0%)`. */
function changeText(row: RerateSum, units: MoneyUnits): string {
  const percent = percentText(row);
  return percent === '' ? differenceText(row, units) : `${differenceText(row, units)} (${percent})`;
}
