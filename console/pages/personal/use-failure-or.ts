import { useCallback } from 'react';
import { ApiError } from '../../../daemon/contract/client.ts';
import { useFailures } from '../../api/failures.ts';

/** `failureOr(error, otherwise)`: what the server answered, as everywhere; `otherwise` where nothing usable came. */
export function useFailureOr(): (error: unknown, otherwise: string) => string {
  const failure = useFailures();
  return useCallback((error, otherwise) => (isAnswered(error) && failure(error)) || otherwise, [failure]);
}

function isAnswered(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 200 && error.code !== 'invalid_answer';
}
