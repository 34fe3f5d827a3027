/** Who calls the relay, for tests of what follows from it. */
import type { Caller } from '../../daemon/gateway/authenticate.ts';
import { tokenRecord, userRecord } from './account-records.ts';

/** A user of group default with a key that nothing narrows. */
export function callerOf(over: Partial<Caller> = {}): Caller {
  return {
    user: userRecord(),
    token: tokenRecord(),
    group: 'default',
    allowedModels: undefined,
    aliases: undefined,
    pinnedChannelId: undefined,
    ...over,
  };
}
