/** Budgets of the own account, to look at: administrators set them. Nothing is drawn for an account without any. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { BudgetKind, BudgetPeriod } from '../../daemon/contract/budgets.ts';
import { ErrorPanel, Section } from '../components/section.tsx';
import { budgets } from './budget-calls.ts';
import { BudgetList } from './budget-list.tsx';

/** As many as an account can have, one of each kind and period. */
const all = { page: 1, page_size: BudgetKind.options.length * BudgetPeriod.options.length };

export function OwnBudgets({ userId }: { readonly userId: number }) {
  const { t } = useTranslation('budgets');
  const on = `user:${userId}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['budgets', on],
    queryFn: ({ signal }) => budgets.list({ on, ...all }, { signal }),
  });
  const items = data?.items ?? [];
  if (!error && items.length === 0) return null;
  return (
    <Section title={t('own.title')} description={t('own.hint')}>
      {error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <BudgetList budgets={items} />}
    </Section>
  );
}
