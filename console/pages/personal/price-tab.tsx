/** Whether calls of models without a price are wanted. */
import { Alert, Button, Switch } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Switch.css';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SelfView } from '../../../daemon/contract/account.ts';
import { readNoticeSettings } from '../../account/notice-settings.ts';
import { Section } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import classes from './personal-page.module.css';
import { saveSettings } from './save-settings.ts';
import { useFailureOr } from './use-failure-or.ts';

export function PriceTab({ self }: { self: SelfView }) {
  const { t } = useTranslation('personal');
  const failureOr = useFailureOr();
  const [isAccepted, setAccepted] = useState(() => readNoticeSettings(self.setting).accept_unset_model_ratio_model);
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSaving) return;
    setSaving(true);
    setProblem(undefined);
    try {
      await saveSettings({ accept_unset_model_ratio_model: isAccepted });
      toast.success(t('saved'));
    } catch (error) {
      setProblem(failureOr(error, t('saveFailed')));
    }
    setSaving(false);
  };
  return (
    <Section title={t('price.title')}>
      <form onSubmit={submit} className={classes.form}>
        {problem !== undefined && <Alert color="red">{problem}</Alert>}
        <Switch
          label={t('price.accept')}
          checked={isAccepted}
          onChange={(event) => setAccepted(event.currentTarget.checked)}
        />
        <Alert color="orange" role="note">
          {t('price.warning')}
        </Alert>
        <div>
          <Button type="submit" loading={isSaving}>
            {t('save')}
          </Button>
        </div>
      </form>
    </Section>
  );
}
