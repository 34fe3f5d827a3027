/** How a piece of work of the daemon's own services ended. */
import type { ErrorCode } from '../../daemon/contract/error-codes.ts';
import { TollgateError } from '../../daemon/errors.ts';

/** The code of its refusal, or `accepted`; rejects for whatever else went wrong. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof TollgateError) return error.code;
    throw error;
  }
  return 'accepted';
}

/** What `assert.throws` asks of what is thrown: a refusal with this code, of this field where one is named. */
export function isRefusal(code: ErrorCode, field?: string): (error: unknown) => boolean {
  return (error) =>
    error instanceof TollgateError && error.code === code && (field === undefined || error.field === field);
}

/** The refusal itself, for what it says beside its code; rejects for whatever else went wrong, and for none. */
export async function refusalOf(work: Promise<unknown>): Promise<TollgateError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof TollgateError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}
