/** What the conversations of the playground show. */
import { useCallback, useSyncExternalStore } from 'react';
import type { Side } from './use-sides.ts';

/** True while an answer comes in on any side. */
export function useIsAnyRunning(sides: readonly Side[]): boolean {
  const watch = useCallback(
    (listener: () => void) => {
      const ends = sides.map(({ conversation }) => conversation.turns.watch(listener));
      return () => {
        for (const end of ends) end();
      };
    },
    [sides],
  );
  return useSyncExternalStore(watch, () => sides.some(({ conversation }) => conversation.isRunning()));
}
