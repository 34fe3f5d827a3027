/** Asks an upstream again that has taken a request and not answered it yet. */
import type { FollowUp } from '../relay/call-format.ts';
import type { OutgoingRequest } from '../upstream/transport.ts';
import type { Plan } from './plan.ts';
import { withChanges } from './upstream-request.ts';

/** The next question, at the address and with the credentials of the first. */
export function followUpOf(plan: Plan, { path }: FollowUp): OutgoingRequest {
  const { destination, headers, timeouts } = plan.request;
  return {
    method: 'GET',
    destination: { ...destination, url: plan.call.baseUrl + path },
    headers: withChanges(headers, [
      ['content-type', undefined],
      ['content-length', undefined],
    ]),
    body: undefined,
    timeouts,
  };
}
