/** The second factor of the own account: an authenticator app and its recovery codes (console.md 6.20). */
import { Alert, Button, Skeleton } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Skeleton.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { secondFactor as endpoints } from '../../../daemon/contract/second-factor.ts';
import { callsFor } from '../../api/client.ts';
import { showFailure } from '../../api/failures.ts';
import { queryClient } from '../../api/query-client.ts';
import { confirm } from '../../components/confirm.tsx';
import { ErrorPanel, Section } from '../../components/section.tsx';
import { Tag } from '../../components/tag.tsx';
import { toast } from '../../components/toast.ts';
import classes from './personal-page.module.css';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { TwoFactorDialog } from './two-factor-dialog.tsx';

const factor = callsFor({
  get: endpoints.get,
  begin: endpoints.begin,
  disable: endpoints.disable,
  renewRecoveryCodes: endpoints.renewRecoveryCodes,
});

/** Few enough to be reminded of. */
const fewCodes = 3;

export function TwoFactorSection() {
  const { t } = useTranslation('personal');
  const state = useQuery({ queryKey: ['second-factor'], queryFn: ({ signal }) => factor.get({}, { signal }) });
  const [begun, setBegun] = useState<{ secret: string; otpauth_url: string }>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [isBusy, setBusy] = useState(false);
  const refresh = () =>
    Promise.all(['second-factor', 'sessions'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })));

  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      showFailure(error);
    }
    setBusy(false);
  };
  const begin = () => run(async () => setBegun(await factor.begin()));
  const disable = async () => {
    const isSure = await confirm({
      kind: 'danger',
      title: t('twoFactor.question'),
      text: t('twoFactor.consequence'),
      verb: t('twoFactor.disable'),
    });
    if (!isSure) return;
    await run(async () => {
      await factor.disable();
      toast.success(t('twoFactor.disabled'));
      await refresh();
    });
  };
  const renew = async () => {
    const isSure = await confirm({
      kind: 'danger',
      title: t('twoFactor.renewQuestion'),
      text: t('twoFactor.renewConsequence'),
      verb: t('twoFactor.renew'),
    });
    if (!isSure) return;
    await run(async () => {
      setCodes((await factor.renewRecoveryCodes()).recovery_codes);
      await refresh();
    });
  };

  const isOn = state.data?.enabled === true;
  const left = state.data?.recovery_left ?? 0;
  return (
    <Section title={t('twoFactor.title')} description={t('twoFactor.description')}>
      {state.isPending && <Skeleton height={56} />}
      {state.isError && <ErrorPanel error={state.error} onRetry={() => void state.refetch()} />}
      {state.data && (
        <div className={classes.form}>
          <div className={classes.marks}>
            <Tag tone={isOn ? 'green' : 'grey'}>{isOn ? t('twoFactor.on') : t('twoFactor.off')}</Tag>
            {isOn && <span>{t('twoFactor.left', { count: left })}</span>}
          </div>
          {isOn && left <= fewCodes && <Alert color="orange">{t('twoFactor.few')}</Alert>}
          <div className={classes.acts}>
            {isOn ? (
              <>
                <Button variant="default" loading={isBusy} onClick={() => void renew()}>
                  {t('twoFactor.renew')}
                </Button>
                <Button color="red" variant="outline" loading={isBusy} onClick={() => void disable()}>
                  {t('twoFactor.disable')}
                </Button>
              </>
            ) : (
              <Button loading={isBusy} onClick={() => void begin()}>
                {t('twoFactor.enable')}
              </Button>
            )}
          </div>
        </div>
      )}
      {begun !== undefined && (
        <TwoFactorDialog
          begun={begun}
          onClose={() => {
            setBegun(undefined);
            // It may be on all the same, where only the answer was lost.
            void refresh();
          }}
          onDone={(made) => {
            setBegun(undefined);
            setCodes(made);
            toast.success(t('twoFactor.enabled'));
            void refresh();
          }}
        />
      )}
      {codes !== undefined && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  );
}
