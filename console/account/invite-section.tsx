/** Inviting others: the link, what it has earned, and moving that to the balance. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SelfView } from '../../daemon/contract/account.ts';
import { rewards as endpoints } from '../../daemon/contract/rewards.ts';
import { callsFor } from '../api/client.ts';
import { CopyButton } from '../components/copy.tsx';
import { formatInteger } from '../components/format.ts';
import { lazyPart } from '../components/late-part.tsx';
import { Quota } from '../components/quota.tsx';
import { ErrorPanel, Section, Stat, Stats } from '../components/section.tsx';
import classes from './invite-section.module.css';

const rewards = callsFor({ inviteCode: endpoints.inviteCode });
const TransferDialog = lazyPart(() =>
  import('./transfer-dialog.tsx').then((module) => ({ default: module.TransferDialog })),
);

export function InviteSection({ self }: { self: SelfView }) {
  const { t } = useTranslation('account');
  const code = useQuery({
    queryKey: ['invite-code'],
    queryFn: ({ signal }) => rewards.inviteCode({}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: self.aff_code === '',
  });
  const [isOpen, setOpen] = useState(false);
  const known = self.aff_code === '' ? code.data : self.aff_code;
  const link = known === undefined ? '' : `${window.location.origin}/register?aff=${encodeURIComponent(known)}`;
  return (
    <Section
      title={t('invite.title')}
      description={t('invite.description')}
      actions={
        <Button variant="default" size="xs" onClick={() => setOpen(true)}>
          {t('invite.transfer')}
        </Button>
      }
    >
      {code.isError && <ErrorPanel error={code.error} onRetry={() => code.refetch()} />}
      <div className={classes.link}>
        <span className={classes.linkLabel}>{t('invite.link')}</span>
        <code className={classes.address}>{link}</code>
        {link !== '' && <CopyButton value={link} name={t('invite.copy')} />}
      </div>
      <Stats>
        <Stat label={t('invite.earnings')} value={<Quota value={self.aff_quota} />} />
        <Stat label={t('invite.total')} value={<Quota value={self.aff_history_quota} />} />
        <Stat label={t('invite.invited')} value={formatInteger(self.aff_count)} />
      </Stats>
      <Suspense fallback={null}>
        {isOpen && <TransferDialog available={self.aff_quota} onClose={() => setOpen(false)} />}
      </Suspense>
    </Section>
  );
}
