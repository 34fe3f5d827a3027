/** Step 6: for one pick, the exact upstream request and the lane that reads its answer (relay.md 12, 13). */
import { TollgateError } from '../errors.ts';
import { editScanned } from '../relay/body-edit.ts';
import type { ChatRequest } from '../relay/canonical/chat.ts';
import { chatFormatOf } from '../relay/formats/index.ts';
import type { Json } from '../relay/json.ts';
import type { ProviderAdapter, UpstreamCall } from '../relay/provider.ts';
import { providerOf } from '../relay/providers/index.ts';
import type { ChannelView } from '../snapshots/channel-view.ts';
import type { Credentials, RequestDraft } from '../upstream/auth/index.ts';
import type { OutgoingRequest } from '../upstream/transport.ts';
import type { Admission } from './admit.ts';
import { type FailedAttempt, misconfigured } from './attempt-failure.ts';
import type { Caller } from './authenticate.ts';
import { codecScope } from './codec-scope.ts';
import type { Exchange } from './exchange.ts';
import type { Inspection } from './inspect.ts';
import type { Lane } from './lane.ts';
import { chooseLane, type LaneChoice } from './lane-choice.ts';
import { nativeEdits } from './native-edits.ts';
import { nativeLane } from './native-lane.ts';
import { type ModelNames, upstreamModel } from './plan-model.ts';
import type { RoutedPick } from './route.ts';
import { translatedLane } from './translated-lane.ts';
import { addressOf, headersOf, proxyOf, timeoutsOf, type UpstreamTimeouts } from './upstream-request.ts';

/** One attempt, ready to be sent. */
export interface Plan {
  readonly adapter: ProviderAdapter;
  readonly call: UpstreamCall;
  readonly names: ModelNames;
  readonly lane: Lane;
  readonly request: OutgoingRequest;
  /** Fields that the upstream's format cannot say. */
  readonly droppedFields: readonly string[];
  /** The channel lets its clients see the upstream's request id. */
  readonly exposesRequestId: boolean;
  /** `include_usage` was asked for though the client did not. */
  readonly addedStreamUsage: boolean;
  /** The client asked for a stream that the upstream is not asked for (relay.md 5.3). */
  readonly isPseudoStream: boolean;
}

/** What every attempt of a request starts from. */
export interface PlanRequest {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly inspection: Inspection;
  readonly admission: Admission;
}

export interface PlannerConfig {
  readonly timeouts: UpstreamTimeouts;
  readonly forceStreamUsage: boolean;
  readonly version: string;
}

export type Planned = { readonly plan: Plan } | { readonly failed: FailedAttempt };

/** What is known of an attempt before its body is made. */
interface Sketch {
  readonly pick: RoutedPick;
  readonly adapter: ProviderAdapter;
  readonly choice: LaneChoice;
  readonly names: ModelNames;
  readonly call: UpstreamCall;
}

/** The body of an attempt and the lane that belongs to it. */
interface Dressed {
  readonly lane: Lane;
  readonly body: Buffer;
  readonly droppedFields: readonly string[];
  readonly addedStreamUsage: boolean;
}

const NOTHING: readonly string[] = [];
const NO_SETTINGS: Readonly<Record<string, string>> = {};

export class Planner {
  readonly #config: PlannerConfig;
  readonly #credentials: Credentials;
  /** Channels that refused `stream_options`; an edit makes a new view and so forgets it. */
  readonly #refusesStreamOptions = new WeakSet<ChannelView>();
  /** A request decoded for the first attempt that needs it, and encoded anew for each. */
  readonly #decoded = new WeakMap<Inspection, ChatRequest>();

  constructor(deps: { config: PlannerConfig; credentials: Credentials }) {
    this.#config = deps.config;
    this.#credentials = deps.credentials;
  }

