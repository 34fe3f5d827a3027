/** Passkeys of the own account (console.md 6.20). */
import { Button, Skeleton } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Skeleton.css';
import { IconFingerprint } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SelfView } from '../../../daemon/contract/account.ts';
import { passkeys as endpoints, type PasskeyView } from '../../../daemon/contract/passkeys.ts';
import { callsFor } from '../../api/client.ts';
import { showFailure } from '../../api/failures.ts';
import { queryClient } from '../../api/query-client.ts';
import { confirm } from '../../components/confirm.tsx';
import { formatRelative, formatTime } from '../../components/format.ts';
import { ErrorPanel, Section } from '../../components/section.tsx';
import { Tag } from '../../components/tag.tsx';
import { toast } from '../../components/toast.ts';
import { useStatus } from '../../session/status.ts';
import { addPasskey, PasskeyNotMade } from '../../sign-in/passkey.ts';
import { hasPasskeys } from '../../sign-in/passkey-support.ts';
import { hasOtherWayIn } from './bindings.ts';
import { PasskeyNameDialog } from './passkey-name-dialog.tsx';
import classes from './personal-page.module.css';

const passkeys = callsFor({ list: endpoints.list, rename: endpoints.rename, remove: endpoints.remove });
const refresh = () => queryClient.invalidateQueries({ queryKey: ['passkeys'] });

export function PasskeysSection({ self }: { self: SelfView }) {
  const { t } = useTranslation('personal');
  const status = useStatus();
  const list = useQuery({ queryKey: ['passkeys'], queryFn: ({ signal }) => passkeys.list({}, { signal }) });
  const [named, setNamed] = useState<PasskeyView | 'new'>();
  const isUsable = hasPasskeys(status);

  const save = async (name: string) => {
    if (named === 'new') {
      const isMade = await addPasskey(name).catch((error: unknown) => {
        throw error instanceof PasskeyNotMade ? new Error(t(`passkeys.notMade.${error.why}`)) : error;
      });
      if (!isMade) return;
      toast.success(t('passkeys.added'));
    } else if (named) {
      await passkeys.rename({ id: named.id, name });
    }
    setNamed(undefined);
    await refresh();
  };
  const remove = async ({ id, name }: PasskeyView) => {
    const isLastWay = list.data?.length === 1 && status !== undefined && !hasOtherWayIn(self, status);
    const isSure = await confirm({
      kind: 'danger',
      title: t('passkeys.question', { name }),
      text: isLastWay ? t('passkeys.lastWay') : t('passkeys.consequence'),
      verb: t('passkeys.remove'),
    });
    if (!isSure) return;
    try {
      await passkeys.remove({ id });
      toast.success(t('passkeys.removed'));
    } catch (error) {
      showFailure(error);
    }
    await refresh();
  };

  return (
    <Section
      title={t('passkeys.title')}
      description={isUsable ? t('passkeys.description') : t('passkeys.unusable')}
      actions={
        isUsable && (
          <Button variant="default" size="xs" onClick={() => setNamed('new')}>
            {t('passkeys.add')}
          </Button>
        )
      }
    >
      {list.isPending && <Skeleton height={56} />}
      {list.isError && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      <ul className={classes.rows}>
        {list.data?.map((passkey) => (
          <PasskeyRow
            key={passkey.id}
            passkey={passkey}
            onRename={() => setNamed(passkey)}
            onRemove={() => void remove(passkey)}
          />
        ))}
      </ul>
      {named !== undefined && (
        <PasskeyNameDialog
          title={named === 'new' ? t('passkeys.add') : t('passkeys.rename')}
          name={named === 'new' ? '' : named.name}
          onClose={() => setNamed(undefined)}
          onSave={save}
        />
      )}
    </Section>
  );
}

interface PasskeyRowProps {
  readonly passkey: PasskeyView;
  readonly onRename: () => void;
  readonly onRemove: () => void;
}

function PasskeyRow({ passkey, onRename, onRemove }: PasskeyRowProps) {
  const { t, i18n } = useTranslation('personal');
  const { name, created_at: created, last_used_at: used, synced } = passkey;
  const when =
    used === 0
      ? t('passkeys.unused')
      : t('passkeys.used', { time: formatRelative(used, Date.now() / 1000, i18n.language) });
  return (
    <li className={classes.row}>
      <span className={classes.rowMark}>
        <IconFingerprint size={20} stroke={1.75} aria-hidden />
      </span>
      <div className={classes.rowText}>
        <div className={classes.marks}>
          <span className={classes.rowName}>{name}</span>
          {synced && <Tag tone="blue">{t('passkeys.synced')}</Tag>}
        </div>
        <div className={classes.rowValue}>
          {t('passkeys.created', { time: formatTime(created) })} · {when}
        </div>
      </div>
      <div className={classes.acts}>
        <Button variant="default" size="xs" aria-label={t('passkeys.renameOne', { name })} onClick={onRename}>
          {t('passkeys.rename')}
        </Button>
        <Button variant="default" size="xs" aria-label={t('passkeys.removeOne', { name })} onClick={onRemove}>
          {t('passkeys.remove')}
        </Button>
      </div>
    </li>
  );
}
