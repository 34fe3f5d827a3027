/** Credentials of programs: what each may do, until when, and when it was last used. */
import { Button, Skeleton } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Skeleton.css';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MachineTokenView, NewMachineTokenView } from '../../../daemon/contract/machine-tokens.ts';
import { showFailure } from '../../api/failures.ts';
import { queryClient } from '../../api/query-client.ts';
import { confirm } from '../../components/confirm.tsx';
import { formatRelative, formatTime } from '../../components/format.ts';
import { lazyPart } from '../../components/late-part.tsx';
import { ErrorPanel, Section } from '../../components/section.tsx';
import { Tag } from '../../components/tag.tsx';
import { toast } from '../../components/toast.ts';
import { machineTokenCalls } from './machine-token-calls.ts';
import own from './machine-tokens.module.css';
import classes from './personal-page.module.css';

const CreateDialog = lazyPart(() =>
  import('./machine-token-dialog.tsx').then((module) => ({ default: module.MachineTokenDialog })),
);
const RotateDialog = lazyPart(() =>
  import('./machine-token-rotation.tsx').then((module) => ({ default: module.MachineTokenRotation })),
);
const SecretDialog = lazyPart(() =>
  import('./machine-token-secret.tsx').then((module) => ({ default: module.MachineTokenSecret })),
);

/** Days before its end from which on a token is marked. */
const soonDays = 7;

export function MachineTokensSection({ role }: { readonly role: number }) {
  const { t } = useTranslation('personal');
  const [isCreating, setCreating] = useState(false);
  const [rotated, setRotated] = useState<MachineTokenView>();
  const [made, setMade] = useState<NewMachineTokenView>();
  const list = useQuery({
    queryKey: ['machine-tokens'],
    queryFn: ({ signal }) => machineTokenCalls.list({}, { signal }),
  });
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['machine-tokens'] });
  const revoke = useMutation({
    mutationFn: (id: number) => machineTokenCalls.revoke({ id }),
    onSuccess: () => toast.success(t('machineTokens.revoked')),
    onError: showFailure,
    onSettled: refresh,
  });
  const askToRevoke = async ({ id, name }: MachineTokenView) => {
    const isSure = await confirm({
      kind: 'danger',
      title: t('machineTokens.revokeQuestion', { name }),
      text: t('machineTokens.revokeConsequence'),
      verb: t('machineTokens.revoke'),
    });
    if (isSure) revoke.mutate(id);
  };
  const show = (token: NewMachineTokenView) => {
    setCreating(false);
    setRotated(undefined);
    setMade(token);
    void refresh();
  };
  return (
    <Section
      title={t('machineTokens.title')}
      description={t('machineTokens.description')}
      actions={
        <Button variant="default" size="xs" onClick={() => setCreating(true)}>
          {t('machineTokens.create')}
        </Button>
      }
    >
      {list.isPending && <Skeleton height={56} />}
      {list.isError && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.length === 0 && <p className={classes.plain}>{t('machineTokens.none')}</p>}
      <ul className={classes.rows}>
        {list.data?.map((token) => (
          <TokenRow
            key={token.id}
            token={token}
            isRevoking={revoke.isPending && revoke.variables === token.id}
            onRotate={() => setRotated(token)}
            onRevoke={() => void askToRevoke(token)}
          />
        ))}
      </ul>
      <Suspense fallback={null}>
        {isCreating && <CreateDialog role={role} onClose={() => setCreating(false)} onMade={show} />}
        {rotated !== undefined && (
          <RotateDialog token={rotated} onClose={() => setRotated(undefined)} onRotated={show} />
        )}
        {made !== undefined && <SecretDialog token={made} onClose={() => setMade(undefined)} />}
      </Suspense>
    </Section>
  );
}

interface TokenRowProps {
  readonly token: MachineTokenView;
  readonly isRevoking: boolean;
  readonly onRotate: () => void;
  readonly onRevoke: () => void;
}

function TokenRow({ token, isRevoking, onRotate, onRevoke }: TokenRowProps) {
  const { t, i18n } = useTranslation('personal');
  const now = Date.now() / 1000;
  const isOver = token.expires_at <= now;
  const isSoon = !isOver && token.expires_at - now < soonDays * 86_400;
  const used =
    token.last_used_at === 0
      ? t('machineTokens.unused')
      : t('machineTokens.used', { time: formatRelative(token.last_used_at, now, i18n.language) });
  return (
    <li className={`${classes.row} ${own.row}`}>
      <div className={own.text}>
        <div className={classes.marks}>
          <span className={classes.rowName}>{token.name}</span>
          {isOver && <Tag tone="red">{t('machineTokens.expired')}</Tag>}
          {isSoon && <Tag tone="orange">{t('machineTokens.expiresSoon')}</Tag>}
          {token.scopes.map((scope) => (
            <Tag key={scope} tone={scope.endsWith(':write') ? 'blue' : 'grey'}>
              {scope}
            </Tag>
          ))}
        </div>
        <div className={classes.rowValue}>
          {t('machineTokens.until', { time: formatTime(token.expires_at) })} · {used}
          {token.allow_ips !== '' &&
            ` · ${t('machineTokens.from', { addresses: token.allow_ips.replaceAll('\n', ', ') })}`}
          {token.previous_until > now &&
            ` · ${t('machineTokens.previous', { time: formatTime(token.previous_until) })}`}
        </div>
      </div>
      <div className={classes.acts}>
        {!isOver && (
          <Button
            variant="default"
            size="xs"
            aria-label={t('machineTokens.rotateOne', { name: token.name })}
            onClick={onRotate}
          >
            {t('machineTokens.rotate')}
          </Button>
        )}
        <Button
          variant="default"
          size="xs"
          loading={isRevoking}
          aria-label={t('machineTokens.revokeOne', { name: token.name })}
          onClick={onRevoke}
        >
          {t('machineTokens.revoke')}
        </Button>
      </div>
    </li>
  );
}
