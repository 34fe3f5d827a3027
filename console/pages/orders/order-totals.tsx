/** What all orders of the filter come to, each currency for itself; the part that was credited stands below. */
import { useTranslation } from 'react-i18next';
import type { OrderTotals as Totals } from '../../../daemon/contract/orders.ts';
import { formatInteger, formatMoney } from '../../components/format.ts';
import { Quota } from '../../components/quota.tsx';
import { Stat, Stats } from '../../components/section.tsx';
import classes from './orders.module.css';

export function OrderTotals({ totals }: { totals: readonly Totals[] }) {
  const { t } = useTranslation('orders');
  return totals.map(({ currency, count, quota, money, paid_count, paid_quota, paid_money }) => (
    <Stats key={currency}>
      <Stat
        label={t('totals.orders')}
        value={formatInteger(count)}
        note={t('totals.paid', { figure: formatInteger(paid_count) })}
        title={t('totals.ofFilter')}
      />
      <Stat
        label={t('totals.money')}
        value={<span className={classes.total}>{formatMoney(money, currency)}</span>}
        note={t('totals.paid', { figure: formatMoney(paid_money, currency) })}
        title={t('totals.ofFilter')}
      />
      <Stat
        label={t('totals.quota')}
        value={<Quota value={quota} />}
        note={
          <>
            {t('totals.credited')} <Quota value={paid_quota} />
          </>
        }
        title={t('totals.ofFilter')}
      />
    </Stats>
  ));
}
