/** Models that an enabled channel offers. */
import { queryOptions } from '@tanstack/react-query';
import { channels as channelEndpoints } from '../../../../daemon/contract/channels.ts';
import { callsFor } from '../../../api/client.ts';

const { enabledModels } = callsFor({ enabledModels: channelEndpoints.enabledModels });

export const enabledModelsQuery = queryOptions({
  queryKey: ['channels', 'enabled-models'],
  queryFn: ({ signal }) => enabledModels({}, { signal }),
});
