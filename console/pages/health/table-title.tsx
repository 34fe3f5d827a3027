/** The heading of a table, in its own toolbar. */
import classes from './health.module.css';

export function TableTitle({ title, hint }: { readonly title: string; readonly hint?: string }) {
  return (
    <div className={classes.heading}>
      <h2>{title}</h2>
      {hint !== undefined && <p>{hint}</p>}
    </div>
  );
}
