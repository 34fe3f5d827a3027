/** A saved chat site in a frame, with a key of the user (console.md 6.19). */
import { VisuallyHidden } from '@mantine/core';
import '@mantine/core/styles/VisuallyHidden.css';
import { useParams } from 'react-router-dom';
import classes from './chat-page.module.css';
import { useChatAddress } from './use-chat-address.ts';
import { Waiting } from './waiting.tsx';

export function Page() {
  const { id = '0' } = useParams();
  const { link, url, isTokenMissing } = useChatAddress((links) => links.find(({ index }) => String(index) === id));
  if (link === undefined || url === undefined) return <Waiting isTokenMissing={isTokenMissing} />;
  return (
    <>
      <VisuallyHidden component="h1" tabIndex={-1}>
        {link.name}
      </VisuallyHidden>
      <iframe
        key={url}
        src={url}
        title={link.name}
        className={classes.frame}
        sandbox={sandboxOf(url)}
        referrerPolicy="no-referrer"
        allow="clipboard-write; microphone"
      />
    </>
  );
}

/** A page of this site could take its own sandbox off if it kept its origin. */
function sandboxOf(url: string): string {
  const isForeign = new URL(url).origin !== window.location.origin;
  return `allow-scripts ${isForeign ? 'allow-same-origin ' : ''}allow-forms allow-popups allow-downloads`;
}
