/** A new secret for a machine token, and how long the old one is still taken. */
import { Alert, Button, SegmentedControl } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/SegmentedControl.css';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MachineTokenView, NewMachineTokenView } from '../../../daemon/contract/machine-tokens.ts';
import { useFailures } from '../../api/failures.ts';
import { Dialog } from '../../components/dialog.tsx';
import { machineTokenCalls } from './machine-token-calls.ts';
import classes from './machine-tokens.module.css';

export interface MachineTokenRotationProps {
  readonly token: MachineTokenView;
  readonly onClose: () => void;
  readonly onRotated: (token: NewMachineTokenView) => void;
}

export function MachineTokenRotation({ token, onClose, onRotated }: MachineTokenRotationProps) {
  const { t } = useTranslation('personal');
  const failure = useFailures();
  const [seconds, setSeconds] = useState('3600');
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const graceId = useId();
  const graces = [
    { value: '0', label: t('machineTokens.grace.none') },
    { value: '3600', label: t('machineTokens.grace.hour') },
    { value: '86400', label: t('machineTokens.grace.day') },
    { value: '604800', label: t('machineTokens.grace.week') },
  ];
  const rotate = async () => {
    setProblem(undefined);
    setSaving(true);
    try {
      onRotated(await machineTokenCalls.rotate({ id: token.id, grace_seconds: Number(seconds) }));
    } catch (error) {
      setSaving(false);
      setProblem(failure(error));
    }
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      isSending={isSaving}
      title={t('machineTokens.rotateOne', { name: token.name })}
      size={440}
      footer={
        <Button loading={isSaving} onClick={() => void rotate()}>
          {t('machineTokens.rotate')}
        </Button>
      }
    >
      <div className={classes.form}>
        {problem !== undefined && <Alert color="red">{problem}</Alert>}
        <div>
          <div id={graceId} className={classes.label}>
            {t('machineTokens.grace.label')}
          </div>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-labelledby={graceId}
            value={seconds}
            onChange={setSeconds}
            data={graces}
          />
        </div>
        <p className={classes.hint}>{t('machineTokens.grace.hint')}</p>
      </div>
    </Dialog>
  );
}
