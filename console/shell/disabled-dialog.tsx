/** Told once; then the session ends. */
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/UnstyledButton.css';
import { isAccountDisabled } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { Dialog } from '../components/dialog.tsx';
import { hasLeft } from '../session/leaving.ts';
import { signedOut } from '../session/session.ts';

export function DisabledDialog() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const leave = () => {
    isAccountDisabled.set(false);
    hasLeft.set(true);
    signedOut();
    queryClient.clear();
    navigate('/login');
  };
  return (
    <Dialog
      opened
      title={t('notice.accountDisabled')}
      onClose={leave}
      footer={<Button onClick={leave}>{t('action.confirm')}</Button>}
    />
  );
}
