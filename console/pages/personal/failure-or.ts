import { ApiError } from '../../../daemon/contract/client.ts';

/** The server's words where it refused; `otherwise` where nothing usable came. */
export function failureOr(error: unknown, otherwise: string): string {
  return error instanceof ApiError && error.status >= 200 && error.code !== 'invalid_answer'
    ? error.message
    : otherwise;
}
