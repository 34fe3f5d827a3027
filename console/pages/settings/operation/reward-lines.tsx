/** What rewards come to, as their figures stand on the screen. */
import { useTranslation } from 'react-i18next';
import { formatQuota } from '../../../components/format.ts';
import { useMoneyUnits } from '../../../components/quota.tsx';
import { useOptionText } from '../settings-context.tsx';
import classes from './operation.module.css';

export function CheckInLine() {
  const { t } = useTranslation('settings');
  const units = useMoneyUnits();
  const least = Number(useOptionText('CheckInQuota'));
  const most = Number(useOptionText('CheckInMaxQuota'));
  if (!Number.isFinite(least) || !Number.isFinite(most)) return null;
  const a = formatQuota(least, units);
  return (
    <p className={classes.line}>
      {most > least ? t('checkIn.random', { a, b: formatQuota(most, units) }) : t('checkIn.fixed', { a })}
    </p>
  );
}

const exampleDollars = 10;

export function RebateExample() {
  const { t } = useTranslation('settings');
  const share = Number(useOptionText('RebatePercentage'));
  if (!(share >= 0 && share <= 100)) return null;
  const amount = `$${exampleDollars.toFixed(2)}`;
  const reward = `$${((exampleDollars * share) / 100).toFixed(2)}`;
  return <p className={classes.line}>{t('rebate.example', { amount, reward })}</p>;
}
