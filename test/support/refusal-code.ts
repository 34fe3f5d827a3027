/** How a piece of work of the daemon's own services ended. */
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
