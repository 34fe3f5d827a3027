/** What an operator wrote for a page: an address fills it as a frame, anything else is text that was made harmless. */
import { useComputedColorScheme, VisuallyHidden } from '@mantine/core';
import '@mantine/core/styles/VisuallyHidden.css';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RichText } from '../../components/rich-text.tsx';
import classes from './site-content.module.css';

export function SiteContent({ content, title }: { content: string; title: string }) {
  const text = content.trim();
  return (
    <>
      {/* The content has headings of its own, or none; the title of the page is named for those who listen. */}
      <VisuallyHidden component="h1" tabIndex={-1}>
        {title}
      </VisuallyHidden>
      {/^https?:\/\//i.test(text) ? (
        <ContentFrame address={text} title={title} />
      ) : (
        <article className={classes.text}>
          <RichText text={text} kind="admin" />
        </article>
      )}
    </>
  );
}

function ContentFrame({ address, title }: { address: string; title: string }) {
  const { i18n } = useTranslation();
  const frame = useRef<HTMLIFrameElement>(null);
  const [isLoaded, setLoaded] = useState(false);
  const themeMode = useComputedColorScheme('light');
  const lang = i18n.language;
  const isForeign = originOf(address) !== window.location.origin;
  const tell = useCallback(() => {
    // A page of this site has no origin inside its sandbox; what is told is no secret.
    frame.current?.contentWindow?.postMessage({ themeMode, lang }, isForeign ? (originOf(address) ?? '*') : '*');
  }, [address, isForeign, themeMode, lang]);
  // Until then an empty document stands in the frame, which is of another origin.
  useEffect(() => {
    if (isLoaded) tell();
  }, [isLoaded, tell]);
  return (
    <iframe
      ref={frame}
      src={address}
      title={title}
      className={classes.frame}
      // With both last words a page of this site could take its own sandbox off.
      sandbox={`allow-scripts allow-forms allow-popups${isForeign ? ' allow-same-origin' : ''}`}
      onLoad={() => (isLoaded ? tell() : setLoaded(true))}
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
