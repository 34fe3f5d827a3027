/** What there is to say of a balance: that it is low, and how long it lasts at the pace of the last days. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { SelfView } from '../../../daemon/contract/account.ts';
import { logs } from '../../../daemon/contract/logs.ts';
import { warningThreshold } from '../../account/notice-settings.ts';
import { callsFor } from '../../api/client.ts';
import classes from './wallet-page.module.css';

const calls = callsFor({ stat: logs.statOwn });

const paceDays = 7;
const daySeconds = 86_400;
/** Beyond that nobody plans. */
const mostDays = 365;

export function BalanceNote({ self }: { readonly self: SelfView }) {
  const { t } = useTranslation('wallet');
  const pace = useQuery({
    queryKey: ['wallet', 'pace', self.id],
    queryFn: ({ signal }) => {
      const end_timestamp = Math.floor(Date.now() / 1000);
      const start_timestamp = end_timestamp - paceDays * daySeconds;
      return calls.stat({ start_timestamp, end_timestamp }, { signal });
    },
  });
  const spent = pace.data?.quota ?? 0;
  const days = spent > 0 && self.quota > 0 ? Math.floor((self.quota * paceDays) / spent) : undefined;
  return (
    <>
      {self.quota <= warningThreshold(self.setting) && <div className={classes.low}>{t('low')}</div>}
      {days !== undefined && days <= mostDays && t('lasts', { count: days, days: paceDays })}
    </>
  );
}
