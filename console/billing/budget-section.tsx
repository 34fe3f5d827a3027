/** Budgets of a key, an account or a channel, in its drawer: what is used, and setting them at once (console.md 6.11, 6.21). */
import { Button, Select, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/UnstyledButton.css';
import {
  BudgetKind,
  BudgetPeriod,
  type BudgetView,
  budgets as endpoints,
  highestBudget,
} from '../../daemon/contract/budgets.ts';
import { callsFor } from '../api/client.ts';
import { useFailures } from '../api/failures.ts';
import { confirm } from '../components/confirm.tsx';
import { formatInteger } from '../components/format.ts';
import { MoneyInput } from '../components/money-input.tsx';
import { Quota, Time } from '../components/quota.tsx';
import { ErrorPanel, Section } from '../components/section.tsx';
import { toast } from '../components/toast.ts';
import classes from './budget-section.module.css';

const budgets = callsFor(endpoints);
/** As many as a subject can have, one of each kind and period. */
const all = { page: 1, page_size: BudgetKind.options.length * BudgetPeriod.options.length };

/** @param props.on `token:7`, `user:3` or `channel:5` */
export function BudgetSection({ on }: { readonly on: string }) {
  const { t } = useTranslation('budgets');
  const client = useQueryClient();
  const queryKey = ['budgets', on];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => budgets.list({ on, ...all }, { signal }),
    staleTime: 0,
  });
  const refresh = () => client.invalidateQueries({ queryKey });
  const items = data?.items ?? [];
  return (
    <Section title={t('title')} description={t('hint')} level={3} isPlain>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {items.length > 0 && (
        <ul className={classes.list}>
          {items.map((budget) => (
            <BudgetRow key={`${budget.kind} ${budget.per}`} budget={budget} onRemoved={refresh} />
          ))}
        </ul>
      )}
      {data && items.length === 0 && <p className={classes.none}>{t('none')}</p>}
      {data && <NewBudget on={on} onSet={refresh} />}
    </Section>
  );
}

interface BudgetRowProps {
  readonly budget: BudgetView;
  readonly onRemoved: () => Promise<void>;
}

function BudgetRow({ budget, onRemoved }: BudgetRowProps) {
  const { t } = useTranslation('budgets');
  const failure = useFailures();
  const { on, kind, per, limit, used } = budget;
  const name = t(`kind.${kind}`);
  const period = t(`per.${per}`);
  const remove = async () => {
    const title = t('remove.title', { period, name });
    if (!(await confirm({ kind: 'danger', title, text: t('remove.text'), verb: t('remove.verb') }))) return;
    try {
      await budgets.delete({ on, kind, per });
      await onRemoved();
    } catch (error) {
      toast.error(failure(error));
    }
  };
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <span className={classes.name}>
          {period} · {name}
        </span>
        <span className={classes.figures}>
          <Amount kind={kind} value={used} /> / <Amount kind={kind} value={limit} />
        </span>
        <progress
          className={classes.share}
          data-spent={used >= limit || undefined}
          value={Math.min(used, limit)}
          max={limit}
          aria-label={t('share', { period, name })}
        />
        <span className={classes.resets}>
          {t('resets')} <Time seconds={budget.resets_at} />
        </span>
      </div>
      <Button
        className={classes.remove ?? ''}
        variant="default"
        size="xs"
        onClick={remove}
        aria-label={t('remove.title', { period, name })}
      >
        {t('remove.act')}
      </Button>
    </li>
  );
}

function Amount({ kind, value }: { readonly kind: BudgetKind; readonly value: number }) {
  return kind === 'quota' ? <Quota value={value} /> : <span>{formatInteger(value)}</span>;
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
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement) || event.target.readOnly) return;
    // The form of the drawer is another one.
    event.preventDefault();
    void set();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the fields within
    <div className={classes.fields} onKeyDown={onKeyDown}>
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
