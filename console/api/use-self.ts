/** The own account as the server knows it: balance, role, group. */
import { useQuery } from '@tanstack/react-query';
import { account as endpoints } from '../../daemon/contract/account.ts';
import { accountLoaded, useUser } from '../session/session.ts';
import { callsFor } from './client.ts';

const account = callsFor({ get: endpoints.get });

/** Asked again by `invalidateQueries({ queryKey: ['self'] })`; without a user there is nothing to ask. */
export function useSelf() {
  const user = useUser();
  return useQuery({
    queryKey: ['self', user?.id],
    enabled: user !== undefined,
    queryFn: async ({ signal }) => {
      const self = await account.get({}, { signal });
      accountLoaded(self);
      return self;
    },
  });
}
