/** A figure on the colour of its level; the limits stand in its title, so that colour is never the only sign. */
import { useTranslation } from 'react-i18next';
import { formatPercent } from '../../components/format.ts';
import { Tag } from '../../components/tag.tsx';
import {
  type Level,
  type Limits,
  levelOf,
  levelTone,
  successLevel,
  successLimits,
  successRate,
} from './health-levels.ts';

/** @param unit part of the text of the limits, such as ` ms` */
export function LimitTag({
  value,
  limits,
  unit,
}: {
  readonly value: number;
  readonly limits: Limits;
  readonly unit: string;
}) {
  const { t } = useTranslation('health');
  const level = levelOf(value, limits);
  const title = `${t(`level.${level}`)} · ${t('limits.most', { fair: limits.fair, bad: limits.bad, unit })}`;
  return (
    <Tag tone={levelTone[level]} title={title}>
      {`${value}${unit}`}
    </Tag>
  );
}

/** `99.2%` with the calls behind it. */
export function SuccessTag({ calls }: { readonly calls: { readonly requests: number; readonly failures: number } }) {
  const { t } = useTranslation('health');
  const level: Level = successLevel(calls);
  const rate = successRate(calls);
  if (rate === undefined) return <Tag title={t('limits.noCalls')}>—</Tag>;
  const title = [
    t(`level.${level}`),
    t('limits.calls', { requests: calls.requests, failures: calls.failures }),
    t('limits.least', { good: formatPercent(successLimits.good), fair: formatPercent(successLimits.fair) }),
  ].join(' · ');
  return (
    <Tag tone={levelTone[level]} title={title}>
      {formatPercent(rate)}
    </Tag>
  );
}
