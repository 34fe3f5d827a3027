/** Who the account is and what it has. */
import { Avatar, Button, type MantineColor } from '@mantine/core';
import '@mantine/core/styles/Avatar.css';
import '@mantine/core/styles/Button.css';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SelfView } from '../../../daemon/contract/account.ts';
import { InviteSection } from '../../account/invite-section.tsx';
import { formatCount } from '../../components/format.ts';
import { lazyPart } from '../../components/late-part.tsx';
import { Quota } from '../../components/quota.tsx';
import { Section, Stat, Stats } from '../../components/section.tsx';
import { GroupTag, StatusTag } from '../../components/tag.tsx';
import { useStatus } from '../../session/status.ts';
import { CheckInSection } from './check-in-section.tsx';
import { ModelsSection } from './models-section.tsx';
import classes from './personal-page.module.css';

const OwnBudgets = lazyPart(() =>
  import('../../billing/own-budgets.tsx').then((module) => ({ default: module.OwnBudgets })),
);
const RenameDialog = lazyPart(() => import('./rename-dialog.tsx').then((module) => ({ default: module.RenameDialog })));

/** Those of the theme: of others that the kit would take there is nothing in the style sheet. */
const initialsColors: MantineColor[] = ['blue', 'cyan', 'green', 'lime', 'orange', 'violet'];

export function OverviewTab({ self }: { self: SelfView }) {
  const { t } = useTranslation('personal');
  const status = useStatus();
  const [isRenaming, setRenaming] = useState(false);
  const shownName = self.display_name || self.username;
  return (
    <>
      <Section>
        <div className={classes.person}>
          <Avatar
            name={shownName}
            color="initials"
            allowedInitialsColors={initialsColors}
            size={56}
            radius="50%"
            aria-hidden
          />
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
      <Suspense fallback={null}>
        <OwnBudgets userId={self.id} />
      </Suspense>
      <ModelsSection />
      {status?.check_in_enabled && <CheckInSection timeZone={status.time_zone} />}
      <InviteSection self={self} />
      <Suspense fallback={null}>
        {isRenaming && <RenameDialog self={self} onClose={() => setRenaming(false)} />}
      </Suspense>
    </>
  );
}
