/** `const batch = useBatch<number>(); await batch.start(ids, (id, signal) => channels.test({ id }, { signal }))`. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { Batch, type BatchProgress } from './batch.ts';

export type { BatchFailure, BatchProgress } from './batch.ts';

export interface BatchControl<Item> {
  /** Undefined before the first start. */
  readonly progress: BatchProgress<Item> | undefined;
  /** Resolves when all is done or it was stopped. */
  readonly start: (
    items: readonly Item[],
    act: (item: Item, signal: AbortSignal) => Promise<unknown>,
  ) => Promise<BatchProgress<Item>>;
  readonly stop: () => void;
  /** Does what is left after a stop. */
  readonly resume: () => Promise<BatchProgress<Item> | undefined>;
  /** Forgets the last one. */
  readonly clear: () => void;
}

export function useBatch<Item>(): BatchControl<Item> {
  const [progress, setProgress] = useState<BatchProgress<Item>>();
  const current = useRef<Batch<Item>>(undefined);
  useEffect(() => () => current.current?.stop(), []);
  const start = useCallback<BatchControl<Item>['start']>((items, act) => {
    current.current?.stop();
    const batch = new Batch(items, act, (next) => {
      if (current.current === batch) setProgress(next);
    });
    current.current = batch;
    return batch.run();
  }, []);
  const stop = useCallback(() => current.current?.stop(), []);
  const resume = useCallback(async () => current.current?.run(), []);
  const clear = useCallback(() => {
    current.current?.stop();
    current.current = undefined;
    setProgress(undefined);
  }, []);
  return { progress, start, stop, resume, clear };
}
