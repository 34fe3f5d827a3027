/** After a change of page: title of the document, focus on the heading, scroll where it belongs (console.md 1.2, 1.6). */
import { useEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router-dom';

const patienceMs = 5000;

/** Calls until it is true, as pages draw their heading when their code has arrived. */
function untilDone(attempt: () => boolean): () => void {
  const end = performance.now() + patienceMs;
  let frame = 0;
  const step = () => {
    if (!attempt() && performance.now() < end) frame = requestAnimationFrame(step);
  };
  frame = requestAnimationFrame(step);
  return () => cancelAnimationFrame(frame);
}

/** The kit, the palette or a drawer may have taken the focus meanwhile; it is not taken from them. */
function focusHeading(): boolean {
  const heading = document.querySelector<HTMLElement>('main h1');
  if (!heading) return false;
  if (document.querySelector('[aria-modal="true"]')) return true;
  const focused = document.activeElement;
  if (focused?.matches('main input, main textarea')) return true;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  return true;
}

export function useDocumentTitle(title: string, siteName: string): void {
  useEffect(() => {
    document.title = title === siteName ? siteName : `${title} - ${siteName}`;
  }, [title, siteName]);
}

/** @param page changes with the page, not with what is open on it */
export function useFocusOnChange(page: string): void {
  const last = useRef(page);
  useEffect(() => {
    if (last.current === page) return undefined;
    last.current = page;
    return untilDone(focusHeading);
  }, [page]);
}

const positions = new Map<string, number>();

/** A new page begins at its top; a page come back to is where it was. */
export function useScrollMemory(page: string): void {
  const { key } = useLocation();
  const kind = useNavigationType();
  const last = useRef(page);
  useEffect(() => {
    const remember = () => positions.set(key, window.scrollY);
    window.addEventListener('scroll', remember, { passive: true });
    return () => window.removeEventListener('scroll', remember);
  }, [key]);
  useEffect(() => {
    if (last.current === page) return undefined;
    last.current = page;
    const wanted = kind === 'POP' ? (positions.get(key) ?? 0) : 0;
    if (wanted === 0) {
      window.scrollTo(0, 0);
      return undefined;
    }
    return untilDone(() => {
      if (document.documentElement.scrollHeight - window.innerHeight < wanted) return false;
      window.scrollTo(0, wanted);
      return true;
    });
  }, [page, key, kind]);
}
