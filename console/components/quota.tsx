/** Money and moments in running text and cells: short as text, exact as title (console.md 5). */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useStatus } from '../session/status.ts';
import {
  formatQuota,
  formatQuotaExact,
  formatRelative,
  formatTime,
  formatUtc,
  isDate,
  type MoneyUnits,
} from './format.ts';
import styles from './quota.module.css';

/** Taken until the first answer of a first visit. */
const unknownUnits: MoneyUnits = { quotaPerUnit: 500_000, isCurrency: true };

/** How this site shows quota. */
export function useMoneyUnits(): MoneyUnits {
  const status = useStatus();
  const quotaPerUnit = status?.quota_per_unit;
  const isCurrency = status?.display_in_currency;
  return useMemo(
    () =>
      quotaPerUnit === undefined || isCurrency === undefined ? unknownUnits : { quotaPerUnit, isCurrency: isCurrency },
    [quotaPerUnit, isCurrency],
  );
}

/** An amount of quota; `isUnlimited` says so instead. */
export function Quota({ value, isUnlimited }: { readonly value: number; readonly isUnlimited?: boolean }) {
  const units = useMoneyUnits();
  const { t } = useTranslation('enumerations');
  if (isUnlimited) return <span>{t('quota.unlimited')}</span>;
  return (
    <span className={styles.figure} data-negative={value < 0 || undefined} title={formatQuotaExact(value, units)}>
      {formatQuota(value, units)}
    </span>
  );
}

/** A moment in the browser's zone; 0 and less is never, which for `isExpiry` means that it does not end. */
export function Time({ seconds, isExpiry }: { readonly seconds: number; readonly isExpiry?: boolean }) {
  const { t, i18n } = useTranslation('enumerations');
  if (seconds <= 0) return <span>{isExpiry ? t('time.neverExpires') : t('time.never')}</span>;
  if (!isDate(seconds)) return <span className={styles.figure}>{formatTime(seconds)}</span>;
  const relative = formatRelative(seconds, Date.now() / 1000, i18n.language);
  return (
    <time
      className={styles.figure}
      dateTime={new Date(seconds * 1000).toISOString()}
      title={`${formatUtc(seconds)} · ${relative}`}
    >
      {formatTime(seconds)}
    </time>
  );
}
