/** Failures as values, for assertions. */
import * as assert from 'uvu/assert';
import { TollgateError } from '../../daemon/errors.ts';

/** What the promise was rejected with; fails when it was kept. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const kept = Symbol('kept');
  const outcome = await promise.then(
    () => kept,
    (error: unknown) => error,
  );
  assert.is.not(outcome, kept, 'the promise was kept');
  return outcome;
}

/** The promise is rejected because the database cannot serve, and says when to come back. */
export async function isUnavailable(promise: Promise<unknown>): Promise<void> {
  const error = await rejectionOf(promise);
  assert.ok(error instanceof TollgateError, String(error));
  assert.equal([error.code, error.retryAfterSeconds], ['db_unavailable', 5]);
}
