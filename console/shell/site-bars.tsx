/** Lines above the page: no network, a newer console. */
import { useNetwork } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStatus } from '../session/status.ts';
import classes from './site-bars.module.css';

/** What this page was built as; absent where the sources are served as they are. */
const builtAs = document.querySelector<HTMLMetaElement>('meta[name="console-version"]')?.content;

function Offline() {
  const { t } = useTranslation();
  const { online } = useNetwork();
  const [since, setSince] = useState<string>();
  useEffect(() => {
    setSince(online ? undefined : new Date().toLocaleTimeString());
  }, [online]);
  if (since === undefined) return null;
  return <div className={classes.offline}>{t('state.offline', { time: since })}</div>;
}

export function SiteBars() {
  const { t } = useTranslation();
  const version = useStatus()?.version;
  // The version that was there when the page was loaded; the daemon serves the console of its own version.
  const [first, setFirst] = useState(builtAs);
  useEffect(() => {
    if (first === undefined && version !== undefined) setFirst(version);
  }, [first, version]);
  const isOld = first !== undefined && version !== undefined && first !== version;
  return (
    <div role="status">
      <Offline />
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
