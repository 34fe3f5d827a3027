/**
 * A button that waits for the answer to its own press is disabled meanwhile, and browsers take the focus from what is
 * disabled, without an event. It gets it back when it can be pressed again, unless the user has gone elsewhere.
 */
import { useEffect } from 'react';
import { Store } from '../session/store.ts';

/** Had the focus last; null once something else was pressed. */
export const lastFocus = new Store<Element | null>(null);

export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

export function useKeptFocus(): void {
  useEffect(() => {
    const focused = ({ target }: Event) => lastFocus.set(target instanceof Element ? target : null);
    // Comes before the focus that a press brings.
    const pressed = () => lastFocus.set(null);
    const watch = new MutationObserver((changes) => {
      const last = lastFocus.get();
      const isBack = changes.some(({ target }) => target === last) && !last?.hasAttribute('disabled');
      if (isBack && isFocusLost() && last instanceof HTMLElement) last.focus({ preventScroll: true });
    });
    watch.observe(document.body, { subtree: true, attributeFilter: ['disabled'] });
    document.addEventListener('focusin', focused);
    document.addEventListener('pointerdown', pressed);
    return () => {
      watch.disconnect();
      document.removeEventListener('focusin', focused);
      document.removeEventListener('pointerdown', pressed);
    };
  }, []);
}
