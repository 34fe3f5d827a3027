/** Why a test failed: two lines of it, the whole once it is pressed, as fingers and keys bring no tip. */
import classes from './tools.module.css';

export function FailureText({ message }: { readonly message: string }) {
  return (
    <details className={classes.message}>
      <summary title={message}>{message}</summary>
    </details>
  );
}
