/** The secret of a machine token at the only moment when it is known. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import { useTranslation } from 'react-i18next';
import type { NewMachineTokenView } from '../../../daemon/contract/machine-tokens.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { KeyField } from '../../components/key-field.tsx';
import classes from './machine-tokens.module.css';

const command = 'TOLLGATE_ACCESS_TOKEN=$CODES tollgate whoami';

export function MachineTokenSecret({
  token,
  onClose,
}: {
  readonly token: NewMachineTokenView;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation('personal');
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('machineTokens.secretTitle', { name: token.name })}
      isClosedByButtonsOnly
      footer={<Button onClick={onClose}>{t('machineTokens.kept')}</Button>}
    >
      <div className={classes.form}>
        <KeyField label={t('machineTokens.secret')} value={token.secret} hasVisibleLabel />
        <p className={classes.hint}>{t('machineTokens.secretHint')}</p>
        <div className={classes.command}>
          <code>{command}</code>
          <CopyButton value={command} name={t('machineTokens.copyCommand')} />
        </div>
      </div>
    </Dialog>
  );
}
