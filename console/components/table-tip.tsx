/**
 * One tooltip for a whole table (console.md 3, rule 4): for what has `data-tip`, and for cells whose text is cut. Shown
 * on focus too; Esc closes it, and the pointer may go onto it.
 */
import { type RefObject, useEffect, useState } from 'react';
import classes from './data-table.module.css';

interface Tip {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly isBelow: boolean;
}

const delayMs = 250;
const leaveMs = 120;

function tipOf(target: EventTarget | null): { element: HTMLElement; text: string } | undefined {
  if (!(target instanceof Element)) return undefined;
  const named = target.closest<HTMLElement>('[data-tip]');
  if (named?.dataset.tip) return { element: named, text: named.dataset.tip };
  const cell = target.closest('td');
  if (!cell || cell.scrollWidth <= cell.clientWidth + 1 || cell.querySelector('button,input,select')) return undefined;
  return { element: cell, text: cell.textContent };
}

/** Above its element, or below where that is at the top of the window. */
function tipAt({ element, text }: { readonly element: HTMLElement; readonly text: string }): Tip {
  const box = element.getBoundingClientRect();
  const isBelow = box.top < 80;
  const left = Math.max(90, Math.min(window.innerWidth - 90, box.left + box.width / 2));
  return { text, left, top: isBelow ? box.bottom + 6 : box.top - 6, isBelow };
}

export function TableTip({ within }: { readonly within: RefObject<HTMLElement | null> }) {
  const [tip, setTip] = useState<Tip>();
  useEffect(() => {
    const root = within.current;
    if (!root) return undefined;
    /** Whose tip is shown once the timer has run, or already; undefined for none. */
    let planned: Element | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const plan = (found: ReturnType<typeof tipOf>, ms: number) => {
      // On the way through what an element holds, it is come upon again and again.
      if (found?.element === planned) return;
      planned = found?.element;
      clearTimeout(timer);
      timer = setTimeout(() => setTip(found && tipAt(found)), ms);
    };
    const hide = () => {
      clearTimeout(timer);
      planned = undefined;
      setTip(undefined);
    };
    const show = ({ target, type }: Event) => {
      // The tip lies within the table, too: it stays as it is while the pointer is on it.
      if (target instanceof Element && target.getAttribute('role') === 'tooltip') {
        clearTimeout(timer);
        planned = target;
        return;
      }
      const found = tipOf(target);
      plan(found, found ? (type === 'focusin' ? 0 : delayMs) : leaveMs);
    };
    const leave = () => plan(undefined, leaveMs);
    const hideOnEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hide();
    };
    root.addEventListener('pointerover', show);
    root.addEventListener('pointerleave', leave);
    root.addEventListener('focusin', show);
    root.addEventListener('focusout', hide);
    root.addEventListener('click', hide);
    window.addEventListener('scroll', hide, true);
    window.addEventListener('keydown', hideOnEscape);
    return () => {
      hide();
      root.removeEventListener('pointerover', show);
      root.removeEventListener('pointerleave', leave);
      root.removeEventListener('focusin', show);
      root.removeEventListener('focusout', hide);
      root.removeEventListener('click', hide);
      window.removeEventListener('scroll', hide, true);
      window.removeEventListener('keydown', hideOnEscape);
    };
  }, [within]);
  if (!tip) return null;
  return (
    <div
      role="tooltip"
      className={classes.tip}
      data-below={tip.isBelow || undefined}
      style={{ left: tip.left, top: tip.top }}
    >
      {tip.text}
    </div>
  );
}
