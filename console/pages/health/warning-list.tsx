/** What deserves attention, each with the place where it is mended. */
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { SystemView } from '../../../daemon/contract/system.ts';
import classes from './health.module.css';

/** Where a warning is dealt with in the console; the others are the operator's, outside it. */
const remedies: Readonly<Record<string, string>> = {
  channels_disabled: '/channel?status=auto',
  no_channel: '/channel/add',
};

/** The settings are a document of their own, hence plain links. */
const settingRemedies: Readonly<Record<string, string>> = {
  mail_missing: '/setting?tab=system',
  mail_private: '/setting?tab=system',
  server_address_missing: '/setting?tab=system',
};

export function WarningList({ warnings }: { readonly warnings: SystemView['warnings'] }) {
  const { t } = useTranslation('health');
  if (warnings.length === 0) return <p className={classes.calm}>{t('warning.none')}</p>;
  return (
    <ul className={classes.warnings}>
      {warnings.map(({ code, message }) => {
        const place = remedies[code];
        const setting = settingRemedies[code];
        return (
          <li key={code} className={classes.warning}>
            <IconAlertTriangle size={16} stroke={1.75} aria-hidden />
            <span>{message}</span>
            {place !== undefined && <Link to={place}>{t('warning.open')}</Link>}
            {setting !== undefined && <a href={setting}>{t('warning.open')}</a>}
          </li>
        );
      })}
    </ul>
  );
}
