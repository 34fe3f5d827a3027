/** Asks an upstream again that has taken a request and not answered it yet. */
import type { FollowUp } from '../relay/call-format.ts';
import { isObject } from '../relay/json.ts';
import { pathOn } from '../relay/providers/openai-compatible.ts';
import type { OutgoingRequest } from '../upstream/transport.ts';
import { encodeForm, partsOf } from './form-body.ts';
import type { Plan } from './plan.ts';
import { addressOf, withChanges, withForm } from './upstream-request.ts';

/** The next question, on the channel's own address and with the credentials of the first. */
export function followUpOf(plan: Plan, followUp: FollowUp): OutgoingRequest {
  const { destination, headers, timeouts } = plan.request;
  const target = { ...destination, url: urlOf(plan, followUp) };
  const plain = withChanges(headers, [
    ['content-type', undefined],
    ['content-length', undefined],
  ]);
  if (followUp.body === undefined) {
    return { method: 'GET', destination: target, headers: plain, body: undefined, timeouts };
  }
  if (followUp.encoding === 'form' && isObject(followUp.body)) {
    const form = encodeForm(partsOf(followUp.body));
    return { method: 'POST', destination: target, headers: withForm(plain, form), body: form.body, timeouts };
  }
  const body = Buffer.from(JSON.stringify(followUp.body));
  return {
    method: 'POST',
    destination: target,
    headers: withChanges(plain, [['content-type', 'application/json']]),
    body,
    timeouts,
  };
}

/** What an upstream answers names a path at most, never a host. */
function urlOf({ adapter, call, request }: Plan, { path, operation }: FollowUp): string {
  if (path !== undefined) return call.baseUrl + pathOn(call.baseUrl, path);
  return operation === undefined ? request.destination.url : addressOf(adapter, { ...call, operation });
}
