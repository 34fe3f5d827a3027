/** The parts that pages are laid out with (console.md 1.2, 1.3, 7.18). */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/UnstyledButton.css';
import { requestIdOf, useFailures } from '../api/failures.ts';
import { CopyText } from './copy.tsx';
import classes from './section.module.css';

export { Dialog } from './dialog.tsx';

export interface PageHeaderProps {
  readonly title: string;
  /** The one main act of the page; on phones a bar at the bottom of the window. */
  readonly primary?: ReactNode;
  readonly secondary?: ReactNode;
  /** One line below the title. */
  readonly description?: ReactNode;
}

/** The title of a page, its only `h1`, with its acts. */
export function PageHeader({ title, primary, secondary, description }: PageHeaderProps) {
  return (
    <header className={classes.header}>
      <div className={classes.titles}>
        <h1 className={classes.title} tabIndex={-1}>
          {title}
        </h1>
        {description !== undefined && <p className={classes.description}>{description}</p>}
      </div>
      {secondary !== undefined && <div className={classes.secondary}>{secondary}</div>}
      {primary !== undefined && (
        <div className={classes.primary} data-primary>
          {primary}
        </div>
      )}
    </header>
  );
}

export interface SectionProps {
  readonly title?: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** Level of the title; 2 when absent. */
  readonly level?: 2 | 3;
  /** Without border and ground, for a part of a section. */
  readonly isPlain?: boolean;
}

/** A part of a page with its own heading. */
export function Section({ title, description, actions, children, level = 2, isPlain = false }: SectionProps) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <section className={isPlain ? classes.plain : classes.section}>
      {(title !== undefined || actions !== undefined) && (
        <div className={classes.sectionHead}>
          {title !== undefined && <Heading className={classes.sectionTitle}>{title}</Heading>}
          {actions !== undefined && <div className={classes.secondary}>{actions}</div>}
        </div>
      )}
      {description !== undefined && <p className={classes.description}>{description}</p>}
      {children}
    </section>
  );
}

export interface StatProps {
  readonly label: string;
  readonly value: ReactNode;
  /** Small print below the value. */
  readonly note?: ReactNode;
  readonly title?: string;
}

/** A figure with its name. */
export function Stat({ label, value, note, title }: StatProps) {
  return (
    <div className={classes.stat} {...(title ? { title } : {})}>
      <div className={classes.statLabel}>{label}</div>
      <div className={classes.statValue}>{value}</div>
      {note !== undefined && <div className={classes.statNote}>{note}</div>}
    </div>
  );
}

/** Figures side by side, as many in a row as fit. */
export function Stats({ children }: { children: ReactNode }) {
  return <div className={classes.stats}>{children}</div>;
}

export interface EmptyStateProps {
  /** What this is, in one sentence. */
  readonly text: string;
  /** What to do about it: one button, one link. */
  readonly children?: ReactNode;
  readonly icon?: ReactNode;
}

/** Where there is nothing to list yet. */
export function EmptyState({ text, children, icon }: EmptyStateProps) {
  return (
    <div className={classes.empty}>
      {icon !== undefined && <div>{icon}</div>}
      <p className={classes.emptyText}>{text}</p>
      {children !== undefined && <div className={classes.emptyActs}>{children}</div>}
    </div>
  );
}

export interface ErrorPanelProps {
  readonly error: unknown;
  /** What was being done, said before why it failed. */
  readonly title?: string;
  readonly onRetry?: () => void;
}

/** What went wrong, its request id, and another try. */
export function ErrorPanel({ error, title, onRetry }: ErrorPanelProps) {
  const { t } = useTranslation(['components', 'frame']);
  const failure = useFailures();
  const requestId = requestIdOf(error);
  return (
    <div className={classes.error} role="alert">
      {title !== undefined && <strong className={classes.emptyText}>{title}</strong>}
      <p className={classes.emptyText}>{failure(error)}</p>
      {requestId !== undefined && <CopyText value={requestId} label={t('toast.requestId')} />}
      {onRetry && (
        <Button variant="default" size="xs" onClick={() => onRetry()}>
          {t('frame:action.retry')}
        </Button>
      )}
    </div>
  );
}
