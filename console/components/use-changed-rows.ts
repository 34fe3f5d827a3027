/** Rows that were just saved, marked for two seconds so that the eye finds them (console.md 1.2). */
import { useCallback, useEffect, useRef, useState } from 'react';

const markedMs = 2000;

export interface ChangedRows {
  readonly mark: (key: string | number) => void;
  /** For `rowTone` of the table. */
  readonly toneOf: (key: string | number) => 'changed' | undefined;
}

export function useChangedRows(): ChangedRows {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  useEffect(() => {
    const running = timers.current;
    return () => {
      for (const timer of running) clearTimeout(timer);
    };
  }, []);
  const mark = useCallback((key: string | number) => {
    const text = String(key);
    setMarked((before) => new Set(before).add(text));
    const timer = setTimeout(() => {
      timers.current.delete(timer);
      setMarked((before) => new Set([...before].filter((other) => other !== text)));
    }, markedMs);
    timers.current.add(timer);
  }, []);
  return { mark, toneOf: (key) => (marked.has(String(key)) ? 'changed' : undefined) };
}
