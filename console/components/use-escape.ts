/** Escape closes the dialog that lies uppermost, and no other: the kit's own would close those below it as well. */
import { useEffect, useRef } from 'react';

/** @param titleId of the dialog's title, by which it is known among those that are open */
export function useEscape(titleId: string, onEscape: (() => void) | undefined): void {
  const latest = useRef(onEscape);
  latest.current = onEscape;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const uppermost = [...document.querySelectorAll('[aria-modal=true]')].at(-1);
      if (event.key !== 'Escape' || event.isComposing) return;
      if (uppermost?.getAttribute('aria-labelledby') !== titleId) return;
      const { target } = event;
      if (!(target instanceof Element) || (target !== document.body && !uppermost.contains(target))) return;
      // What lies over the dialog takes the key for itself; so does a list within it, and says so until it has.
      if (target.getAttribute('data-mantine-stop-propagation') === 'true' || !latest.current) return;
      // What lay below is uppermost before the key has come by, and must not take it as well.
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', listen, { capture: true });
    return () => window.removeEventListener('keydown', listen, { capture: true });
  }, [titleId]);
}
