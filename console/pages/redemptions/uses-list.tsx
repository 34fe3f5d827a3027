import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { RedemptionView } from '../../../daemon/contract/redemptions.ts';
import { Quota, Time } from '../../components/quota.tsx';
import { ErrorPanel } from '../../components/section.tsx';
import { redemptions, redemptionsKey } from './redemption-calls.ts';
import classes from './redemptions.module.css';

const pageSize = 20;

/** Who used a code and when. */
export function UsesList({ row }: { row: RedemptionView }) {
  const { t } = useTranslation(['redemptions', 'frame']);
  const uses = useInfiniteQuery({
    queryKey: [redemptionsKey, 'uses', row.id],
    enabled: row.is_gift,
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      redemptions.uses({ id: row.id, page: pageParam, page_size: pageSize }, { signal }),
    getNextPageParam: (last, pages) => (pages.length * pageSize < last.total ? pages.length + 1 : undefined),
  });
  if (!row.is_gift) {
    if (row.used_user_id === 0) return <span className={classes.muted}>{t('uses.none')}</span>;
    return (
      <span>
        {t('uses.by')} <Link to={`/user/edit/${row.used_user_id}`}>{row.used_user_id}</Link> ·{' '}
        <Time seconds={row.redeemed_time} />
      </span>
    );
  }
  if (uses.error) return <ErrorPanel error={uses.error} onRetry={() => void uses.refetch()} />;
  if (!uses.data) return <span className={classes.muted}>{t('frame:state.loading')}</span>;
  const found = uses.data.pages.flatMap(({ items }) => items);
  if (found.length === 0) return <span className={classes.muted}>{t('uses.none')}</span>;
  return (
    <div className={classes.uses}>
      <ul aria-label={t('uses.title')}>
        {found.map((use) => (
          <li key={`${use.user_id}-${use.used_time}`}>
            <Link to={`/user/edit/${use.user_id}`}>{use.username || use.user_id}</Link>
            <Quota value={use.quota} />
            <Time seconds={use.used_time} />
          </li>
        ))}
      </ul>
      {uses.hasNextPage && (
        <div>
          <Button
            variant="default"
            size="xs"
            loading={uses.isFetchingNextPage}
            onClick={() => void uses.fetchNextPage()}
          >
            {t('uses.more')}
          </Button>
        </div>
      )}
    </div>
  );
}
