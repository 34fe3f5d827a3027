/** Whether the window has the width of a phone (console.md 1.7). */
import { useSyncExternalStore } from 'react';

const query = '(max-width: 600px)';

function watch(listener: () => void): () => void {
  const media = matchMedia(query);
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
}

export const usePhone = (): boolean => useSyncExternalStore(watch, () => matchMedia(query).matches);
