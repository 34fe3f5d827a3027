/** A sample mail, sent with what is saved. */
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import { verification as mailEndpoints } from '../../../../daemon/contract/verification.ts';
import { callsFor } from '../../../api/client.ts';
import { fieldOfRefusal, showFailure, useFailures } from '../../../api/failures.ts';
import { toast } from '../../../components/toast.ts';
import { useSettings } from '../settings-context.tsx';
import classes from './system.module.css';

const mails = callsFor(mailEndpoints);

export function MailTest() {
  const { t } = useTranslation('settings');
  const { isRoot } = useSettings();
  const failure = useFailures();
  const [email, setEmail] = useState('');
  const test = useMutation({
    mutationFn: () => mails.testMail({ email: email.trim() === '' ? null : email.trim() }),
    onSuccess: (address) => toast.success(t('mail.sent', { address })),
    onError: (error) => {
      if (!isAboutAddress(error)) showFailure(error);
    },
  });
  if (!isRoot) return null;
  return (
    <form
      className={classes.test}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        test.mutate();
      }}
    >
      <TextInput
        type="email"
        label={t('mail.address')}
        description={t('mail.hint')}
        placeholder={t('mail.placeholder')}
        value={email}
        error={isAboutAddress(test.error) && failure(test.error)}
        onChange={(event) => {
          setEmail(event.currentTarget.value);
          if (test.isError) test.reset();
        }}
      />
      <Button type="submit" variant="default" loading={test.isPending}>
        {t('mail.test')}
      </Button>
    </form>
  );
}

function isAboutAddress(error: unknown): boolean {
  return fieldOfRefusal(error, ['email']) !== undefined;
}
