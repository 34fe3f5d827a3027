/** Escape closes the dialog that lies uppermost, and no other: the kit's own would close those below it as well. */
import { useEffect, useRef } from 'react';

/** @param titleId of the dialog's title, by which it is known among those that are open */
export function useEscape(titleId: string, onEscape: (() => void) | undefined): void {
  const latest = useRef(onEscape);
  latest.current = onEscape;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      // A list or a menu within the dialog takes the key for itself, and says so until it has.
      const isTaken =
        event.isComposing ||
        (event.target instanceof Element && event.target.getAttribute('data-mantine-stop-propagation') === 'true');
      const uppermost = [...document.querySelectorAll('[aria-modal=true]')].at(-1);
      if (event.key !== 'Escape' || isTaken || uppermost?.getAttribute('aria-labelledby') !== titleId) return;
      latest.current?.();
    };
    window.addEventListener('keydown', listen, { capture: true });
    return () => window.removeEventListener('keydown', listen, { capture: true });
  }, [titleId]);
}
