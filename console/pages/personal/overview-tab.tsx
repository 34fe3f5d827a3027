/** Who the account is and what it has. */
import { Avatar, Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Avatar.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { account as endpoints, type SelfView } from '../../../daemon/contract/account.ts';
import { InviteSection } from '../../account/invite-section.tsx';
import { callsFor } from '../../api/client.ts';
import { useFailures } from '../../api/failures.ts';
import { queryClient } from '../../api/query-client.ts';
import { formatCount } from '../../components/format.ts';
import { Quota } from '../../components/quota.tsx';
import { Dialog, Section, Stat, Stats } from '../../components/section.tsx';
import { GroupTag, StatusTag } from '../../components/tag.tsx';
import { toast } from '../../components/toast.ts';
import { useStatus } from '../../session/status.ts';
import { CheckInSection } from './check-in-section.tsx';
import { ModelsSection } from './models-section.tsx';
import classes from './personal-page.module.css';

const account = callsFor({ update: endpoints.update });

export function OverviewTab({ self }: { self: SelfView }) {
  const { t } = useTranslation('personal');
  const status = useStatus();
  const [isRenaming, setRenaming] = useState(false);
  const shownName = self.display_name || self.username;
  return (
    <>
      <Section>
        <div className={classes.person}>
          <Avatar name={shownName} color="initials" size={56} radius="50%" aria-hidden />
          <div className={classes.names}>
            <h2 className={classes.name}>{shownName}</h2>
            <div className={classes.marks}>
              <span>{self.username}</span>
              <span>{t('overview.id', { id: self.id })}</span>
              <StatusTag kind="role" value={self.role} />
              <GroupTag name={self.group} />
            </div>
          </div>
          <Button variant="default" size="xs" onClick={() => setRenaming(true)}>
            {t('overview.rename')}
          </Button>
        </div>
        <Stats>
          <Stat label={t('overview.balance')} value={<Quota value={self.quota} />} />
          <Stat label={t('overview.used')} value={<Quota value={self.used_quota} />} />
          <Stat label={t('overview.requests')} value={formatCount(self.request_count)} />
        </Stats>
      </Section>
      <ModelsSection />
      {status?.check_in_enabled && <CheckInSection timeZone={status.time_zone} />}
      <InviteSection self={self} />
      {isRenaming && <RenameDialog self={self} onClose={() => setRenaming(false)} />}
    </>
  );
}

function RenameDialog({ self, onClose }: { self: SelfView; onClose: () => void }) {
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
    <Dialog opened onClose={onClose} title={t('overview.rename')} size={400}>
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
