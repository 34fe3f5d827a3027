/** Who made a call, for administrators (console.md 6.14). */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { ApiError } from '../../../daemon/contract/client.ts';
import { users as endpoints } from '../../../daemon/contract/users.ts';
import { callsFor } from '../../api/client.ts';
import { Quota } from '../../components/quota.tsx';
import { Dialog, ErrorPanel } from '../../components/section.tsx';
import classes from './log-details.module.css';

const users = callsFor(endpoints);

export function UserDialog({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const { t } = useTranslation('logs');
  const { data, error, refetch } = useQuery({
    queryKey: ['users', id],
    queryFn: ({ signal }) => users.get({ id }, { signal }),
  });
  return (
    <Dialog opened onClose={onClose} title={t('user.title')}>
      {error ? <ErrorPanel error={error} {...(isDecided(error) ? {} : { onRetry: () => void refetch() })} /> : null}
      {data === undefined ? null : (
        <dl className={classes.details}>
          <Figure name={t('user.name')}>{data.username}</Figure>
          <Figure name={t('user.balance')}>
            <Quota value={data.quota} />
          </Figure>
          <Figure name={t('user.used')}>
            <Quota value={data.used_quota} />
          </Figure>
          <Figure name={t('user.requests')}>{data.request_count.toLocaleString('en-US')}</Figure>
          <Figure name={t('user.group')}>{data.group}</Figure>
        </dl>
      )}
      {data === undefined ? null : (
        <p>
          <Link to={`/user?keyword=${encodeURIComponent(data.username)}`}>{t('user.open')}</Link>
        </p>
      )}
    </Dialog>
  );
}

/** True for what another try would not change: of equals and of root one is told nothing, and who is gone stays gone. */
function isDecided(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'user_same_level' || error.code === 'user_not_found');
}

function Figure({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className={classes.item}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
