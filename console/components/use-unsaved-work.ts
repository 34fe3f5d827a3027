/**
 * Whoever leaves a page with unsaved work is asked first (console.md 6.22, 7.3): by the browser's Back and Forward, and,
 * in the browser's own words, before a reload or the end of the tab. Keys, the palette and signing out ask through
 * `session/unsaved-work.ts`.
 */
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';
import { currentEntry, holdHistory } from '../session/held-history.ts';
import { unsavedQuestion } from '../session/unsaved-work.ts';

/**
 * @param question asked while `isUnsaved`; resolves to true once the work may be lost
 * @param of what the work belongs to: to the page, or to this entry alone, so that another tab or filter loses it
 */
export function useUnsavedWork(
  isUnsaved: boolean,
  question: () => Promise<boolean>,
  of: 'page' | 'entry' = 'page',
): void {
  const { key } = useLocation();
  const latest = useRef(question);
  latest.current = question;
  const shown = useRef(currentEntry());
  // biome-ignore lint/correctness/useExhaustiveDependencies: each entry has its key
  useLayoutEffect(() => {
    shown.current = currentEntry();
  }, [key]);

  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = () => latest.current();
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const release = holdHistory(() => (of === 'page' ? shown.current : { ...shown.current, pathname: '' }), ask);
    unsavedQuestion.set(ask);
    window.addEventListener('beforeunload', onUnload);
    return () => {
      release();
      if (unsavedQuestion.get() === ask) unsavedQuestion.set(undefined);
      window.removeEventListener('beforeunload', onUnload);
    };
  }, [isUnsaved, of]);
}
