/** The body of a translated attempt: the canonical request in the upstream's words, and the lane that reads its answer. */
import type { ConversionPolicy } from '../contract/tokens.ts';
import { TollgateError } from '../errors.ts';
import type { ChatRequest } from '../relay/canonical/chat.ts';
import { hasOwnMarks, restoreNumbers } from '../relay/canonical/exact-numbers.ts';
import { withMarkedTexts } from '../relay/canonical/exact-request.ts';
import type { MediaKind } from '../relay/canonical/remote-media.ts';
import { withResultsAtCalls } from '../relay/canonical/result-places.ts';
import type { Scope, UpstreamFormat, UpstreamTraits } from '../relay/format.ts';
import { chatFormatOf, upstreamFormatOf } from '../relay/formats/index.ts';
import { outputLimitIn } from '../relay/formats/output-limit.ts';
import { applyWish } from '../relay/formats/reasoning-suffix.ts';
import { addSystemPrompt, readSystemPrompt } from '../relay/formats/system-prompt.ts';
import { isObject, type Json, type JsonObject } from '../relay/json.ts';
import type { OverrideRefusal } from '../relay/param-override-rules.ts';
import type { BodySource } from '../upstream/transport.ts';
import type { CallTemplate } from './call-template.ts';
import { codecScope } from './codec-scope.ts';
import type { Exchange } from './exchange.ts';
import type { Inspection } from './inspect.ts';
import type { Lane } from './lane.ts';
import { sayable } from './sayable.ts';
import { translatedLane } from './translated-lane.ts';
import { uploading } from './uploading-lane.ts';
import { noteVendorLosses, wouldDrop } from './vendor-loss.ts';

export interface TranslatedBodyRequest {
  readonly template: CallTemplate;
  readonly exchange: Pick<Exchange, 'id' | 'endpoint' | 'request' | 'view'>;
  readonly inspection: Inspection;
  /** Stands for the caller's account. */
  readonly endUser: string;
  /** With the media inline that the upstream cannot fetch. */
  readonly decoded: ChatRequest;
  /** Members that the upstream has said it does not know, in the body or in headers. */
  readonly unknown: readonly string[];
  /** Images that one message may carry; -1 for any number. */
  readonly maxImages: number;
  /** Estimate, for a protocol that must state it and for usage that the upstream does not report. */
  readonly promptTokens: number;
  /** Usage is to be asked for on the stream. */
  readonly streamUsage: boolean;
  readonly conversion: ConversionPolicy;
  readonly leavesOutTools: boolean | undefined;
  /** What conditions of an override may read. */
  readonly facts: () => Readonly<Record<string, Json>>;
}

export type TranslatedBody =
  | {
      readonly lane: Lane;
      readonly body: Buffer | BodySource;
      /** Set for a body that is no JSON. */
      readonly contentType?: string;
      /** Set where the first request is another than the conversation itself. */
      readonly operation?: string;
      readonly headers: readonly (readonly [name: string, value: Json])[];
      /** What the target cannot say; grows while the answer is translated back. */
      readonly droppedFields: readonly string[];
      /** Limit of the answer; undefined unless the channel overrides the body. */
      readonly maxTokens?: number | undefined;
    }
  | { readonly refusal: OverrideRefusal }
  | { readonly unsayable: TollgateError };

const NO_HEADERS: readonly (readonly [name: string, value: Json])[] = [];
const NO_MEMBERS: JsonObject = {};

/** Makes body and lane. Throws `invalid_api_type` for formats without a codec. */
export function translatedBody(request: TranslatedBodyRequest): TranslatedBody {
  const { template, exchange, inspection, decoded, promptTokens, endUser } = request;
  const { choice, call, names, override, wish } = template;
  const client = chatFormatOf(exchange.endpoint.format);
  const upstream = upstreamFormatOf(choice.format);
  if (client === undefined || upstream === undefined) throw new TollgateError('invalid_api_type');
  const lost: string[] = [];
  const traits = { ...traitsOf(exchange, template), maxImages: request.maxImages };
  const ofHeaders = membersOfHeaders(request);
  const { askedModel: model } = inspection;
  const { leavesOutTools } = request;
  const requestId = exchange.id;
  const scope = codecScope({ model, promptTokens, lost, leavesOutTools, traits, ofHeaders, requestId, endUser });
  const allowed = withoutUnknown(withoutOwnersFields(decoded, call.setting), request.unknown);
  const wishful = wish === undefined ? allowed : applyWish(allowed, wish, template.defaultMaxTokens);
  const prompt = readSystemPrompt(call.setting);
  const instructed = prompt === undefined ? wishful : addSystemPrompt(wishful, prompt);
  // Members that are there already are set, not spread over: that is many times faster.
  const asked: Asked = { ...instructed };
  asked.items = withResultsAtCalls(asked.items);
  markTexts(asked, upstream, inspection);
  asked.model = names.upstream;
  asked.stream = call.stream;
  asked.streamUsage = request.streamUsage;
  const wire = sayable(() => upstream.encodeRequest(asked, scope));
  if (wire instanceof TollgateError) return { unsayable: wire };
  const fitted = sayable(() => amended(withMembers(ofHeaders, wire), template, scope));
  if (fitted instanceof TollgateError) return { unsayable: fitted };
  let json = fitted;
  const refused = request.conversion === 'strict' ? lost.filter((field) => !REFUSES_NOTHING.has(field)) : [];
  if (refused.length > 0) return { unsayable: wouldDrop(refused) };
  let headers = NO_HEADERS;
  let maxTokens: number | undefined;
  if (override !== undefined && isObject(json)) {
    const result = override.apply(json, request.facts());
    if (result.kind === 'refused') return { refusal: result.refusal };
    json = result.body;
    headers = result.headers;
    maxTokens = outputLimitIn(json);
  }
  const manner = call.stream ? 'stream' : 'whole';
  const lane = translatedLane({
    client,
    upstream,
    request: decoded,
    scope,
    countedAs: inspection.model,
    promptTokens,
    manner,
    shape: template.shape,
    showsUpstreamModel: call.setting.expose_upstream_model === true,
  });
  const written = JSON.stringify(json);
  const text = asked.numbers === undefined ? written : restoreNumbers(written);
  if (upstream.uploads !== undefined && isObject(json)) {
    const plain: unknown = text === written ? json : JSON.parse(text);
    const first = isObject(plain) ? uploading(plain, upstream.uploads, lane) : undefined;
    if (first !== undefined) return { ...first, headers, droppedFields: lost, maxTokens };
  }
  return { lane, body: Buffer.from(text), headers, droppedFields: lost, maxTokens };
}