  /** The plan for one pick. Throws where the client's request cannot be said in the upstream's format. */
  plan(request: PlanRequest, pick: RoutedPick): Planned | Promise<Planned> {
    const { channel } = pick;
    const adapter = providerOf(channel.record.type);
    const choice = adapter && chooseLane(adapter, channel, request.exchange.endpoint);
    // The router yields none that cannot serve, but for a pinned channel whose type was retired.
    if (adapter === undefined || choice === undefined) throw new TollgateError('invalid_api_type');
    const names = upstreamModel(channel, request.admission.model);
    if (names === undefined) return { failed: misconfigured({ adapter }, 'channel:model_mapped_error') };
    const call = callOf(request, { pick, adapter, choice, names });
    const sketch: Sketch = { pick, adapter, choice, names, call };
    const dressed = choice.lane === 'native' ? this.#native(request, sketch) : this.#translated(request, sketch);
    const headers = headersOf(adapter, call, { client: request.exchange.request, version: this.#config.version });
    const draft = { method: 'POST', url: addressOf(adapter, call), headers, body: dressed.body };
    const signed = this.#credentials.apply(draft, adapter.auth(call), pick.key.secret);
    if (!(signed instanceof Promise)) return { plan: this.#assemble(request, sketch, { dressed, signed }) };
    return signed.then(
      (ready) => ({ plan: this.#assemble(request, sketch, { dressed, signed: ready }) }),
      (cause: unknown) => ({ failed: misconfigured({ adapter }, 'channel:invalid_key', cause) }),
    );
  }

  /** Notes that a channel does not know `stream_options`, if that is what the refusal says; true to ask it again. */
  learnsFrom(plan: Plan, failed: FailedAttempt, pick: RoutedPick): boolean {
    const { fields } = failed.failure;
    if (!plan.addedStreamUsage || failed.nature !== 'status' || fields.upstreamStatus !== 400) return false;
    const names = fields.param?.startsWith('stream_options') === true || fields.operatorText.includes('stream_options');
    if (names) this.#refusesStreamOptions.add(pick.channel);
    return names;
  }

  #assemble(request: PlanRequest, sketch: Sketch, made: { dressed: Dressed; signed: RequestDraft }): Plan {
    const { adapter, call, names, pick } = sketch;
    const { setting } = pick.channel;
    const { lane, droppedFields, addedStreamUsage } = made.dressed;
    return {
      adapter,
      call,
      names,
      lane,
      droppedFields,
      addedStreamUsage,
      request: {
        ...made.signed,
        proxy: proxyOf(setting),
        egress: 'channel',
        timeouts: timeoutsOf(this.#config.timeouts, setting, call),
      },
      exposesRequestId: setting.expose_upstream_request_id === true,
      isPseudoStream: request.inspection.stream && !call.stream,
    };
  }

  #native(request: PlanRequest, sketch: Sketch): Dressed {
    const { exchange, inspection, admission } = request;
    const { pick, adapter, choice, names, call } = sketch;
    const { setting } = pick.channel;
    const knowsStreamOptions = this.#knowsStreamOptions(adapter, pick.channel);
    const wantsUsage = this.#config.forceStreamUsage && knowsStreamOptions;
    const edits = nativeEdits({
      format: choice.format,
      inspection,
      upstreamModel: names.upstream,
      stream: call.stream,
      wantsUsage,
      knowsStreamOptions,
      setting,
    });
    const edited = edits.length === 0 ? inspection.body : editScanned(inspection.body, inspection.span, edits);
    const lane = nativeLane({
      format: exchange.endpoint.format,
      model: inspection.model,
      renameModel: names.upstream !== inspection.model && setting.expose_upstream_model !== true,
      hideUsage: !inspection.includeUsage,
      promptTokens: admission.promptTokens,
      recast: this.#recast(request),
    });
    return {
      lane,
      body: amended(edited, adapter, call),
      droppedFields: NOTHING,
      addedStreamUsage: call.stream && wantsUsage && !inspection.includeUsage,
    };
  }

  #translated(request: PlanRequest, sketch: Sketch): Dressed {
    const { exchange, inspection, admission } = request;
    const { adapter, choice, call } = sketch;
    const client = chatFormatOf(exchange.endpoint.format);
    const upstream = chatFormatOf(choice.format);
    if (client === undefined || upstream === undefined) throw new TollgateError('invalid_api_type');
    const droppedFields: string[] = [];
    const { promptTokens } = admission;
    const scope = codecScope({ model: inspection.model, promptTokens, lost: droppedFields });
    const decoded = this.#decode(request);
    const wire = upstream.encodeRequest(
      { ...decoded, model: call.model, stream: call.stream, streamUsage: this.#config.forceStreamUsage },
      scope,
    );
    const json: Json = adapter.amendBody?.(wire, call) ?? wire;
    return {
      lane: translatedLane({ client, upstream, request: decoded, scope, promptTokens }),
      body: Buffer.from(JSON.stringify(json)),
      droppedFields,
      addedStreamUsage: false,
    };
  }

  /** The codec of the client's own format, for answers that come in another manner than asked for. */
  #recast(request: PlanRequest): (() => Lane) | undefined {
    const codec = chatFormatOf(request.exchange.endpoint.format);
    if (codec === undefined) return undefined;
    const { inspection, admission } = request;
    return () =>
      translatedLane({
        client: codec,
        upstream: codec,
        request: this.#decode(request),
        scope: codecScope({ model: inspection.model }),
        promptTokens: admission.promptTokens,
      });
  }

  #decode(request: PlanRequest): ChatRequest {
    const { inspection, exchange } = request;
    const known = this.#decoded.get(inspection);
    if (known !== undefined) return known;
    const codec = chatFormatOf(exchange.endpoint.format);
    if (codec === undefined) throw new TollgateError('invalid_api_type');
    const decoded = codec.decodeRequest(inspection.json);
    this.#decoded.set(inspection, decoded);
    return decoded;
  }

  #knowsStreamOptions(adapter: ProviderAdapter, channel: ChannelView): boolean {
    if (this.#refusesStreamOptions.has(channel)) return false;
    const wished = channel.setting.stream_options;
    return typeof wished === 'boolean' ? wished : adapter.streamUsage;
  }
}

function callOf(request: PlanRequest, known: Omit<Sketch, 'call'>): UpstreamCall {
  const { pick, adapter, choice, names } = known;
  const { record, setting } = pick.channel;
  return {
    capability: request.exchange.endpoint.capability,
    format: choice.format,
    model: names.upstream,
    stream: asksForStream(request, pick.channel),
    baseUrl: (record.baseUrl || adapter.baseUrl).replace(/\/$/, ''),
    other: record.other ?? '',
    organization: record.openaiOrganization || undefined,
    setting,
    settings: NO_SETTINGS,
    options: NO_SETTINGS,
  };
}

/** Is the upstream asked for a stream: as the client wishes, unless the channel does only one of the two. */
function asksForStream(request: PlanRequest, channel: ChannelView): boolean {
  const { inspection, exchange } = request;
  const canRecast = chatFormatOf(exchange.endpoint.format) !== undefined;
  if (inspection.stream) return !(canRecast && channel.setting.stream_support === 'NON_STREAM_ONLY');
  return canRecast && channel.setting.force_stream === true;
}

/** The body after the vendor's quirks; the same bytes where it has none. */
function amended(body: Buffer, adapter: ProviderAdapter, call: UpstreamCall): Buffer {
  if (adapter.amendBody === undefined || adapter.amends?.(call) === false) return body;
  return Buffer.from(JSON.stringify(adapter.amendBody(JSON.parse(body.toString('utf8')), call)));
}
