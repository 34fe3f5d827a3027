/** Code to read and to copy, in a region that scrolls by itself. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/copy.tsx';
import classes from './reference.module.css';

export function CodeBlock({
  code,
  label,
  head,
}: {
  readonly code: string;
  /** Accessible name; also told when the code was copied. */
  readonly label: string;
  /** Absent: it is JSON. */
  readonly head?: ReactNode;
}) {
  const { t } = useTranslation('reference');
  return (
    <div className={classes.block}>
      <div className={classes.blockHead}>
        <div className={classes.dim}>{head ?? 'JSON'}</div>
        <CopyButton value={code} name={t('copy', { name: label })} label={label} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard */}
      <section className={classes.code} tabIndex={0} aria-label={label}>
        <pre>
          <code>{code}</code>
        </pre>
      </section>
    </div>
  );
}
