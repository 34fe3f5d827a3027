/** Budgets in a cell of a table: what is used of how much, red once it is spent. */
import { useTranslation } from 'react-i18next';
import type { BudgetView } from '../../daemon/contract/budgets.ts';
import { momentIn } from '../components/site-time.ts';
import { Tag } from '../components/tag.tsx';
import { useStatus } from '../session/status.ts';
import { BudgetAmount } from './budget-amount.tsx';
import classes from './budget-tags.module.css';

export function BudgetTags({ budgets = [] }: { readonly budgets: readonly BudgetView[] | undefined }) {
  const { t } = useTranslation('budgets');
  const siteZone = useStatus()?.time_zone;
  if (budgets.length === 0) return <>—</>;
  return (
    <span className={classes.tags}>
      {budgets.map(({ kind, per, used, limit, resets_at }) => (
        <Tag
          key={`${kind} ${per}`}
          tone={used >= limit ? 'red' : 'grey'}
          title={`${t(`per.${per}`)} · ${t(`kind.${kind}`)} · ${t('resets', momentIn(siteZone, resets_at))}`}
        >
          {t(`per.${per}`)} <BudgetAmount kind={kind} value={used} /> / <BudgetAmount kind={kind} value={limit} />
        </Tag>
      ))}
    </span>
  );
}
