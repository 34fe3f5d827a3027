/** A button that may be pressed once in so many seconds (console.md 7.13); the wait outlives a reload. */
import { Button, type ButtonProps, VisuallyHidden } from '@mantine/core';
import { type MouseEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/VisuallyHidden.css';

export interface CountdownButtonProps extends ButtonProps {
  readonly seconds: number;
  /** Of the session's storage. */
  readonly storageKey: string;
  readonly label: string;
  /** The label while it waits: "Resend (12)". */
  readonly waitingLabel: (seconds: number) => string;
  /** The wait begins with the click, before the answer; `false` says that nothing was sent, and ends it. */
  readonly onClick: () => unknown;
  readonly type?: 'button' | 'submit';
}

function storedEnd(key: string): number {
  try {
    return Number(sessionStorage.getItem(key) ?? 0) || 0;
  } catch {
    return 0;
  }
}

function storeEnd(key: string, end: number): void {
  try {
    sessionStorage.setItem(key, String(end));
  } catch {
    // The wait then ends with a reload.
  }
}

export function CountdownButton(props: CountdownButtonProps) {
  const { seconds, storageKey, label, waitingLabel, onClick, disabled, type = 'button', ...look } = props;
  const { t } = useTranslation('components');
  const [end, setEnd] = useState(() => storedEnd(storageKey));
  const [now, setNow] = useState(Date.now);
  const [announced, setAnnounced] = useState('');
  // A clock that was set back would lock the button for long.
  const rest = Math.min(seconds, Math.ceil((end - now) / 1000));
  const isWaiting = rest > 0;

  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= end) setAnnounced(t('countdown.ended'));
    }, 250);
    return () => clearInterval(timer);
  }, [isWaiting, end, t]);

  const wait = (until: number) => {
    storeEnd(storageKey, until);
    setEnd(until);
    setNow(Date.now());
  };
  const press = async (event: MouseEvent) => {
    // Enter in a field presses it as well.
    if (isWaiting) return event.preventDefault();
    wait(Date.now() + seconds * 1000);
    setAnnounced(t('countdown.started', { seconds }));
    if ((await onClick()) !== false) return;
    wait(0);
    setAnnounced('');
  };
  return (
    <>
      {/* While it waits it keeps the focus, which browsers take from what is disabled. */}
      <Button
        {...look}
        type={type}
        disabled={disabled === true}
        data-disabled={isWaiting}
        aria-disabled={isWaiting || undefined}
        onClick={press}
      >
        {isWaiting ? waitingLabel(rest) : label}
      </Button>
      <VisuallyHidden role="status">{announced}</VisuallyHidden>
    </>
  );
}
