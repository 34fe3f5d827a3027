/** The method of a call on a colour of its own. */
import classes from './reference.module.css';

export function Method({ method }: { readonly method: string }) {
  return (
    <span className={classes.method} data-method={method}>
      {method}
    </span>
  );
}
