/** How many channels the daemon itself has taken out of service. */
import { useQuery } from '@tanstack/react-query';
import { isAdmin, useUser } from '../session/session.ts';
import { callsFor } from './client.ts';

/** 0 for those who do not see channels. */
export function useDisabledChannels(isAsked: boolean): number {
  const user = useUser();
  const { data } = useQuery({
    queryKey: ['channels', 'auto-disabled'],
    enabled: isAsked && isAdmin(user),
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      // Not of the first chunk: most visitors never see channels.
      const { channels } = await import('../../daemon/contract/channels.ts');
      // The count is what is asked for; a list of no rows there is not.
      const input = { page: 1, page_size: 1, status: 'auto' } as const;
      return (await callsFor({ list: channels.list }).list(input, { signal })).total;
    },
  });
  return data ?? 0;
}
