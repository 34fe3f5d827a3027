/** The line above a table: what is selected, what to do with it, which columns, the rows as a file. */
import { IconColumns3, IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './data-table.module.css';
import type { RowSelection } from './use-row-selection.ts';

export interface TableToolbarProps {
  readonly toolbar: ReactNode;
  readonly selection: RowSelection | undefined;
  readonly selectionActions: ReactNode;
  /** Shown while nothing is selected, too. */
  readonly isBarKept: boolean;
  readonly isPhone: boolean;
  readonly isSelecting: boolean;
  readonly onSelecting: (isSelecting: boolean) => void;
  readonly onColumns: () => void;
  readonly onCsv: (() => void) | undefined;
}

export function TableToolbar(props: TableToolbarProps) {
  const { toolbar, selection, selectionActions, isBarKept, isPhone, isSelecting, onSelecting, onColumns, onCsv } =
    props;
  const { t } = useTranslation('list');
  const isBarShown = selection !== undefined && (selection.count > 0 || (isPhone ? isSelecting : isBarKept));
  // With nothing in it, as on phones, it were but a gap.
  if (isPhone && !toolbar && !selection && !onCsv) return null;
  return (
    <div className={classes.toolbar}>
      {toolbar}
      {isBarShown && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form's fields
        <div className={classes.selection} role="group" aria-label={t('select.region')}>
          <span aria-live="polite">{t('select.count', { count: selection.count })}</span>
          {selection.count > 0 && (
            <button type="button" className={classes.plain} onClick={selection.clear}>
              {t('select.clear')}
            </button>
          )}
          {/* A page that keeps the bar says itself what to do with nothing. */}
          {(selection.count > 0 || isBarKept) && selectionActions}
        </div>
      )}
      <div className={classes.tools}>
        {isPhone && selection && (
          <button type="button" className={classes.plain} onClick={() => onSelecting(!isSelecting)}>
            {t(isSelecting ? 'select.leave' : 'select.mode')}
          </button>
        )}
        {onCsv && (
          <button
            type="button"
            className={classes.tool}
            onClick={onCsv}
            aria-label={t('csv.download')}
            data-tip={t('csv.download')}
          >
            <IconDownload size={16} stroke={1.75} aria-hidden="true" />
          </button>
        )}
        {!isPhone && (
          <button
            type="button"
            className={classes.tool}
            onClick={onColumns}
            aria-label={t('columns.title')}
            data-tip={t('columns.title')}
            aria-haspopup="dialog"
          >
            <IconColumns3 size={16} stroke={1.75} aria-hidden="true" />
          </button>
        )}
      </div>
    </div>
  );
}
