/** Budgets as rows: what is used of how much, and when they begin anew. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useTranslation } from 'react-i18next';
import type { BudgetView } from '../../daemon/contract/budgets.ts';
import { showFailure } from '../api/failures.ts';
import { confirm } from '../components/confirm.tsx';
import { momentIn } from '../components/site-time.ts';
import { useStatus } from '../session/status.ts';
import { BudgetAmount } from './budget-amount.tsx';
import { budgets as calls } from './budget-calls.ts';
import classes from './budget-section.module.css';

export interface BudgetListProps {
  readonly budgets: readonly BudgetView[];
  /** Absent: they can be looked at only. */
  readonly onRemoved?: () => Promise<void>;
}

export function BudgetList({ budgets, onRemoved }: BudgetListProps) {
  return (
    <ul className={classes.list}>
      {budgets.map((budget) => (
        <BudgetRow key={`${budget.kind} ${budget.per}`} budget={budget} onRemoved={onRemoved} />
      ))}
    </ul>
  );
}

interface BudgetRowProps {
  readonly budget: BudgetView;
  readonly onRemoved: (() => Promise<void>) | undefined;
}

function BudgetRow({ budget, onRemoved }: BudgetRowProps) {
  const { t } = useTranslation('budgets');
  const { on, kind, per, limit, used } = budget;
  const name = t(`kind.${kind}`);
  const period = t(`per.${per}`);
  const siteZone = useStatus()?.time_zone;
  const remove = async () => {
    const title = t('remove.title', { period, name });
    if (!(await confirm({ kind: 'danger', title, text: t('remove.text'), verb: t('remove.verb') }))) return;
    try {
      await calls.delete({ on, kind, per });
      await onRemoved?.();
    } catch (error) {
      showFailure(error);
    }
  };
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <span className={classes.name}>
          {period} · {name}
        </span>
        <span className={classes.figures}>
          <BudgetAmount kind={kind} value={used} /> / <BudgetAmount kind={kind} value={limit} />
        </span>
        <progress
          className={classes.share}
          data-spent={used >= limit || undefined}
          value={Math.min(used, limit)}
          max={limit}
          aria-label={t('share', { period, name })}
        />
        <span className={classes.resets}>{t('resets', momentIn(siteZone, budget.resets_at))}</span>
      </div>
      {onRemoved && (
        <Button
          className={classes.remove ?? ''}
          variant="default"
          size="xs"
          onClick={remove}
          aria-label={t('remove.title', { period, name })}
        >
          {t('remove.act')}
        </Button>
      )}
    </li>
  );
}
