/** The card that the pages before the console share: mark, name, title, form. */
import type { ReactNode } from 'react';
import { useStatus } from '../../session/status.ts';
import { Brand } from './brand.tsx';
import classes from './front-card.module.css';

export interface FrontCardProps {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly children: ReactNode;
  /** Below the card: the way to a neighbouring page. */
  readonly footer?: ReactNode;
  readonly isWide?: boolean;
}

export function FrontCard({ title, intro, children, footer, isWide = false }: FrontCardProps) {
  const status = useStatus();
  return (
    <div className={classes.place}>
      <div className={classes.column} data-wide={isWide || undefined}>
        <Brand logo={status?.logo ?? ''} name={status?.system_name ?? ''} />
        <div className={classes.card}>
          <h1 className={classes.title} tabIndex={-1}>
            {title}
          </h1>
          {intro !== undefined && <p className={classes.intro}>{intro}</p>}
          {children}
        </div>
        {footer !== undefined && <div className={classes.footer}>{footer}</div>}
      </div>
    </div>
  );
}
