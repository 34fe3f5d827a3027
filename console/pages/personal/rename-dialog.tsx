import { Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { account as endpoints, type SelfView } from '../../../daemon/contract/account.ts';
import { callsFor } from '../../api/client.ts';
import { useFailures } from '../../api/failures.ts';
import { queryClient } from '../../api/query-client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.ts';
import classes from './personal-page.module.css';

const account = callsFor({ update: endpoints.update });

/** Another name to be shown by; the user name stays. */
export function RenameDialog({ self, onClose }: { self: SelfView; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const failure = useFailures();
  const [name, setName] = useState(self.display_name);
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const wished = name.trim();
    if (isSaving) return;
    if (wished === '') return setProblem(t('overview.nameEmpty'));
    setSaving(true);
    try {
      await account.update({ display_name: wished });
      await queryClient.invalidateQueries({ queryKey: ['self'] });
      toast.success(t('saved'));
      onClose();
    } catch (error) {
      setProblem(failure(error));
      setSaving(false);
    }
  };
  return (
    <Dialog opened onClose={onClose} isSending={isSaving} title={t('overview.rename')} size={400}>
      <form onSubmit={submit} className={classes.form} noValidate>
        <TextInput
          label={t('overview.displayName')}
          value={name}
          maxLength={20}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem}
          autoComplete="nickname"
          data-autofocus
        />
        <Button type="submit" loading={isSaving}>
          {t('save')}
        </Button>
      </form>
    </Dialog>
  );
}
