/** Leaves for the first saved chat site, with a key of the user (console.md 6.19). */
import { useEffect } from 'react';
import { useChatAddress } from './use-chat-address.ts';
import { Waiting } from './waiting.tsx';

export function Page() {
  const { url, isTokenMissing } = useChatAddress((links) => links.find(({ isPage }) => isPage));
  useEffect(() => {
    if (url !== undefined) window.location.replace(url);
  }, [url]);
  return <Waiting isTokenMissing={isTokenMissing} />;
}
