/** Changing the own password; every other session ends with it. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/PasswordInput.css';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { account as endpoints, type SelfView } from '../../../daemon/contract/account.ts';
import { shortestPassword } from '../../../daemon/contract/account-limits.ts';
import { callsFor } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { SecretInput } from '../../components/secret-input.tsx';
import { Section } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { useContractForm } from '../../components/use-contract-form.ts';
import { FormFailureAlert } from './form-failure-alert.tsx';
import classes from './personal-page.module.css';

const account = callsFor({ update: endpoints.update });

const initial = { original: '', password: '', confirmation: '' };

export function PasswordSection({ self }: { self: SelfView }) {
  const [round, setRound] = useState(0);
  // Mounted anew after a change: nothing of the old and the new password stays.
  return <PasswordForm key={round} self={self} onDone={() => setRound(round + 1)} />;
}

function PasswordForm({ self, onDone }: { self: SelfView; onDone: () => void }) {
  // Who came by a provider may choose a first one.
  const hasPassword = self.has_password;
  const { t } = useTranslation('personal');
  const schema = useMemo(
    () =>
      z
        .object({
          original: hasPassword ? z.string().check(z.minLength(1, t('password.originalEmpty'))) : z.string(),
          password: z.string().check(z.minLength(shortestPassword, t('password.short'))),
          confirmation: z.string(),
        })
        .check(
          z.refine(({ password, confirmation }) => password === confirmation, {
            path: ['confirmation'],
            error: t('password.mismatch'),
          }),
        ),
    [t, hasPassword],
  );
  const form = useContractForm({
    schema,
    initial,
    refusalFields: { login_failed: 'original', password_invalid: 'password' },
    refusalTexts: { login_failed: t('password.originalWrong') },
  });
  const submit = form.submit(async ({ original, password }) => {
    await account.update({ original_password: original, password });
    toast.success(t('password.done'));
    void queryClient.invalidateQueries({ queryKey: ['sessions'] });
    await queryClient.invalidateQueries({ queryKey: ['self'] });
    onDone();
  });
  return (
    <Section
      title={hasPassword ? t('password.title') : t('password.first')}
      description={hasPassword ? t('password.description') : t('password.none')}
    >
      <form onSubmit={submit} className={classes.form} noValidate>
        <FormFailureAlert failure={form.failure} />
        {/* Lets password managers know whose password this is. */}
        <input type="text" name="username" autoComplete="username" value={self.username} readOnly hidden />
        {hasPassword && (
          <SecretInput
            key={form.key('original')}
            {...form.getInputProps('original')}
            label={t('password.original')}
            autoComplete="current-password"
          />
        )}
        <SecretInput
          key={form.key('password')}
          {...form.getInputProps('password')}
          label={t('password.fresh')}
          autoComplete="new-password"
        />
        <SecretInput
          key={form.key('confirmation')}
          {...form.getInputProps('confirmation')}
          label={t('password.confirmation')}
          autoComplete="new-password"
        />
        <div>
          <Button type="submit" loading={form.isSaving}>
            {hasPassword ? t('password.submit') : t('password.first')}
          </Button>
        </div>
      </form>
    </Section>
  );
}
