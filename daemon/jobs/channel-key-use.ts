import type { ChannelHealth } from '../domain/channel-health.ts';
import type { Job } from './scheduler.ts';

/** Writes when the keys of channels were last used and how they last failed; shutdown flushes too. */
export function channelKeyUseJob(deps: { readonly health: Pick<ChannelHealth, 'flush'> }): Job {
  return { name: 'channel-key-use', everyMs: 15_000, scope: 'node', run: () => deps.health.flush() };
}
