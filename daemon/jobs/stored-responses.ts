import type { StoredResponses } from '../domain/stored-responses.ts';
import type { Job } from './scheduler.ts';

/** Removes stored responses whose time is over; one node at a time. */
export function storedResponsesJob(deps: { readonly responses: Pick<StoredResponses, 'deleteExpired'> }): Job {
  return { name: 'stored-responses', everyMs: 600_000, scope: 'cluster', run: () => deps.responses.deleteExpired() };
}
