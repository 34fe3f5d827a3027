/** What is mounted while it is open only: it closes first, so that the focus goes back, and is taken away then. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { durations } from '../../theme/tokens.ts';

export function useClosing(onClosed: () => void): { readonly opened: boolean; readonly close: () => void } {
  const [opened, setOpened] = useState(true);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(onClosed);
  latest.current = onClosed;
  useEffect(() => () => clearTimeout(timer.current), []);
  const close = useCallback(() => {
    setOpened(false);
    const shown = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : durations.drawer;
    timer.current = setTimeout(() => latest.current(), shown + 40);
  }, []);
  return { opened, close };
}
