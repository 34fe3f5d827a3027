/** The wallet (console.md 6.13): balance, codes, online top-up, own orders. */
import { Anchor, Skeleton } from '@mantine/core';
import '@mantine/core/styles/Anchor.css';
import '@mantine/core/styles/Skeleton.css';
import '@mantine/core/styles/Text.css';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { InviteSection } from '../../account/invite-section.tsx';
import { useSelf } from '../../api/use-self.ts';
import { formatCount } from '../../components/format.ts';
import { Quota } from '../../components/quota.tsx';
import { ErrorPanel, PageHeader, Section, Stat, Stats } from '../../components/section.tsx';
import { useStatus } from '../../session/status.ts';
import { BalanceNote } from './balance-note.tsx';
import { OrdersTable } from './orders-table.tsx';
import { RedeemSection } from './redeem-section.tsx';
import { TopUpSection } from './top-up-section.tsx';
import classes from './wallet-page.module.css';

export function Page() {
  const { t } = useTranslation(['wallet', 'frame']);
  const status = useStatus();
  const self = useSelf();
  return (
    <>
      <PageHeader
        title={t('frame:page.wallet')}
        secondary={
          <Anchor component={Link} to="/log?range=&type=1">
            {t('history')}
          </Anchor>
        }
      />
      <div className={classes.page}>
        {self.isError && <ErrorPanel error={self.error} onRetry={() => self.refetch()} />}
        <Stats>
          <Stat
            label={t('balance')}
            value={self.data ? <Quota value={self.data.quota} /> : <Skeleton height={24} width={96} />}
            note={self.data && <BalanceNote self={self.data} />}
          />
          <Stat
            label={t('used')}
            value={self.data ? <Quota value={self.data.used_quota} /> : <Skeleton height={24} width={96} />}
          />
          <Stat
            label={t('requests')}
            value={self.data ? formatCount(self.data.request_count) : <Skeleton height={24} width={96} />}
          />
        </Stats>
        <div className={classes.ways}>
          <RedeemSection />
          {status && <TopUpSection status={status} />}
        </div>
        <Section title={t('orders.title')}>
          <OrdersTable />
        </Section>
        {self.data && <InviteSection self={self.data} />}
      </div>
    </>
  );
}
