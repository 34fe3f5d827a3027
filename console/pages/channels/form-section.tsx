/** A part of the channel's form under its own heading. */
import type { ReactNode } from 'react';
import classes from './editor.module.css';

export function FormSection({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={title}>
      <h3 className={classes.heading}>{title}</h3>
      {children}
    </section>
  );
}