type Asked = { -readonly [Member in keyof ChatRequest]: ChatRequest[Member] };

/** What is text for the client and an object for the upstream loses no digits on the way. */
function markTexts(asked: Asked, upstream: UpstreamFormat, { body }: Inspection): void {
  if (upstream.argumentsAsText === true) return;
  const items = withMarkedTexts(asked.items, { results: upstream.resultsAsObjects === true });
  if (items === asked.items || hasOwnMarks(body)) return;
  asked.items = items;
  asked.numbers = 'marked';
}

/** Kinds of media that the upstream has to be given inline; none where it fetches addresses itself. */
export function inlinedKinds(template: CallTemplate): readonly MediaKind[] {
  if (fetchesUrls(template)) return [];
  return [...(upstreamFormatOf(template.choice.format)?.inlines ?? []), ...ownInlinedKinds(template)];
}

/** Those that not the format demands but its vendor: clients of the format may name them by address. */
export function ownInlinedKinds(template: CallTemplate): readonly MediaKind[] {
  return fetchesUrls(template) ? [] : (template.adapter.inlines?.(template.call) ?? []);
}

function fetchesUrls({ call }: CallTemplate): boolean {
  return call.setting.upstream_fetches_url === true;
}

/**
 * Fields that the channel's owner lets through or not, which is no want of words (relay.md 5.2); what asks for nothing:
 * the name of a file, which some clients have to give, what an upstream itself has put to an earlier turn, which clients
 * send back with it, and what a client keeps beside a part for itself; and what a group of tools is for, all of which are
 * there: no request is refused for them.
 */
const REFUSES_NOTHING: ReadonlySet<string> = new Set([
  'annotations',
  'audio.partMetadata',
  'citations',
  'document.partMetadata',
  'document.title',
  'function_call.caller',
  'function_call_output.caller',
  'functionCall.partMetadata',
  'functionResponse.partMetadata',
  'image.partMetadata',
  'safety_identifier',
  'service_tier',
  'store',
  'text.partMetadata',
  'tool_result.toolset_name',
  'tool_use.caller',
  'tool_use.toolset_name',
  'tools.namespace.description',
  'user',
  'video.partMetadata',
]);

/** The service tier changes the price that the channel's owner pays: it goes on only where the owner says so. */
function withoutOwnersFields(request: ChatRequest, setting: Readonly<Record<string, unknown>>): ChatRequest {
  if (request.serviceTier === undefined || setting.allow_service_tier === true) return request;
  const { serviceTier: _, ...rest } = request;
  return rest;
}

/** What the client says in headers and the vendor reads in the body. */
function membersOfHeaders({ template, exchange, unknown }: TranslatedBodyRequest): JsonObject {
  const members = template.adapter.bodyOfHeaders?.(exchange.request.headers, template.call) ?? NO_MEMBERS;
  return unknown.length === 0 ? members : without(members, unknown);
}

/** The body after those members; the very same body where there are none, as most vendors read no headers. */
function withMembers(members: JsonObject, wire: Json): Json {
  return members === NO_MEMBERS || !isObject(wire) ? wire : { ...members, ...wire };
}

function withoutUnknown(request: ChatRequest, unknown: readonly string[]): ChatRequest {
  const own = request.extensions[request.dialect];
  if (unknown.length === 0 || own === undefined) return request;
  return { ...request, extensions: { ...request.extensions, [request.dialect]: without(own, unknown) } };
}

function without(members: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

/** The body under the vendor's own rules. */
function amended(wire: Json, { adapter, call }: CallTemplate, scope: Scope): Json {
  if (!isObject(wire) || adapter.amendBody === undefined) return wire;
  const body = adapter.amendBody({ ...wire }, call);
  if (isObject(body)) noteVendorLosses(call.format, { before: wire, after: body }, scope);
  return body;
}

/** What encoders may rely on: the vendor's own traits, the channel's permissions and the site's options. */
function traitsOf({ view }: Pick<Exchange, 'view'>, template: CallTemplate): Partial<UpstreamTraits> {
  const { adapter, call, defaultMaxTokens: own } = template;
  const { options } = view;
  return {
    ...adapter.traits,
    ...adapter.traitsFor?.(call),
    identity: adapter.traits?.identity === true || call.setting.allow_safety_identifier === true,
    ...(own === undefined ? {} : { defaultMaxTokens: own }),
    safetySettings: options.get('gemini.safety_settings'),
    imageOutput: options.get('gemini.supported_imagine_models').includes(call.model),
  };
}
