/** How many channels the daemon itself has taken out of service. */
import { useQuery } from '@tanstack/react-query';
import { callsFor } from '../api/client.ts';
import { isAdmin, useUser } from '../session/session.ts';
import { useIdle } from './use-idle.ts';

const autoDisabled = 3;

/** 0 for those who do not see channels; at most 100 are counted. */
export function useDisabledChannels(): number {
  const user = useUser();
  const isIdle = useIdle();
  const { data } = useQuery({
    queryKey: ['channels', 'auto-disabled'],
    enabled: isIdle && isAdmin(user),
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      // Not of the first chunk: most visitors never see channels.
      const { channels } = await import('../../daemon/contract/channels.ts');
      const { items } = await callsFor({ list: channels.list }).list(
        { page: 1, page_size: 100, status: 'disabled' },
        { signal },
      );
      return items.filter(({ status }) => status === autoDisabled).length;
    },
  });
  return data ?? 0;
}
