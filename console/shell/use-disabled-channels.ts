/** How many channels the daemon itself has taken out of service. */
import { useQuery } from '@tanstack/react-query';
import { channels as endpoints } from '../../daemon/contract/channels.ts';
import { callsFor } from '../api/client.ts';
import { isAdmin, useUser } from '../session/session.ts';
import { useIdle } from './use-idle.ts';

const calls = callsFor({ list: endpoints.list });
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
      const { items } = await calls.list({ page: 1, page_size: 100, status: 'disabled' }, { signal });
      return items.filter(({ status }) => status === autoDisabled).length;
    },
  });
  return data ?? 0;
}
