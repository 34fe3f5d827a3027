/** Lines above the page: no network, no server, a newer console. */
import { useNetwork } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { status as endpoints } from '../../daemon/contract/status.ts';
import { callsFor } from '../api/client.ts';
import { reach } from '../api/reach.ts';
import { usePoll } from '../api/use-poll.ts';
import { formatTime } from '../components/format.ts';
import { isStatusFresh, statusLoaded, useStatus } from '../session/status.ts';
import { useStore } from '../session/store.ts';
import classes from './site-bars.module.css';

/** What this page was built as; absent where the sources are served as they are. */
const builtAs = document.querySelector<HTMLMetaElement>('meta[name="console-version"]')?.content;
const calls = callsFor({ get: endpoints.get });
const againMs = 5000;

function Offline() {
  const { t } = useTranslation();
  const [since] = useState(() => Date.now());
  return <div className={classes.offline}>{t('state.offline', { time: formatTime(Math.floor(since / 1000)) })}</div>;
}

/** Asks until the server is there again, and then for all that had failed. */
function Unreachable({ answeredAt }: { readonly answeredAt: number }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const ask = async (signal?: AbortSignal) => {
    statusLoaded(await calls.get({}, signal ? { signal } : {}));
    await client.refetchQueries({ type: 'active', predicate: ({ state }) => state.error !== null });
  };
  usePoll(ask, againMs);
  return (
    <div className={classes.offline}>
      {t('state.unreachable', { time: formatTime(Math.floor(answeredAt / 1000)) })}
      <button type="button" className={classes.act} onClick={() => void ask().catch(() => undefined)}>
        {t('action.retry')}
      </button>
    </div>
  );
}

export function SiteBars() {
  const { t } = useTranslation();
  const { online } = useNetwork();
  const { isLost, answeredAt } = useStore(reach.store);
  const version = useStatus()?.version;
  // The stored state of the last visit may be of the version before.
  const isFresh = useStore(isStatusFresh);
  const isOld = isFresh && builtAs !== undefined && version !== undefined && builtAs !== version;
  return (
    <div role="status">
      {online ? isLost && answeredAt !== undefined && <Unreachable answeredAt={answeredAt} /> : <Offline />}
      {isOld && (
        <div className={classes.updated}>
          {t('notice.updated')}
          <button type="button" className={classes.act} onClick={() => window.location.reload()}>
            {t('action.reload')}
          </button>
        </div>
      )}
    </div>
  );
}
