/** How long answers are fresh and what is asked again (console.md 3, rule 6). */
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../../daemon/contract/client.ts';

const passing = new Set([502, 503, 504]);

function mayPass(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 'network_error' || passing.has(error.status));
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      // The typed client has tried three times by then.
      retry: (failures, error) => failures < 1 && mayPass(error),
      retryDelay: (failures, error) =>
        (error instanceof ApiError && error.retryAfter !== undefined ? error.retryAfter : 2 ** failures) * 1000 +
        Math.random() * 500,
    },
    mutations: { retry: false },
  },
});
