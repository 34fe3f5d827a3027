/** Telegram's own sign-in button (console.md 6.3); its script is loaded when this is drawn. */
import { Alert } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { awaitTelegramAnswer } from './telegram-answer.ts';
import classes from './telegram-widget.module.css';

const scriptAddress = 'https://telegram.org/js/telegram-widget.js?22';

/** `returnAddress` is a path of this site, which Telegram opens with its answer in the query. */
export function TelegramWidget({ botName, returnAddress }: { botName: string; returnAddress: string }) {
  const { t } = useTranslation('sign-in');
  const place = useRef<HTMLDivElement>(null);
  const [isUnreachable, setUnreachable] = useState(false);
  useEffect(() => {
    const script = document.createElement('script');
    script.src = scriptAddress;
    script.async = true;
    // The script draws the button where its own element stands, so each drawing takes an element of its own.
    script.dataset.telegramLogin = botName;
    script.dataset.size = 'large';
    const { href, pathname } = new URL(returnAddress, window.location.origin);
    script.dataset.authUrl = href;
    awaitTelegramAnswer(pathname);
    script.addEventListener('error', () => setUnreachable(true));
    const { current } = place;
    current?.replaceChildren(script);
    return () => {
      current?.replaceChildren();
      awaitTelegramAnswer(undefined);
    };
  }, [botName, returnAddress]);
  if (isUnreachable) return <Alert color="orange">{t('telegram.unreachable')}</Alert>;
  return <div ref={place} className={classes.place} />;
}
