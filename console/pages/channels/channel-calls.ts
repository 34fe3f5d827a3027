/** The calls of this page. */
import { channels as channelEndpoints } from '../../../daemon/contract/channels.ts';
import { groups as groupEndpoints } from '../../../daemon/contract/groups.ts';
import { models as modelEndpoints } from '../../../daemon/contract/models.ts';
import { callsFor } from '../../api/client.ts';

export const channels = callsFor(channelEndpoints);
export const groups = callsFor(groupEndpoints);
export const builtInModels = callsFor(modelEndpoints);

/** Tests and lists of models wait for an upstream. */
export const upstreamWait = { timeoutMs: 180_000 };
