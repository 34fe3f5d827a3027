/** The first letter of a name, in the tone of the name, which stands beside it. */
import classes from './avatar.module.css';
import { nameTone } from './tones.ts';

export function Avatar({ name, isSmall = false }: { readonly name: string; readonly isSmall?: boolean }) {
  const [letter = ''] = name;
  return (
    <span
      className={classes.avatar}
      data-tone={nameTone(name)}
      data-letter={letter.toUpperCase()}
      data-small={isSmall || undefined}
      aria-hidden
    />
  );
}
