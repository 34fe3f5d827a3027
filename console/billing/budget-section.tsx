/** Budgets of a key, an account or a channel, in its drawer: what is used, and setting them at once (console.md 6.11, 6.21). */
import { Button, Select, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/UnstyledButton.css';
import { BudgetKind, BudgetPeriod, highestBudget } from '../../daemon/contract/budgets.ts';
import { useFailures } from '../api/failures.ts';
import { MoneyInput } from '../components/money-input.tsx';
import { ErrorPanel, Section } from '../components/section.tsx';
import { sendOnEnter } from '../components/send-on-enter.ts';
import { useUnsentPart } from '../components/unsent-parts.ts';
import { budgets } from './budget-calls.ts';
import { BudgetList } from './budget-list.tsx';
import classes from './budget-section.module.css';

/** As many as a subject can have, one of each kind and period. */
const all = { page: 1, page_size: BudgetKind.options.length * BudgetPeriod.options.length };

/** @param props.on `token:7`, `user:3` or `channel:5` */
export function BudgetSection({ on }: { readonly on: string }) {
  const { t } = useTranslation('budgets');
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['budgets', on],
    queryFn: ({ signal }) => budgets.list({ on, ...all }, { signal }),
    staleTime: 0,
  });
  // Lists show budgets beside their rows.
  const refresh = () => client.invalidateQueries({ queryKey: ['budgets'] });
  const items = data?.items ?? [];
  return (
    <Section title={t('title')} description={t('hint')} level={3} isPlain>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {items.length > 0 && <BudgetList budgets={items} onRemoved={refresh} />}
      {data && items.length === 0 && <p className={classes.none}>{t('none')}</p>}
      {data && <NewBudget on={on} onSet={refresh} />}
    </Section>
  );
}

/** No form of its own: it stands within that of its drawer. */
function NewBudget({ on, onSet }: { readonly on: string; readonly onSet: () => Promise<void> }) {
  const { t } = useTranslation('budgets');
  const failure = useFailures();
  const [kind, setKind] = useState<BudgetKind>('quota');
  const [per, setPer] = useState<BudgetPeriod>('month');
  const [quota, setQuota] = useState(Number.NaN);
  const [count, setCount] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  /** Another amount is typed into another field. */
  const [turn, setTurn] = useState(0);
  const limit = kind === 'quota' ? quota : Number(count.replaceAll(/[\s,]/g, ''));
  useUnsentPart(kind === 'quota' ? !Number.isNaN(quota) : count.trim() !== '', t('set.verb'));

  const set = async () => {
    if (isSending) return;
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > highestBudget) return setProblem(t('set.wrong'));
    setProblem(undefined);
    setSending(true);
    try {
      await budgets.set({ on, kind, per, limit });
      setQuota(Number.NaN);
      setCount('');
      setTurn(turn + 1);
      await onSet();
    } catch (error) {
      setProblem(failure(error));
    }
    setSending(false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the fields within
    <div className={classes.fields} onKeyDown={sendOnEnter(set)}>
      <Select
        label={t('field.per')}
        value={per}
        onChange={(value) => setPer(BudgetPeriod.options.find((each) => each === value) ?? per)}
        allowDeselect={false}
        data={BudgetPeriod.options.map((value) => ({ value, label: t(`per.${value}`) }))}
      />
      <Select
        label={t('field.kind')}
        value={kind}
        onChange={(value) => setKind(BudgetKind.options.find((each) => each === value) ?? kind)}
        allowDeselect={false}
        data={BudgetKind.options.map((value) => ({ value, label: t(`kind.${value}`) }))}
      />
      <div className={classes.limit}>
        {kind === 'quota' ? (
          <MoneyInput key={turn} label={t('field.limit')} value={quota} onChange={setQuota} error={problem} />
        ) : (
          <TextInput
            label={t('field.limit')}
            value={count}
            onChange={(event) => setCount(event.currentTarget.value)}
            error={problem}
            inputMode="numeric"
            autoComplete="off"
            maxLength={24}
          />
        )}
      </div>
      <Button className={classes.act ?? ''} variant="default" onClick={() => void set()} loading={isSending}>
        {t('set.verb')}
      </Button>
    </div>
  );
}
