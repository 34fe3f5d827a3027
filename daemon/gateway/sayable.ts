/** Tells what a format has no words for from what goes wrong. */
import { TollgateError } from '../errors.ts';

/** What was said, or the refusal to say it; anything else that goes wrong is thrown. */
export function sayable<T>(say: () => T): T | TollgateError {
  try {
    return say();
  } catch (error) {
    if (error instanceof TollgateError && error.code === 'convert_request_failed') return error;
    throw error;
  }
}
