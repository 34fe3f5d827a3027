/** New rows as they are written (console.md 6.14, Live tail): pushed by the daemon, held back while somebody reads. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { events as endpoints } from '../../../daemon/contract/events.ts';
import type { LogView } from '../../../daemon/contract/logs.ts';
import { callsFor } from '../../api/client.ts';

const events = callsFor(endpoints);

const mostRows = 200;
const endsAfterMs = 10 * 60_000;
/** Waits before another try after the stream broke off. */
const retryMs = 5000;

export interface LiveRows {
  /** New rows that are shown, newest first. */
  readonly shown: readonly LogView[];
  /** New rows that wait to be asked for. */
  readonly waiting: number;
  readonly show: () => void;
  /** The time is up or the daemon ended it; `resume` goes on. */
  readonly isStopped: boolean;
  readonly resume: () => void;
}

type FollowInput = Parameters<typeof events.follow>[0];

/**
 * @param options.isHeld true while the pointer or the focus is in the list: nothing moves under it
 * @param options.filter what rows to be told of; a new text of it begins anew
 */
export function useLiveRows({
  isOn,
  isAdmin,
  isHeld,
  filter,
}: {
  readonly isOn: boolean;
  readonly isAdmin: boolean;
  readonly isHeld: boolean;
  readonly filter: NonNullable<FollowInput>;
}): LiveRows {
  const [rows, setRows] = useState<{ shown: readonly LogView[]; waiting: readonly LogView[] }>(nothing);
  const [isStopped, setStopped] = useState(false);
  const [turn, setTurn] = useState(0);
  const held = useRef(isHeld);
  held.current = isHeld;
  const filterText = JSON.stringify(filter);

  const show = useCallback(
    () => setRows(({ shown, waiting }) => ({ shown: [...waiting, ...shown].slice(0, mostRows), waiting: [] })),
    [],
  );
  useEffect(() => {
    if (!isHeld) show();
  }, [isHeld, show]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` begins the stream anew
  useEffect(() => {
    setRows(nothing);
    setStopped(false);
    if (!isOn) return undefined;
    const end = new AbortController();
    const timer = setTimeout(() => {
      setStopped(true);
      end.abort();
    }, endsAfterMs);
    const add = (row: LogView) =>
      setRows(({ shown, waiting }) =>
        held.current
          ? { shown, waiting: [row, ...waiting].slice(0, mostRows) }
          : { shown: [row, ...waiting, ...shown].slice(0, mostRows), waiting: [] },
      );
    void follow(isAdmin, JSON.parse(filterText), end.signal, add).then(
      () => end.signal.aborted || setStopped(true),
      () => undefined,
    );
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [isOn, isAdmin, filterText, turn]);

  const resume = useCallback(() => setTurn((now) => now + 1), []);
  return { shown: rows.shown, waiting: rows.waiting.length, show, isStopped, resume };
}

const nothing = { shown: [], waiting: [] };

/** Resolves when the daemon ends the stream for good; a broken one is begun again. */
async function follow(
  isAdmin: boolean,
  filter: NonNullable<FollowInput>,
  signal: AbortSignal,
  add: (row: LogView) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const stream = isAdmin
        ? events.follow({ ...filter, only: 'log' }, { signal })
        : events.followOwn(filter, { signal });
      for await (const event of await stream) {
        if (event.event === 'log') add(event.data);
        else if (event.event === 'ended') return;
      }
    } catch {
      // Refused or broken off; another try tells which.
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}
