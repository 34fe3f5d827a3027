/** Keys that work on every page (console.md 1.5). Single keys can be switched off under `shortcuts` in local storage. */
import { useEffect, useRef } from 'react';
import { mayOpen, pages } from '../pages.tsx';
import { userStore } from '../session/session.ts';
import { readText } from '../session/storage.ts';
import { isPaletteOpen, isShortcutListOpen } from './palette-state.ts';
import { useLeave } from './use-leave.ts';

/** After `g`. */
export const goTo: Readonly<Record<string, string>> = {
  d: '/detail',
  t: '/token',
  l: '/log',
  p: '/pricing',
  c: '/channel',
  u: '/user',
  s: '/setting',
  w: '/topup',
};

const sequenceMs = 1500;

const areOff = (): boolean => readText('shortcuts') === 'off';

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable="true"]') !== null;
}

/** Where a key leads on the page: `search` is the bar of filters, the header of a page marks its one main act. */
const places = {
  filter: 'main search input, main search select, main search button',
  new: 'main [data-primary] :is(button, a)',
  refresh: 'main [data-refresh]',
} as const;

function reach(kind: keyof typeof places): boolean {
  const element = document.querySelector<HTMLElement>(places[kind]);
  if (!element) return false;
  // What opens gives the focus back to where it came from.
  if (kind !== 'refresh') element.focus();
  if (kind !== 'filter') element.click();
  return true;
}

export function useShortcuts(): void {
  const leave = useLeave();
  const awaitsUntil = useRef(0);
  useEffect(() => {
    const go = (key: string): boolean => {
      const path = goTo[key];
      const entry = pages.find((candidate) => candidate.path === path);
      if (path === undefined || entry === undefined || !mayOpen(entry, userStore.get())) return false;
      if (entry.document === 'own') window.location.assign(path);
      else leave(path);
      return true;
    };
    const single = (key: string): boolean => {
      const isSecond = performance.now() < awaitsUntil.current;
      awaitsUntil.current = 0;
      if (isSecond) return go(key);
      switch (key) {
        case 'g':
          awaitsUntil.current = performance.now() + sequenceMs;
          return true;
        case '?':
          isShortcutListOpen.set(true);
          return true;
        case '/':
          return reach('filter');
        case 'n':
          return reach('new');
        case 'r':
          return reach('refresh');
        default:
          return false;
      }
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        isPaletteOpen.set(!isPaletteOpen.get());
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || areOff() || isTyping(event.target)) return;
      if (document.querySelector('[aria-modal="true"], [role="menu"]')) return;
      if (single(event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [leave]);
}
