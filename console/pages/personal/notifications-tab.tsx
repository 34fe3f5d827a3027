/** How and when the account is warned of a low balance. */
import { Alert, Button, Checkbox, SegmentedControl, TextInput } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/PasswordInput.css';
import '@mantine/core/styles/SegmentedControl.css';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { account as endpoints, type SelfView } from '../../../daemon/contract/account.ts';
import { type EditedNoticeSettings, readNoticeSettings, usualThreshold } from '../../account/notice-settings.ts';
import { callsFor } from '../../api/client.ts';
import { fieldOfRefusal, showFailure, useFailures } from '../../api/failures.ts';
import { changedMembers } from '../../components/form-values.ts';
import { MoneyInput } from '../../components/money-input.tsx';
import { SecretInput } from '../../components/secret-input.tsx';
import { Section } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import classes from './personal-page.module.css';
import { saveSettings } from './save-settings.ts';
import { useFailureOr } from './use-failure-or.ts';

const account = callsFor({ testNotice: endpoints.testNotice });

const presets = [100_000, 500_000, 1_000_000, 5_000_000];
const ways = ['email', 'webhook'] as const;

type Field = 'quota_warning_threshold' | 'notification_email' | 'webhook_url';
const fields: readonly Field[] = ['quota_warning_threshold', 'notification_email', 'webhook_url'];
const fieldByCode = {
  threshold_invalid: 'quota_warning_threshold',
  email_invalid: 'notification_email',
  webhook_invalid: 'webhook_url',
};

export function NotificationsTab({ self }: { self: SelfView }) {
  const { t } = useTranslation('personal');
  const failureOr = useFailureOr();
  const failure = useFailures();
  const stored = readNoticeSettings(self.setting);
  const loaded = {
    ...stored,
    quota_warning_threshold: stored.quota_warning_threshold ?? usualThreshold,
  };
  // Over what is stored, which another tab may change meanwhile.
  const [edited, setEdited] = useState<EditedNoticeSettings>({});
  const values = { ...loaded, ...edited };
  const [secret, setSecret] = useState('');
  const [isCleared, setCleared] = useState(false);
  const [errors, setErrors] = useState<Partial<Record<Field, string>>>({});
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const test = useMutation({
    mutationFn: () => account.testNotice(),
    onSuccess: () => toast.success(t('notifications.tested')),
    onError: showFailure,
  });

  // As it is sent, and stored.
  const clean = {
    ...values,
    webhook_url: values.webhook_url.trim(),
    notification_email: values.notification_email.trim(),
  };
  const changed = changedMembers(loaded, clean);
  const isChanged = Object.keys(changed).length > 0 || secret !== '' || isCleared;

  const change = (part: EditedNoticeSettings) => {
    setEdited((last) => ({ ...last, ...part }));
    setErrors({});
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSaving) return;
    setProblem(undefined);
    if (!(values.quota_warning_threshold > 0)) {
      return setErrors({ quota_warning_threshold: t('notifications.thresholdInvalid') });
    }
    setSaving(true);
    try {
      await saveSettings(changed, isCleared ? null : secret === '' ? undefined : secret);
      toast.success(t('notifications.saved'));
      // What was typed meanwhile stays.
      setEdited((last) => (last === edited ? changed : last));
      setSecret('');
      setCleared(false);
    } catch (error) {
      const place = fieldOfRefusal(error, fields, fieldByCode);
      const field = fields.find((name) => name === place);
      if (field) setErrors({ [field]: failure(error) });
      else setProblem(failureOr(error, t('notifications.failed')));
    }
    setSaving(false);
  };

  return (
    <Section title={t('notifications.title')} description={t('notifications.description')}>
      <form onSubmit={submit} className={classes.form} noValidate>
        {problem !== undefined && <Alert color="red">{problem}</Alert>}
        <div className={classes.choice}>
          <span className={classes.choiceLabel} id="notice-way">
            {t('notifications.way')}
          </span>
          <SegmentedControl
            aria-labelledby="notice-way"
            value={values.notify_type}
            onChange={(notify_type) => change({ notify_type })}
            data={ways.map((value) => ({ value, label: t(`notifications.by.${value}`) }))}
          />
        </div>
        <MoneyInput
          label={t('notifications.threshold')}
          description={t('notifications.thresholdHint')}
          value={values.quota_warning_threshold}
          onChange={(quota_warning_threshold) => change({ quota_warning_threshold })}
          presets={presets}
          error={errors.quota_warning_threshold}
        />
        {values.notify_type === 'email' ? (
          <TextInput
            label={t('notifications.address')}
            placeholder={t('notifications.addressHint')}
            type="email"
            autoComplete="email"
            spellCheck={false}
            value={values.notification_email}
            onChange={(event) => change({ notification_email: event.currentTarget.value })}
            error={errors.notification_email}
          />
        ) : (
          <>
            <TextInput
              label={t('notifications.url')}
              description={t('notifications.urlHint')}
              inputMode="url"
              autoComplete="off"
              spellCheck={false}
              value={values.webhook_url}
              onChange={(event) => change({ webhook_url: event.currentTarget.value })}
              error={errors.webhook_url}
            />
            <SecretInput
              label={t('notifications.secret')}
              description={stored.webhook_secret === '' ? t('notifications.secretNone') : t('notifications.secretKept')}
              autoComplete="off"
              data-1p-ignore
              value={secret}
              disabled={isCleared}
              onChange={(event) => setSecret(event.currentTarget.value)}
            />
            {stored.webhook_secret !== '' && (
              <Checkbox
                label={t('notifications.clearSecret')}
                checked={isCleared}
                onChange={(event) => {
                  setCleared(event.currentTarget.checked);
                  setSecret('');
                }}
              />
            )}
            <WebhookExample />
          </>
        )}
        <p className={classes.plain}>{t('notifications.pace')}</p>
        <div className={classes.acts}>
          <Button type="submit" loading={isSaving}>
            {t('notifications.save')}
          </Button>
          <Button
            variant="default"
            loading={test.isPending}
            disabled={isChanged}
            title={isChanged ? t('notifications.testAfterSaving') : undefined}
            onClick={() => test.mutate()}
          >
            {t('notifications.test')}
          </Button>
        </div>
      </form>
    </Section>
  );
}

/** What arrives at the address; members as the daemon sends them. */
const exampleText = `POST /your/path
Content-Type: application/json
X-Webhook-Id: 6c0f…
X-Webhook-Timestamp: 1795314140
X-Webhook-Signature: hex(HMAC-SHA256(secret, body))

{"type":"quota_exceed","title":"…","content":"…",
 "values":[…],"timestamp":1795314140,"id":"6c0f…"}`;

function WebhookExample() {
  const { t } = useTranslation('personal');
  return (
    <details>
      <summary>{t('notifications.example')}</summary>
      <pre className={classes.example}>
        <code>{exampleText}</code>
      </pre>
    </details>
  );
}
