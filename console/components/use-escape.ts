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
      // What lies over the dialog takes the key for itself; so does a list within it, and says so until it has.
      const isWithin = target === document.body || (target instanceof Element && uppermost.contains(target));
      const isTaken = target instanceof Element && target.getAttribute('data-mantine-stop-propagation') === 'true';
      if (isWithin && !isTaken) latest.current?.();
    };
    window.addEventListener('keydown', listen, { capture: true });
    return () => window.removeEventListener('keydown', listen, { capture: true });
  }, [titleId]);
}
