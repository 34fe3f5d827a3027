/**
 * Gives the focus back to whoever had it before something was laid over the page. The kit does so for what stays mounted
 * while it is closed; our drawers and dialogs come when they are wanted and go when they are closed.
 */
import { type MouseEvent, useEffect, useState } from 'react';
import { Store } from '../session/store.ts';
import { isFocusLost, lastFocus } from './kept-focus.ts';

const overlays = '#overlays';

/** Had the focus last before anything lay over the page: a dialog that follows another finds a button of that one. */
const below = new Store<Element | null>(null);

function holders(): readonly (Element | null)[] {
  // Whoever opened it may be disabled until it is closed.
  const holder = isFocusLost() ? lastFocus.get() : document.activeElement;
  if (holder?.closest(overlays)) return [holder, below.get()];
  below.set(holder);
  return [holder];
}

/** A press beside what lies over the page would hand the focus to the page, whose keys then never reach it. */
export function keepFocus(event: MouseEvent<HTMLElement>): void {
  const { target, currentTarget } = event;
  if (!(target instanceof Element) || target.closest('[aria-modal]')) return;
  // A list that opens over it lies elsewhere.
  if (currentTarget.contains(target)) event.preventDefault();
}

export function useFocusBack(): void {
  const [before] = useState(holders);
  useEffect(
    () => () => {
      // When the next thing is drawn, which may be a dialog that takes the focus.
      requestAnimationFrame(() => {
        if (!isFocusLost()) return;
        const holder = before.find((element) => element?.isConnected);
        if (!(holder instanceof HTMLElement)) return;
        lastFocus.set(holder);
        holder.focus({ preventScroll: true });
      });
    },
    [before],
  );
}
