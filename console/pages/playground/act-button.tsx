/** A small act of a message: an icon with its name. */
import type { ReactNode } from 'react';
import classes from './message.module.css';

export interface ActButtonProps {
  readonly label: string;
  readonly children: ReactNode;
  readonly onAct: () => void;
  readonly disabled?: boolean;
}

export function ActButton({ label, children, onAct, disabled = false }: ActButtonProps) {
  return (
    <button type="button" className={classes.act} aria-label={label} title={label} disabled={disabled} onClick={onAct}>
      {children}
    </button>
  );
}
