/** Asks again and again while the page is looked at; less often the more often it fails (console.md 7.19). */
import { useEffect, useRef } from 'react';

const longestMs = 5 * 60_000;

/**
 * @param ask resolves when answered; what it throws only lengthens the wait
 * @param ms undefined: not now
 */
export function usePoll(ask: (signal: AbortSignal) => Promise<unknown>, ms: number | undefined): void {
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  useEffect(() => {
    if (ms === undefined) return undefined;
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let isAsking = false;
    let lastAsked = Date.now();
    const wait = (length: number) => {
      clearTimeout(timer);
      timer = setTimeout(turn, length);
    };
    const turn = async () => {
      if (ended.signal.aborted || document.hidden || isAsking) return;
      isAsking = true;
      lastAsked = Date.now();
      try {
        await latest.current(ended.signal);
        failures = 0;
      } catch {
        failures += 1;
      } finally {
        isAsking = false;
      }
      if (!ended.signal.aborted) wait(Math.min(longestMs, ms * 2 ** Math.min(failures, 10)));
    };
    const seen = () => {
      if (!document.hidden) wait(Math.max(0, lastAsked + ms - Date.now()));
    };
    document.addEventListener('visibilitychange', seen);
    wait(ms);
    return () => {
      ended.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [ms]);
}
