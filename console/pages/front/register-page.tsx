/** Creating an account (console.md 6.4). */
import { Alert, Anchor, Skeleton } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Anchor.css';
import '@mantine/core/styles/Skeleton.css';
import '@mantine/core/styles/Text.css';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate } from 'react-router-dom';
import { useUser } from '../../session/session.ts';
import { useStatus } from '../../session/status.ts';
import { FrontCard } from './front-card.tsx';
import { RegisterForm } from './register-form.tsx';
import { hasThirdParty, ThirdParty } from './third-party.tsx';
import { useEntry } from './use-entry.tsx';
import { useInvite } from './use-invite.ts';

export function Page() {
  const { t } = useTranslation('front');
  const status = useStatus();
  const user = useUser();
  const { returnTo } = useEntry();
  const inviteCode = useInvite();
  const [isIn] = useState(user !== undefined);
  if (isIn) return <Navigate replace to={returnTo ?? '/token'} />;
  const loginAddress = `/login${window.location.search}`;
  const others = status !== undefined && hasThirdParty(status);
  const byPassword = status?.password_register_enabled === true;
  const isClosed =
    status !== undefined && (!status.register_enabled || status.self_use_mode_enabled || !(byPassword || others));
  return (
    <FrontCard
      title={t('register.submit')}
      footer={
        <>
          {!isClosed && `${t('register.hasAccount')} `}
          <Anchor component={Link} to={loginAddress}>
            {t('register.login')}
          </Anchor>
        </>
      }
    >
      {status === undefined && <Skeleton height={280} />}
      {isClosed && <Alert color="orange">{t('register.closed')}</Alert>}
      {status && !isClosed && (
        <>
          {byPassword && <RegisterForm needsEmail={status.email_verification} inviteCode={inviteCode} />}
          {others && <ThirdParty status={status} isAlone={!byPassword} />}
        </>
      )}
    </FrontCard>
  );
}
