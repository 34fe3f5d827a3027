/** The key of a token that was just created, with a first call. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import { useTranslation } from 'react-i18next';
import type { TokenView } from '../../../daemon/contract/tokens.ts';
import { CopyButton } from '../../components/copy.tsx';
import { KeyField } from '../../components/key-field.tsx';
import { Dialog } from '../../components/section.tsx';
import { useStatus } from '../../session/status.ts';
import { secretOf } from './columns.tsx';
import classes from './tokens.module.css';

export function CreatedToken({ token, onClose }: { readonly token: TokenView; readonly onClose: () => void }) {
  const { t } = useTranslation('tokens');
  const address = useStatus()?.server_address || location.origin;
  const commandWith = (key: string) => `curl ${address}/v1/models -H "Authorization: Bearer ${key}"`;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('created.title', { name: token.name })}
      isClosedByButtonsOnly
      footer={<Button onClick={onClose}>{t('created.close')}</Button>}
    >
      <KeyField label={t('created.key')} value={secretOf(token)} hasVisibleLabel />
      <p className={classes.try}>{t('created.curl')}</p>
      <div className={classes.command}>
        <code>{commandWith('$TOLLGATE_KEY')}</code>
        {/* Nobody has set that variable yet: what is copied works as it stands. */}
        <CopyButton value={commandWith(secretOf(token))} name={t('created.copyCurl')} label="curl" />
      </div>
    </Dialog>
  );
}
