/**
 * Gives the focus back to whoever had it before something was laid over the page. The kit does so for what stays mounted
 * while it is closed; our drawers and dialogs come when they are wanted and go when they are closed.
 */
import { useEffect, useState } from 'react';
import { Store } from '../session/store.ts';

const overlays = '#overlays';

/** Had the focus last before anything lay over the page: a dialog that follows another finds a button of that one. */
const below = new Store<Element | null>(null);

function holders(): readonly (Element | null)[] {
  const { activeElement } = document;
  if (activeElement?.closest(overlays)) return [activeElement, below.get()];
  below.set(activeElement);
  return [activeElement];
}

export function useFocusBack(): void {
  const [before] = useState(holders);
  useEffect(
    () => () => {
      // When the next thing is drawn, which may be a dialog that takes the focus.
      requestAnimationFrame(() => {
        const { activeElement } = document;
        if (activeElement !== null && activeElement !== document.body) return;
        const holder = before.find((element) => element?.isConnected);
        if (holder instanceof HTMLElement) holder.focus({ preventScroll: true });
      });
    },
    [before],
  );
}
