/** New rows as they are written (console.md 6.14, Live tail): pushed by the daemon, held back while somebody reads. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../daemon/contract/client.ts';
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
  /** The time is up, or the daemon ended or refused it; `resume` goes on. */
  readonly isStopped: boolean;
  readonly resume: () => void;
}

type FollowInput = Parameters<typeof events.follow>[0];

/**
 * @param options.isHeld true while the pointer or the focus is in the list: nothing moves under it
 * @param options.filter what rows to be told of; a new text of it begins anew
 * @param options.listAge when the list was fetched; once the stream is off, what it told is in there
 * @param options.onGap rows may have been written that the stream did not tell of
 */
export function useLiveRows({
  isOn,
  isAdmin,
  isHeld,
  filter,
  listAge,
  onGap,
}: {
  readonly isOn: boolean;
  readonly isAdmin: boolean;
  readonly isHeld: boolean;
  readonly filter: NonNullable<FollowInput>;
  readonly listAge: number;
  readonly onGap: () => void;
}): LiveRows {
  const [rows, setRows] = useState<{ shown: readonly LogView[]; waiting: readonly LogView[] }>(nothing);
  const [isStopped, setStopped] = useState(false);
  const [turn, setTurn] = useState(0);
  const isHidden = useHiddenTab();
  const held = useRef(isHeld);
  held.current = isHeld;
  const tellGap = useRef(onGap);
  tellGap.current = onGap;
  // What the next stream begins behind: `Last-Event-ID`.
  const last = useRef<string>(undefined);
  const filterText = JSON.stringify(filter);

  const show = useCallback(
    () => setRows(({ shown, waiting }) => ({ shown: [...waiting, ...shown].slice(0, mostRows), waiting: [] })),
    [],
  );
  useEffect(() => {
    if (!isHeld) show();
  }, [isHeld, show]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter, or another beginning, has other rows
  useEffect(() => {
    setRows(nothing);
    last.current = undefined;
  }, [isAdmin, filterText]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list fetched after the end has the rows
  useEffect(() => {
    if (isOn) return;
    setRows(nothing);
    last.current = undefined;
  }, [listAge]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` begins the stream anew
  useEffect(() => {
    setStopped(false);
    if (!isOn || isHidden) return undefined;
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
    const following = { isAdmin, filter: JSON.parse(filterText), signal: end.signal, last, add };
    void follow({ ...following, onGap: () => tellGap.current() }).then(
      () => end.signal.aborted || setStopped(true),
      () => undefined,
    );
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [isOn, isAdmin, isHidden, filterText, turn]);

  const resume = useCallback(() => setTurn((now) => now + 1), []);
  return { shown: rows.shown, waiting: rows.waiting.length, show, isStopped, resume };
}

const nothing = { shown: [], waiting: [] };

/** True while nobody sees the page. */
function useHiddenTab(): boolean {
  const [isHidden, setHidden] = useState(document.hidden);
  useEffect(() => {
    const look = () => setHidden(document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isHidden;
}

interface Following {
  readonly isAdmin: boolean;
  readonly filter: NonNullable<FollowInput>;
  readonly signal: AbortSignal;
  /** Kept across streams. */
  readonly last: { current: string | undefined };
  readonly add: (row: LogView) => void;
  readonly onGap: () => void;
}

/** Resolves when the daemon ends or refuses the stream; a broken one is gone on with behind its last row. */
async function follow({ isAdmin, filter, signal, last, add, onGap }: Following): Promise<void> {
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = last.current === undefined ? {} : { 'Last-Event-ID': last.current };
      const stream = isAdmin
        ? events.follow({ ...filter, only: 'log' }, { signal, headers })
        : events.followOwn(filter, { signal, headers });
      for await (const event of await stream) {
        if (event.event === 'log') {
          last.current = event.id;
          add(event.data);
        } else if (event.event === 'ended') return;
        else if (event.event === 'skipped' || (event.event === 'ready' && last.current === undefined)) onGap();
      }
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) return;
      // Broken off, or nobody there.
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}
