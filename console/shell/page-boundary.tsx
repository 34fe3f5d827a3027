/** Keeps an error on its page, so that the frame goes on working (console.md 8). */
import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useCopy } from '../components/copy.tsx';
import { isServed, reloadOnce } from '../session/late-code.ts';
import { useStatus } from '../session/status.ts';
import classes from './panels.module.css';

/** A chunk of an older build is gone: one reload brings the new build. */
function isStaleCode(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|module script failed|preload CSS/i.test(error.message);
}

interface State {
  readonly error: unknown;
  readonly isReloading: boolean;
}

export class PageBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: undefined, isReloading: false };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error };
  }

  override componentDidCatch(error: unknown): void {
    if (isStaleCode(error)) void this.#bringNewBuild();
  }

  async #bringNewBuild(): Promise<void> {
    this.setState({ isReloading: true });
    if ((await isServed()) && reloadOnce()) return;
    this.setState({ isReloading: false });
  }

  override render(): ReactNode {
    const { error, isReloading } = this.state;
    if (error === undefined) return this.props.children;
    if (isReloading) return null;
    return <BrokenPage error={error} onRetry={() => this.setState({ error: undefined })} />;
  }
}

/** Route, version and stack; no values of the page. */
function reportOf(error: unknown, version: string): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const requestId = error instanceof Object && 'requestId' in error ? `\nrequest: ${String(error.requestId)}` : '';
  return `${window.location.pathname}\nversion: ${version}${requestId}\n${navigator.userAgent}\n\n${stack}`;
}

function BrokenPage({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation();
  const version = useStatus()?.version ?? '';
  const copy = useCopy();
  return (
    <div className={classes.panel} role="alert">
      <h1 className={classes.title}>{t('error.page')}</h1>
      <p className={classes.text}>{t('error.pageNext')}</p>
      <div className={classes.acts}>
        <Button onClick={onRetry}>{t('action.retry')}</Button>
        <Button variant="default" onClick={() => void copy(reportOf(error, version))}>
          {t('action.copyReport')}
        </Button>
      </div>
    </div>
  );
}
