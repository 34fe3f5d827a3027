/** Keys of a list: `j` `k` between rows, Enter opens, `x` selects, Esc leaves, `[` `]` turn pages (console.md 1.5). */
import { type RefObject, useEffect, useRef } from 'react';
import { readText } from '../session/storage.ts';

export interface RowKeyActs {
  readonly open?: ((key: string) => void) | undefined;
  readonly select?: ((key: string) => void) | undefined;
  readonly turn?: ((by: -1 | 1) => void) | undefined;
}

/** True where a key belongs to what is being typed. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox]):not([type=radio]),textarea,select'))
  );
}

/** True when a dialog or drawer lies over the table. */
function isCovered(root: HTMLElement): boolean {
  const top = [...document.querySelectorAll('[aria-modal="true"],[role="menu"]')].at(-1);
  return top !== undefined && !top.contains(root);
}

export function useRowKeys(within: RefObject<HTMLElement | null>, acts: RowKeyActs): void {
  const latest = useRef(acts);
  useEffect(() => {
    latest.current = acts;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const root = within.current;
      if (!root || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || isCovered(root) || root.offsetParent === null) return;
      const focused = document.activeElement;
      const row =
        focused instanceof HTMLElement && root.contains(focused) ? focused.closest<HTMLElement>('[data-row]') : null;
      const isOnRow = row !== null && row === focused;
      const key = row?.dataset.row;
      const done = () => event.preventDefault();
      if (isOnRow && key !== undefined && event.key === 'Enter' && latest.current.open) {
        done();
        return latest.current.open(key);
      }
      if (isOnRow && event.key === 'Escape') return row.blur();
      // Single keys may be switched off (WCAG 2.1.4).
      if (readText('shortcuts') === 'off') return undefined;
      switch (event.key) {
        case 'j':
        case 'k':
          done();
          return step(root, row, event.key === 'j' ? 1 : -1);
        case 'x':
          if (isOnRow && key !== undefined) latest.current.select?.(key);
          return undefined;
        case '[':
        case ']':
          return latest.current.turn?.(event.key === ']' ? 1 : -1);
        default:
          return undefined;
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [within]);
}

function step(root: HTMLElement, row: HTMLElement | null, by: 1 | -1): void {
  const rows = [...root.querySelectorAll<HTMLElement>('[data-row]')];
  const place = row === null ? (by === 1 ? -1 : rows.length) : rows.indexOf(row);
  const next = rows[Math.max(0, Math.min(rows.length - 1, place + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
