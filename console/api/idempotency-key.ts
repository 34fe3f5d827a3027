/** Keys that make a call count once, however often it is sent (console.md 1.4: never optimistic with money). */
import { useCallback, useRef } from 'react';
import { ApiError } from '../../daemon/contract/client.ts';
import { randomId } from '../components/random-id.ts';

/**
 * `const once = useOnce(); await once(input, (idempotencyKey) => calls.pay(input, { idempotencyKey }))`: the same input
 * goes out under the same key until the server has answered, so that a lost answer does nothing twice.
 */
export function useOnce(): <T>(input: unknown, call: (idempotencyKey: string) => Promise<T>) => Promise<T> {
  const open = useRef<{ readonly input: string; readonly key: string }>(undefined);
  return useCallback(async (input, call) => {
    const text = JSON.stringify(input);
    if (open.current?.input !== text) open.current = { input: text, key: randomId() };
    const { key } = open.current;
    try {
      const answer = await call(key);
      open.current = undefined;
      return answer;
    } catch (error) {
      if (error instanceof ApiError && isAnswer(error)) open.current = undefined;
      throw error;
    }
  }, []);
}

/** Whoever is told to wait, or that an earlier try has no answer yet, knows nothing of what that try did. */
function isAnswer({ status }: ApiError): boolean {
  return status !== 0 && status < 500 && status !== 409 && status !== 429;
}
