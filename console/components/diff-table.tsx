import { useTranslation } from 'react-i18next';
import { changedRows, type DiffRow, movedBy } from './diff-values.ts';
import classes from './diff-view.module.css';
import { formatPercent } from './format.ts';

type DiffTableProps = { readonly label: string } & (
  | { readonly rows: readonly DiffRow[] }
  | { readonly before: unknown; readonly after: unknown; readonly secrets: readonly string[] }
);

/** Broken into two lines, a number is read as a smaller one. */
const lineOf = (value: unknown) => (typeof value === 'number' ? classes.moved : undefined);

/** Old and new side by side; on phones one below the other. */
export function DiffTable(props: DiffTableProps) {
  const { t } = useTranslation('components');
  const rows = 'rows' in props ? props.rows : changedRows(props.before, props.after, props.secrets);
  if (rows.length === 0) return <p className={classes.same}>{t('diff.same')}</p>;
  return (
    <table className={classes.table} aria-label={props.label}>
      <thead>
        <tr>
          <th scope="col">{t('diff.name')}</th>
          <th scope="col" className={classes.moved}>
            {t('diff.before')}
          </th>
          <th scope="col" className={classes.moved}>
            {t('diff.after')}
          </th>
          <th scope="col">%</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const moved = movedBy(row);
          return (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td className={lineOf(row.before)}>{row.before !== undefined && <del>{String(row.before)}</del>}</td>
              <td className={lineOf(row.after)}>{row.after !== undefined && <ins>{String(row.after)}</ins>}</td>
              <td className={classes.moved}>
                {moved !== undefined && `${moved > 0 ? '+' : ''}${formatPercent(moved)}`}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
