/** Calls that an upstream takes only so much of at once: when they are divided, and what is sent for each part. */

import type { Capability } from '../relay/format.ts';
import type { JsonObject } from '../relay/json.ts';
import type { RequestDraft } from '../upstream/auth/index.ts';
import type { OutgoingRequest } from '../upstream/transport.ts';
import type { CallDivision } from './call-body.ts';
import type { CallTemplate } from './call-template.ts';
import type { Inspection } from './inspect.ts';
import type { Lane } from './lane.ts';
import { withChanges, withForm } from './upstream-request.ts';

/** The requests beside a plan's own one. */
export interface PlannedDivision {
  readonly parts: readonly { readonly lane: Lane; readonly request: OutgoingRequest }[];
  readonly join: CallDivision['join'];
  readonly consumed: CallDivision['consumed'];
}

/** The template of a call whose bytes could pass, but that asks for more than the vendor does at once. */
export function dividedTemplate(template: CallTemplate, { json }: Inspection): CallTemplate | undefined {
  const { adapter, call, choice } = template;
  if (choice.lane !== 'native' || adapter.atOnce === undefined) return undefined;
  const limit = adapter.atOnce(call) ?? Number.POSITIVE_INFINITY;
  // Who takes one at a time has no call for Gemini's lists, be they of one.
  const isList = limit === 1 && call.capability === 'embeddings' && Array.isArray(json.requests);
  if (!isList && wishesIn(json, call.capability) <= limit) return undefined;
  return { ...template, choice: { lane: 'converted', format: choice.format }, isCall: true };
}

/** Inputs, or images, that a request in OpenAI's words brings, or a list of Gemini's; a list of token ids is one input. */
function wishesIn({ input, n, requests }: JsonObject, capability: Capability): number {
  if (capability === 'images') return typeof n === 'number' ? n : 1;
  if (capability === 'embeddings' && Array.isArray(requests)) return requests.length;
  return capability === 'embeddings' && Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
}

/** The parts' requests, alike the first but for what they say. */
export function planDivision({ parts, ...rest }: CallDivision, first: OutgoingRequest): PlannedDivision {
  const requests = parts.map(({ lane, body, contentType }) => ({
    lane,
    request: { ...first, body, headers: withForm(first.headers, { body, contentType }) },
  }));
  return { parts: requests, ...rest };
}

type Sign = (draft: RequestDraft) => RequestDraft | Promise<RequestDraft>;

/** The part of a plan that is sent. */
interface Outgoing {
  readonly request: OutgoingRequest;
  readonly division?: PlannedDivision | undefined;
}

/** The plan with each of its requests signed. Rejects where a key cannot sign. */
export async function signedPlan<Plan extends Outgoing>(plan: Plan, sign: Sign): Promise<Plan> {
  const request = await signedRequest(plan.request, sign);
  if (plan.division === undefined) return { ...plan, request };
  const { parts, ...rest } = plan.division;
  const signed = await Promise.all(
    parts.map(async (part) => ({ ...part, request: await signedRequest(part.request, sign) })),
  );
  return { ...plan, request, division: { parts: signed, ...rest } };
}

async function signedRequest(request: OutgoingRequest, sign: Sign): Promise<OutgoingRequest> {
  const { method, destination, headers } = request;
  const body = Buffer.isBuffer(request.body) ? request.body : undefined;
  const { url, headers: shown } = await sign({ method, url: destination.url, headers, body, proxy: destination.proxy });
  const target = url === destination.url ? destination : { ...destination, url };
  const at = headers.indexOf('authorization');
  // What the operator sets stands in the place of a signature (relay.md 12.6).
  const kept = at < 0 ? shown : withChanges(shown, [['authorization', headers[at + 1]]]);
  return { ...request, destination: target, headers: kept };
}
