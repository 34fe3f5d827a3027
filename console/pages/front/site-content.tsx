/** What an operator wrote for a page: an address fills it as a frame, anything else is text that was made harmless. */
import { useComputedColorScheme } from '@mantine/core';
import { useCallback, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { RichText } from '../../components/rich-text.tsx';
import classes from './site-content.module.css';

export function SiteContent({ content, title }: { content: string; title: string }) {
  const text = content.trim();
  if (/^https?:\/\//i.test(text)) return <ContentFrame address={text} title={title} />;
  return (
    <article className={classes.text} aria-label={title}>
      <RichText text={text} kind="admin" />
    </article>
  );
}

function ContentFrame({ address, title }: { address: string; title: string }) {
  const { i18n } = useTranslation();
  const frame = useRef<HTMLIFrameElement>(null);
  const themeMode = useComputedColorScheme('light');
  const lang = i18n.language;
  const isForeign = originOf(address) !== window.location.origin;
  const tell = useCallback(() => {
    // A page of this site has no origin inside its sandbox; what is told is no secret.
    frame.current?.contentWindow?.postMessage({ themeMode, lang }, isForeign ? (originOf(address) ?? '*') : '*');
  }, [address, isForeign, themeMode, lang]);
  useEffect(tell, [tell]);
  return (
    <iframe
      ref={frame}
      src={address}
      title={title}
      className={classes.frame}
      // With both last words a page of this site could take its own sandbox off.
      sandbox={`allow-scripts allow-forms allow-popups${isForeign ? ' allow-same-origin' : ''}`}
      onLoad={tell}
    />
  );
}

function originOf(address: string): string | undefined {
  try {
    return new URL(address).origin;
  } catch {
    return undefined;
  }
}
