/** The human check of forms that anybody may send: drawn, and its script loaded, only where the site asks for one. */
import { Alert } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import { useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStatus } from '../session/status.ts';
import classes from './human-check.module.css';
import { loadScript } from './load-script.ts';

const scriptAddress = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';

interface Turnstile {
  render(
    place: HTMLElement,
    options: {
      sitekey: string;
      theme: 'light' | 'dark';
      language: string;
      size: 'flexible';
      callback: (answer: string) => void;
      'expired-callback': () => void;
      'error-callback': () => void;
    },
  ): string;
  reset(widget: string): void;
  remove(widget: string): void;
}

declare global {
  interface Window {
    turnstile?: Turnstile;
  }
}

export interface HumanCheck {
  /** True while the form must wait: the site asks for a check and it has not passed. */
  readonly isPending: boolean;
  /** For the options of the call. */
  readonly options: { readonly turnstile?: string };
  /** An answer counts once: ask for the next. */
  readonly reset: () => void;
  /** Where the check is drawn; nothing when the site has none. */
  readonly widget: ReactNode;
}

export function useHumanCheck(): HumanCheck {
  const status = useStatus();
  const [answer, setAnswer] = useState<string>();
  const [round, setRound] = useState(0);
  const isNeeded = status?.turnstile_check === true;
  const reset = useCallback(() => {
    setAnswer(undefined);
    setRound((last) => last + 1);
  }, []);
  return {
    isPending: isNeeded && answer === undefined,
    options: answer === undefined ? {} : { turnstile: answer },
    reset,
    widget: isNeeded ? <Widget siteKey={status.turnstile_site_key} round={round} onAnswer={setAnswer} /> : undefined,
  };
}

function Widget({
  siteKey,
  round,
  onAnswer,
}: {
  siteKey: string;
  round: number;
  onAnswer: (answer: string | undefined) => void;
}) {
  const { t, i18n } = useTranslation('sign-in');
  const theme = useComputedColorScheme('light');
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<string>(undefined);
  const [isUnreachable, setUnreachable] = useState(false);
  const language = i18n.language;

  useEffect(() => {
    let isGone = false;
    loadScript(scriptAddress).then(
      () => {
        if (isGone || !place.current || !window.turnstile) return;
        setUnreachable(false);
        drawn.current = window.turnstile.render(place.current, {
          sitekey: siteKey,
          theme,
          language,
          size: 'flexible',
          callback: onAnswer,
          'expired-callback': () => onAnswer(undefined),
          'error-callback': () => onAnswer(undefined),
        });
      },
      () => setUnreachable(!isGone),
    );
    return () => {
      isGone = true;
      if (drawn.current !== undefined) window.turnstile?.remove(drawn.current);
      drawn.current = undefined;
      onAnswer(undefined);
    };
  }, [siteKey, theme, language, onAnswer]);

  useEffect(() => {
    if (round > 0 && drawn.current !== undefined) window.turnstile?.reset(drawn.current);
  }, [round]);

  if (isUnreachable) return <Alert color="orange">{t('humanCheck.unreachable')}</Alert>;
  return <div ref={place} className={classes.place} />;
}
