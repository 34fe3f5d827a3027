/** The own account as the server knows it now, shared by every page that shows a part of it. */
import { useQuery } from '@tanstack/react-query';
import { account as endpoints } from '../../daemon/contract/account.ts';
import { callsFor } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';

const account = callsFor({ get: endpoints.get });

const queryKey = ['self'];

export function useSelf() {
  return useQuery({ queryKey, queryFn: ({ signal }) => account.get({}, { signal }) });
}

/** Fetches it anew after something changed it; resolves when that is done. */
export async function refreshSelf(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey });
}
