/** Expecting calls of the typed client to be refused. */
import * as assert from 'uvu/assert';
import { ApiError } from '../../daemon/contract/client.ts';

/** The refusal of a call; fails when the call succeeds or breaks otherwise. */
export async function refusalOf(call: Promise<unknown>): Promise<ApiError> {
  const thrown = await call.then(
    (value) => new Error(`the call succeeded with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(thrown instanceof ApiError)) throw thrown;
  return thrown;
}

/** Asserts that a call is refused with this code, and with this status where one is given. */
export async function assertRefused(call: Promise<unknown>, code: string, status?: number): Promise<void> {
  const refusal = await refusalOf(call);
  assert.is(refusal.code, code);
  if (status !== undefined) assert.is(refusal.status, status);
}
