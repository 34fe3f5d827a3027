/** When something is worth telling. */
import { Button, NumberInput, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/NumberInput.css';
import '@mantine/core/styles/Switch.css';
import { type AlertKind, alertThresholds } from '../../../../daemon/contract/alert-kinds.ts';
import type { AlertRule } from '../../../../daemon/contract/alerts.ts';
import { showFailure } from '../../../api/failures.ts';
import { MoneyInput } from '../../../components/money-input.tsx';
import { toast } from '../../../components/toast.ts';
import classes from './alerts.module.css';
import { alertCalls, alertsQuery } from './alerts-query.ts';

type Figure = 'quiet_minutes' | 'threshold' | 'window_minutes' | 'min_requests';

export function AlertRules({ rules }: { rules: readonly AlertRule[] }) {
  const { t } = useTranslation(['settings-alerts', 'frame']);
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState(rules);
  const save = useMutation({
    mutationFn: (changed: AlertRule[]) => alertCalls.set({ rules: changed }),
    onSuccess: (view) => {
      queryClient.setQueryData(alertsQuery.queryKey, view);
      toast.success(t('frame:notice.saved'));
    },
    onError: showFailure,
  });
  const change = (kind: AlertKind, part: Partial<AlertRule>) =>
    setDraft((before) => before.map((rule) => (rule.kind === kind ? { ...rule, ...part } : rule)));
  const submit = () => {
    const changed = draft.filter((rule, at) => JSON.stringify(rule) !== JSON.stringify(rules[at]));
    if (changed.length === 0) toast.info(t('frame:error.unchanged'));
    // An amount that cannot be read: saved without it, the old one would go on as if it were the one typed.
    else if (changed.some(({ threshold }) => Number.isNaN(threshold))) toast.error(t('frame:error.input'));
    else save.mutate(changed);
  };
  return (
    <section className={classes.part}>
      <h3 className={classes.heading}>{t('rules')}</h3>
      <ul className={classes.rules}>
        {draft.map((rule) => {
          const counts = alertThresholds[rule.kind];
          const figure = (name: Figure, label: string, min: number, max: number) => (
            <NumberInput
              label={label}
              value={rule[name]}
              onChange={(value) => change(rule.kind, { [name]: Number(value) })}
              min={min}
              max={max}
              disabled={!rule.enabled}
            />
          );
          return (
            <li key={rule.kind} className={classes.rule}>
              <Switch
                label={t(`kind.${rule.kind}`)}
                checked={rule.enabled}
                onChange={(event) => change(rule.kind, { enabled: event.currentTarget.checked })}
              />
              <div className={classes.figures}>
                {counts === 'quota' ? (
                  <MoneyInput
                    label={t('threshold.quota')}
                    value={rule.threshold}
                    onChange={(threshold) => change(rule.kind, { threshold })}
                    disabled={!rule.enabled}
                  />
                ) : (
                  counts && figure('threshold', t(`threshold.${counts}`), 0, counts === 'percent' ? 100 : 1e12)
                )}
                {rule.kind === 'error-rate' && figure('window_minutes', t('window'), 1, 60)}
                {rule.kind === 'error-rate' && figure('min_requests', t('minRequests'), 0, 1_000_000)}
                {figure('quiet_minutes', t('quiet'), 1, 10_080)}
              </div>
            </li>
          );
        })}
      </ul>
      <div className={classes.acts}>
        <Button variant="light" loading={save.isPending} onClick={submit}>
          {t('saveRules')}
        </Button>
      </div>
    </section>
  );
}
