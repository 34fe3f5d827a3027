/** How a figure stands to the one of the period before. */
import { useTranslation } from 'react-i18next';
import { formatPercent } from '../../components/format.ts';

export interface ChangeNoteProps {
  readonly now: number;
  readonly before: number;
}

export function ChangeNote({ now, before }: ChangeNoteProps) {
  const { t } = useTranslation('dashboard');
  if (before === 0) return <span>{t('change.none')}</span>;
  const change = now / before - 1;
  const sign = change > 0 ? '▲' : change < 0 ? '▼' : '=';
  return <span title={t('change.title')}>{`${sign} ${formatPercent(Math.abs(change))}`}</span>;
}
