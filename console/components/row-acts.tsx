/** What can be done with a row: direct acts as buttons, the others behind one. The table listens, not each button. */
import { IconChevronDown, IconDots } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import classes from './data-table.module.css';
import type { RowAction } from './data-table-types.ts';

/** Where an act of a row leads, when it is a link. */
function ActLink({ action, className, role }: { action: RowAction; className?: string; role?: string }) {
  const href = action.href ?? '';
  const attributes = { ...(className ? { className } : {}), ...(role ? { role } : {}) };
  return /^\/(?!\/)/.test(href) ? (
    <Link to={href} {...attributes}>
      {action.label}
    </Link>
  ) : (
    <a href={href} target="_blank" rel="noopener noreferrer" {...attributes}>
      {action.label}
    </a>
  );
}

export function RowActs({ actions, isBusy }: { readonly actions: readonly RowAction[]; readonly isBusy: boolean }) {
  const { t } = useTranslation('list');
  const hasMenu = actions.some(({ isDirect }) => !isDirect);
  return (
    <span className={classes.acts}>
      {isBusy && <span className={classes.spinner} />}
      {actions.map((action) => {
        if (!action.isDirect) return null;
        if (action.href !== undefined) {
          return <ActLink key={action.key} action={action} className={classes.act ?? ''} />;
        }
        return (
          <button
            key={action.key}
            type="button"
            className={classes.act}
            data-act={action.key}
            data-danger={action.isDanger}
            data-arrow={action.isArrow}
            data-tip={action.refused ?? (action.isArrow ? action.label : undefined)}
            aria-label={action.isArrow ? action.label : undefined}
            aria-haspopup={action.isArrow ? 'dialog' : undefined}
            aria-disabled={action.refused !== undefined || isBusy || undefined}
          >
            {action.isArrow ? <IconChevronDown size={14} stroke={1.75} aria-hidden="true" /> : action.label}
          </button>
        );
      })}
      {hasMenu && (
        <button
          type="button"
          className={classes.more}
          data-more=""
          data-tip={t('row.more')}
          aria-label={t('row.more')}
          aria-haspopup="menu"
          disabled={isBusy}
        >
          <IconDots size={16} stroke={1.75} aria-hidden="true" />
        </button>
      )}
    </span>
  );
}
