/** One counter of tokens for all gateways of this process: its thread and vocabulary take half a second of a core. */
import { TokenCounter } from '../../daemon/relay/tokens/token-counter.ts';

type Listener = (error: unknown) => void;

const listeners = new Set<Listener>();

/** Counts depend on model and texts alone, and its thread keeps no process alive: nobody closes it. */
export const sharedTokenCounter = new TokenCounter({
  estimator: 'on',
  timeoutMs: 10_000,
  idleMs: 60_000,
  report: (error) => {
    for (const listener of listeners) listener(error);
  },
});

/** Tells of counts that failed, until the function that it answers is called. */
export function onFailedCount(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
