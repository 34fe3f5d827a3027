/** How the account is protected, and how it is given up. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { account as endpoints, type SelfView } from '../../../daemon/contract/account.ts';
import { roles } from '../../../daemon/contract/roles.ts';
import { callsFor } from '../../api/client.ts';
import { showFailure } from '../../api/failures.ts';
import { queryClient } from '../../api/query-client.ts';
import { confirm } from '../../components/confirm.tsx';
import { useCopy } from '../../components/copy.tsx';
import { KeyField } from '../../components/key-field.tsx';
import { Section } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { hasLeft } from '../../session/leaving.ts';
import { signedOut } from '../../session/session.ts';
import { MachineTokensSection } from './machine-tokens-section.tsx';
import { PasskeysSection } from './passkeys-section.tsx';
import { PasswordSection } from './password-section.tsx';
import classes from './personal-page.module.css';
import { SessionsSection } from './sessions-section.tsx';
import { TwoFactorSection } from './two-factor-section.tsx';

const account = callsFor({ issueToken: endpoints.issueToken, delete: endpoints.delete });

export function SecurityTab({ self }: { self: SelfView }) {
  return (
    <>
      <PasswordSection self={self} />
      <TwoFactorSection />
      <PasskeysSection self={self} />
      <SessionsSection />
      <MachineTokensSection role={self.role} />
      <AccessTokenSection />
      {self.role < roles.root && <DeleteSection username={self.username} />}
    </>
  );
}

function AccessTokenSection() {
  const { t } = useTranslation('personal');
  const copy = useCopy();
  const [token, setToken] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const issue = async () => {
    const isSure = await confirm({
      kind: 'danger',
      title: t('accessToken.question'),
      text: t('accessToken.consequence'),
      verb: t('accessToken.issue'),
    });
    if (!isSure) return;
    setBusy(true);
    try {
      const fresh = await account.issueToken();
      setToken(fresh);
      if (await copy(fresh, { isQuiet: true })) toast.success(t('accessToken.copied'));
    } catch (error) {
      showFailure(error);
    }
    setBusy(false);
  };
  return (
    <Section title={t('accessToken.title')} description={t('accessToken.description')}>
      <div className={classes.form}>
        {token !== undefined && (
          <>
            <KeyField label={t('accessToken.title')} value={token} hasVisibleLabel />
            <p className={classes.plain}>{t('accessToken.once')}</p>
          </>
        )}
        <div>
          <Button variant="default" loading={isBusy} onClick={() => void issue()}>
            {t('accessToken.issue')}
          </Button>
        </div>
      </div>
    </Section>
  );
}

function DeleteSection({ username }: { username: string }) {
  const { t } = useTranslation('personal');
  const [isBusy, setBusy] = useState(false);
  const remove = async () => {
    const isSure = await confirm({
      kind: 'typed',
      title: t('deletion.title'),
      text: t('deletion.description'),
      verb: t('deletion.submit'),
      typed: username,
      typedLabel: t('deletion.question', { name: username }),
    });
    if (!isSure) return;
    setBusy(true);
    try {
      await account.delete();
      hasLeft.set(true);
      signedOut();
      queryClient.clear();
      toast.success(t('deletion.done'));
    } catch (error) {
      showFailure(error);
      setBusy(false);
    }
  };
  return (
    <Section title={t('deletion.title')} description={t('deletion.description')}>
      <div>
        <Button color="red" variant="outline" loading={isBusy} onClick={() => void remove()}>
          {t('deletion.submit')}
        </Button>
      </div>
    </Section>
  );
}
