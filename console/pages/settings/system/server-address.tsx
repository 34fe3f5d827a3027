/** The address of the site against the one that the browser came by. */
import { Anchor, Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Anchor.css';
import '@mantine/core/styles/Button.css';
import { useOption } from '../settings-context.tsx';
import classes from './system.module.css';

export function ServerAddressCheck() {
  const { t } = useTranslation('settings');
  const option = useOption('ServerAddress');
  if (!option) return null;
  const here = window.location.origin;
  const address = option.text.trim().replace(/\/+$/, '');
  return (
    <div className={classes.notes}>
      <p className={classes.line}>
        {t('server.seen', { address: here })}
        {address !== '' && address !== here && ` · ${t('server.differs')}`}
      </p>
      <div className={classes.acts}>
        {/^https?:\/\/\S+$/.test(address) && (
          <Anchor href={address} target="_blank" rel="noopener" className={classes.link ?? ''}>
            {t('server.open')}
            <IconExternalLink size={16} stroke={1.75} aria-hidden />
          </Anchor>
        )}
        {address !== here && !option.isLocked && (
          <Button variant="default" size="xs" onClick={() => option.set(here)}>
            {t('server.take')}
          </Button>
        )}
      </div>
    </div>
  );
}
