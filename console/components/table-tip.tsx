/**
 * One tooltip for a whole table (console.md 3, rule 4): for what has `data-tip`, and for cells whose text is cut. Shown
 * on focus too; Esc closes it, and the pointer may go onto it.
 */
import { type RefObject, useEffect, useRef, useState } from 'react';
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

export function TableTip({ within }: { readonly within: RefObject<HTMLElement | null> }) {
  const [tip, setTip] = useState<Tip>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const shownFor = useRef<Element>(undefined);
  useEffect(() => {
    const root = within.current;
    if (!root) return undefined;
    const hide = () => {
      clearTimeout(timer.current);
      shownFor.current = undefined;
      setTip(undefined);
    };
    const show = (event: Event) => {
      const found = tipOf(event.target);
      if (found?.element === shownFor.current) {
        if (found) clearTimeout(timer.current);
        return;
      }
      hide();
      if (!found) return;
      shownFor.current = found.element;
      timer.current = setTimeout(
        () => {
          const box = found.element.getBoundingClientRect();
          const isBelow = box.top < 80;
          const left = Math.max(90, Math.min(window.innerWidth - 90, box.left + box.width / 2));
          setTip({ text: found.text, left, top: isBelow ? box.bottom + 6 : box.top - 6, isBelow });
        },
        event.type === 'focusin' ? 0 : delayMs,
      );
    };
    const leave = () => {
      clearTimeout(timer.current);
      timer.current = setTimeout(hide, leaveMs);
    };
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
      onPointerEnter={() => clearTimeout(timer.current)}
    >
      {tip.text}
    </div>
  );
}
