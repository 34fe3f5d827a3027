/** Asks an upstream again that has taken a request and not answered it yet. */
import type { UpstreamFailure } from '../errors.ts';
import type { FurtherQuestion } from '../relay/further-question.ts';
import type { HeaderChange } from '../relay/header-rules.ts';
import { isObject } from '../relay/json.ts';
import { pathOn } from '../relay/providers/openai-compatible.ts';
import type { Destination, OutgoingRequest } from '../upstream/transport.ts';
import type { FailedAttempt } from './attempt-failure.ts';
import { encodeForm, partsOf } from './form-body.ts';
import type { Plan } from './plan.ts';
import { addressOf, withChanges, withForm } from './upstream-request.ts';

/** Headers of the first request that a foreign host is shown too. */
const ANYWHERE: ReadonlySet<string> = new Set(['accept', 'user-agent']);

/** The next question: on the channel's own address with the credentials of the first, or elsewhere without any. */
export function followUpOf(plan: Plan, followUp: FurtherQuestion): OutgoingRequest {
  const { timeouts } = plan.request;
  const destination = destinationOf(plan, followUp);
  const plain = headersOf(plan, followUp);
  if (followUp.body === undefined) return { method: 'GET', destination, headers: plain, body: undefined, timeouts };
  if (followUp.encoding === 'form' && isObject(followUp.body)) {
    const form = encodeForm(partsOf(followUp.body));
    return { method: 'POST', destination, headers: withForm(plain, form), body: form.body, timeouts };
  }
  const body = Buffer.from(JSON.stringify(followUp.body));
  const headers = withChanges(plain, [['content-type', 'application/json']]);
  return { method: 'POST', destination, headers, body, timeouts };
}

/** A refusal of this question; undefined: of the request itself. */
export function refused(failure: UpstreamFailure, question: FurtherQuestion | undefined): FailedAttempt {
  return { failure, nature: question?.isAfterWork === true ? 'lost' : 'status' };
}

/** What an upstream answers names a path at most; where it names a host, the host is one for the guard to judge. */
function destinationOf({ adapter, call, request }: Plan, { path, operation, address }: FurtherQuestion): Destination {
  const { destination } = request;
  if (address !== undefined) return { ...destination, url: address, proxy: undefined, egress: 'guarded' };
  if (path !== undefined) return { ...destination, url: call.baseUrl + pathOn(call.baseUrl, path) };
  if (operation === undefined) return { ...destination };
  return { ...destination, url: addressOf(adapter, { ...call, operation }) };
}

function headersOf({ request }: Plan, { address, headers = {} }: FurtherQuestion): string[] {
  const isPlain = (name: string) =>
    address === undefined ? name !== 'content-type' && name !== 'content-length' : ANYWHERE.has(name);
  const kept = request.headers.flatMap((value, at, all) => {
    const name = at % 2 === 0 ? value : (all[at - 1] ?? '');
    return isPlain(name) ? [value] : [];
  });
  return withChanges(
    kept,
    Object.entries(headers).map(([name, value]): HeaderChange => [name, value]),
  );
}
