/** Turning a code into balance. */
import { Anchor, Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Anchor.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Text.css';
import { type FormEvent, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { ApiError } from '../../../daemon/contract/client.ts';
import { redemptions as endpoints } from '../../../daemon/contract/redemptions.ts';
import { callsFor } from '../../api/client.ts';
import { showFailure, useFailures } from '../../api/failures.ts';
import { useOnce } from '../../api/idempotency-key.ts';
import { useSelf } from '../../api/use-self.ts';
import { lazyPart } from '../../components/late-part.tsx';
import { Section } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { useStatus } from '../../session/status.ts';
import type { Redeemed } from './redeemed-dialog.tsx';
import classes from './wallet-page.module.css';

const RedeemedDialog = lazyPart(() =>
  import('./redeemed-dialog.tsx').then((module) => ({ default: module.RedeemedDialog })),
);
const redemptions = callsFor({ redeem: endpoints.redeem });

export function RedeemSection() {
  const { t } = useTranslation('wallet');
  const status = useStatus();
  const self = useSelf();
  const failure = useFailures();
  const once = useOnce();
  const [code, setCode] = useCodeOfAddress();
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const [redeemed, setRedeemed] = useState<Redeemed>();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    const key = code.trim();
    setProblem(key === '' ? t('redeem.empty') : undefined);
    if (key === '') return;
    setSending(true);
    try {
      const input = { key };
      const { quota, is_gift } = await once(input, (idempotencyKey) => redemptions.redeem(input, { idempotencyKey }));
      setCode('');
      // What the page knew of the balance is older than the calls that were paid from it since.
      const { isSuccess, data } = await self.refetch();
      setRedeemed({ after: isSuccess ? data.quota : undefined, credited: quota, isGift: is_gift });
    } catch (error) {
      if (error instanceof ApiError && error.status === 200) setProblem(failure(error));
      else if (error instanceof ApiError) showFailure(error);
      else toast.error(t('redeem.failed'));
    }
    setSending(false);
  };

  return (
    <Section title={t('redeem.title')}>
      <form onSubmit={submit} className={classes.form} noValidate>
        <div className={classes.line}>
          <TextInput
            label={t('redeem.code')}
            value={code}
            onChange={(event) => {
              setCode(event.currentTarget.value);
              setProblem(undefined);
            }}
            error={problem}
            autoComplete="off"
            spellCheck={false}
            className={classes.field}
          />
          <Button type="submit" loading={isSending} className={classes.besideField}>
            {t('redeem.submit')}
          </Button>
        </div>
        <p className={classes.plain}>
          {t('redeem.none')}{' '}
          {status?.top_up_link ? (
            <Anchor href={status.top_up_link} td="underline" target="_blank" rel="noopener">
              {t('redeem.get')}
            </Anchor>
          ) : (
            <Anchor component="button" type="button" td="underline" onClick={() => toast.error(t('redeem.noLink'))}>
              {t('redeem.get')}
            </Anchor>
          )}
        </p>
      </form>
      <Suspense fallback={null}>
        {redeemed && <RedeemedDialog redeemed={redeemed} onClose={() => setRedeemed(undefined)} />}
      </Suspense>
    </Section>
  );
}

/** The code of a link fills the field; it is redeemed only by the button, and does not stay in the address. */
function useCodeOfAddress(): [string, (code: string) => void] {
  const [query, setQuery] = useSearchParams();
  const [code, setCode] = useState(query.get('code') ?? '');
  useEffect(() => {
    const given = query.get('code');
    if (given === null) return;
    setCode(given);
    const rest = new URLSearchParams(query);
    rest.delete('code');
    setQuery(rest, { replace: true });
  }, [query, setQuery]);
  return [code, setCode];
}
