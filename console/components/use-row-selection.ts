/** Choosing rows: one, a range with Shift, all of the page; what was chosen on other pages stays. */
import { useCallback, useLayoutEffect, useMemo, useRef } from 'react';
import type { Selection } from './data-table-types.ts';

export interface RowSelection {
  readonly has: (key: string) => boolean;
  readonly isFixed: (key: string) => boolean;
  readonly count: number;
  /** Of this page. */
  readonly page: 'none' | 'some' | 'all';
  readonly toggle: (key: string, isRange: boolean) => void;
  readonly togglePage: () => void;
  readonly clear: () => void;
}

export function useRowSelection(
  selection: Selection | undefined,
  pageKeys: readonly string[],
): RowSelection | undefined {
  const anchor = useRef<string>(undefined);
  const keys = selection?.keys;
  const onChange = selection?.onChange;
  const isFixed = useCallback((key: string) => selection?.isFixed?.(key) ?? false, [selection]);
  const latest = useRef({ keys, onChange, isFixed, pageKeys });
  useLayoutEffect(() => {
    latest.current = { keys, onChange, isFixed, pageKeys };
  });
  // The same for good: a row that is handed another one would be drawn again with every choice of another row.
  const toggle = useCallback((key: string, isRange: boolean) => {
    const { keys, onChange, isFixed, pageKeys } = latest.current;
    if (!keys || !onChange || isFixed(key)) return;
    const next = new Set(keys);
    const isOn = !keys.has(key);
    for (const one of isRange ? between(pageKeys, anchor.current, key) : [key]) {
      if (isFixed(one)) continue;
      if (isOn) next.add(one);
      else next.delete(one);
    }
    anchor.current = key;
    onChange(next);
  }, []);
  return useMemo(() => {
    if (!keys || !onChange) return undefined;
    const free = pageKeys.filter((key) => !isFixed(key));
    const chosen = free.filter((key) => keys.has(key)).length;
    const page = chosen === 0 ? 'none' : chosen === free.length ? 'all' : 'some';
    return {
      has: (key: string) => keys.has(key),
      isFixed,
      count: keys.size,
      page,
      toggle,
      togglePage: () => {
        const next = new Set(keys);
        for (const key of free) {
          if (page === 'all') next.delete(key);
          else next.add(key);
        }
        onChange(next);
      },
      clear: () => onChange(new Set()),
    };
  }, [keys, onChange, isFixed, pageKeys, toggle]);
}

function between(keys: readonly string[], from: string | undefined, to: string): readonly string[] {
  const start = from === undefined ? -1 : keys.indexOf(from);
  const end = keys.indexOf(to);
  if (start < 0 || end < 0) return [to];
  return keys.slice(Math.min(start, end), Math.max(start, end) + 1);
}
