/** Who is told: the owner, mailboxes, signed webhooks and robots of chat products. */
import { Button, Switch } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Switch.css';
import type { SentAlertTarget } from '../../../../daemon/contract/alerts.ts';
import { showFailure } from '../../../api/failures.ts';
import { confirm } from '../../../components/confirm.tsx';
import { Tag } from '../../../components/tag.tsx';
import { toast } from '../../../components/toast.ts';
import classes from './alerts.module.css';
import { type AlertTargetView, alertCalls, alertsQuery } from './alerts-query.ts';
import { TargetDialog } from './target-dialog.tsx';

interface TargetChange {
  /** As it was when the change was begun; undefined for one that is added. */
  readonly shown: AlertTargetView | undefined;
  /** Undefined for one that is removed. */
  readonly sent: SentAlertTarget | undefined;
}

export function AlertTargets({ targets }: { targets: readonly AlertTargetView[] }) {
  const { t } = useTranslation(['settings-alerts', 'frame']);
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<{ readonly target?: AlertTargetView }>();
  const save = useMutation({
    mutationFn: async ({ shown, sent }: TargetChange) => {
      const id = shown?.id ?? sent?.id;
      // The list is sent as a whole, of those that stay as they are the id alone: out of an older one it would take away
      // what others have added since.
      const { targets: now } = await queryClient.fetchQuery({ ...alertsQuery, staleTime: 0 });
      const there = now.find((target) => target.id === id);
      if (JSON.stringify(there) !== JSON.stringify(shown)) return { there };
      const list: SentAlertTarget[] = now.flatMap((target) =>
        target.id === id ? (sent ?? []) : { id: target.id, type: target.type },
      );
      if (sent && !there) list.push(sent);
      return { view: await alertCalls.set({ targets: list }) };
    },
    onSuccess: ({ view, there }) => {
      if (!view) {
        // What was typed stays; sent again, it is known what it replaces.
        if (open?.target) setOpen(there ? { target: there } : {});
        toast.error(t('target.moved'));
        return;
      }
      queryClient.setQueryData(alertsQuery.queryKey, view);
      setOpen(undefined);
      toast.success(t('frame:notice.saved'));
    },
    onError: showFailure,
  });
  const test = useMutation({
    mutationFn: (target: string) => alertCalls.test({ target }),
    onSuccess: (results) => {
      for (const { ok, reason } of results) {
        if (ok) toast.success(t('test.sent'));
        else toast.error(t('test.failed', { reason }));
      }
    },
    onError: showFailure,
  });
  const remove = async (target: AlertTargetView) => {
    const name = nameOf(target);
    const isSure = await confirm({
      kind: 'danger',
      title: t('target.removeTitle', { name }),
      verb: t('frame:action.remove'),
    });
    if (isSure) save.mutate({ shown: target, sent: undefined });
  };
  return (
    <section className={classes.part}>
      <h3 className={classes.heading}>{t('targets')}</h3>
      {targets.length === 0 && <p className={classes.line}>{t('target.none')}</p>}
      <ul className={classes.targets}>
        {targets.map((target) => (
          <li key={target.id} className={classes.target}>
            <Switch
              aria-label={t('target.enabledOf', { name: nameOf(target) })}
              checked={target.enabled}
              disabled={save.isPending}
              onChange={(event) =>
                save.mutate({
                  shown: target,
                  sent: { id: target.id, type: target.type, enabled: event.currentTarget.checked },
                })
              }
            />
            <div className={classes.who}>
              <span>
                <strong>{nameOf(target)}</strong>
                <Tag tone="blue">{t(`type.${target.type}`)}</Tag>
                {target.dialect && <Tag>{t(`dialect.${target.dialect}`)}</Tag>}
                {target.secret_set && <Tag tone="green">{t('target.signed')}</Tag>}
              </span>
              <span className={classes.line}>
                {target.address}
                {target.kinds.length > 0 && ` · ${target.kinds.map((kind) => t(`kind.${kind}`)).join(', ')}`}
              </span>
            </div>
            <div className={classes.acts}>
              <Button
                size="xs"
                variant="default"
                loading={test.isPending && test.variables === target.id}
                onClick={() => test.mutate(target.id)}
              >
                {t('frame:action.test')}
              </Button>
              <Button size="xs" variant="default" onClick={() => setOpen({ target })}>
                {t('frame:action.edit')}
              </Button>
              <Button size="xs" variant="outline" color="red" onClick={() => void remove(target)}>
                {t('frame:action.remove')}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <div className={classes.acts}>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
          onClick={() => setOpen({})}
        >
          {t('target.add')}
        </Button>
      </div>
      {open && (
        <TargetDialog
          {...(open.target ? { target: open.target } : {})}
          taken={targets.map(({ id }) => id)}
          isSaving={save.isPending}
          onClose={() => setOpen(undefined)}
          onSave={(sent) => save.mutate({ shown: open.target, sent })}
        />
      )}
    </section>
  );
}

function nameOf({ id, name }: AlertTargetView): string {
  return name === '' ? id : name;
}
