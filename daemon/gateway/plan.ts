/** Step 6: for one pick, the exact upstream request and the lane that reads its answer (relay.md 12, 13). */
import type { IncomingHttpHeaders } from 'node:http';
import type { ConversionPolicy } from '../contract/tokens.ts';
import { TollgateError } from '../errors.ts';
import type { ChatRequest } from '../relay/canonical/chat.ts';
import { listRemoteMedia } from '../relay/canonical/remote-media.ts';
import { chatFormatOf } from '../relay/formats/index.ts';
import { asksForSpeech } from '../relay/handed-out.ts';
import {
  type HeaderChange,
  headerChange,
  overriddenHeaders,
  passedHeaders,
  withOwnEntries,
} from '../relay/header-rules.ts';
import type { Json } from '../relay/json.ts';
import type { ModelResolution } from '../relay/model-names.ts';
import type { ImageLibrary } from '../relay/pictures/image-library.ts';
import { promptTexts } from '../relay/prompt-texts.ts';
import type { ProviderAdapter, UpstreamCall } from '../relay/provider.ts';
import type { Credentials } from '../upstream/auth/index.ts';
import type { Destination, OutgoingRequest } from '../upstream/transport.ts';
import type { AnswerShape } from './answer-shape.ts';
import { type FailedAttempt, misconfigured, unsigned } from './attempt-failure.ts';
import { type CallDivision, type CallManner, callBody } from './call-body.ts';
import { CallMembers } from './call-members.ts';
import { type CallTemplate, CallTemplates } from './call-template.ts';
import { codecScope } from './codec-scope.ts';
import { decodedRequest } from './decoded.ts';
import { dividedTemplate, type PlannedDivision, planDivision, signedPlan } from './division.ts';
import type { Exchange } from './exchange.ts';
import type { Inspection } from './inspect.ts';
import type { Lane } from './lane.ts';
import { Lessons } from './lessons.ts';
import { nativeBody } from './native-body.ts';
import { NativeLane } from './native-lane.ts';
import { overgrown, overrideFacts, unlessOvergrown } from './overridden.ts';
import { refusedBy } from './own-refusal.ts';
import { bringsForeignSeal, passesThrough } from './pass-through.ts';
import type { RequestMedia } from './request-media.ts';
import type { RoutedPick } from './route.ts';
import { sayable } from './sayable.ts';
import { templateFor } from './template-choice.ts';
import { inlinedKinds, ownInlinedKinds, translatedBody } from './translated-body.ts';
import { translatedLane } from './translated-lane.ts';
import { addressOf, type UpstreamTimeouts, withChanges, withForm } from './upstream-request.ts';
import { wouldDrop } from './vendor-loss.ts';

/** One attempt, ready to be sent. */
export interface Plan {
  readonly adapter: ProviderAdapter;
  readonly call: UpstreamCall;
  readonly names: ModelResolution;
  readonly lane: Lane;
  readonly request: OutgoingRequest;
  /** What is asked beside it, where the upstream takes only so much at once. */
  readonly division?: PlannedDivision | undefined;
  /** Fields that the upstream's format cannot say. */
  readonly droppedFields: readonly string[];
  /** The body may have `stream_options`, which an upstream that does not know them can be asked without. */
  readonly hasStreamOptions: boolean;
  /** The client asked for a stream that the upstream is not asked for (relay.md 5.3). */
  readonly isPseudoStream: boolean;
  /** Limit of the answer in a body that the channel overrides; undefined: as the client wished it. */
  readonly maxTokens?: number | undefined;
  /** What the request says, which no text that is kept may quote; absent where a session says it later. */
  readonly prompt?: () => readonly string[];
}

/** What every attempt of a request starts from; a channel test brings its own. */
export interface PlanRequest {
  readonly exchange: Pick<Exchange, 'id' | 'endpoint' | 'request' | 'view'>;
  readonly inspection: Inspection;
  /** Name to route by, prefix included. */
  readonly model: string;
  /** Group of the caller's account. */
  readonly userGroup: string;
  /** Who asks; undefined for a channel test. */
  readonly caller?: { readonly user: { readonly id: number } };
  /** Estimate, for usage that the upstream does not report; worked out when it is first asked for. */
  readonly promptTokens: () => number;
  /** What the key's owner wants done about fields that a channel cannot say. */
  readonly conversion: ConversionPolicy;
  /** Set once no channel can run the tools that their own vendor runs, and the key's owner is content with a warning. */
  leavesOutTools?: boolean;
  /** Files that the request names by address. */
  readonly media: RequestMedia;
}

export interface PlannerDeps {
  readonly timeouts: UpstreamTimeouts;
  readonly forceStreamUsage: boolean;
  /** Images that one message to Gemini may carry; -1 for any number. */
  readonly maxImages: number;
  /** Of a request's body, also after a channel's override. */
  readonly maxBodyBytes: number;
  readonly version: string;
  readonly credentials: Credentials;
  readonly images: ImageLibrary;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Which attempt of the request this is. */
export interface PlanAttempt {
  readonly pick: RoutedPick;
  /** 0 for the first. */
  readonly index: number;
}

export type Planned =
  | { readonly plan: Plan }
  | { readonly failed: FailedAttempt }
  /** The channel's protocol has no words for the request, or fewer than the key's owner demands. */
  | { readonly unsayable: TollgateError }
  /** Files are being fetched: plan again once they are there. Rejects with what the client must repair. */
  | { readonly pending: Promise<void> };

/** The body of an attempt and the lane that belongs to it. */
interface Dressed {
  readonly lane: Lane;
  readonly body: OutgoingRequest['body'];
  /** Set for a body that is no JSON. */
  readonly contentType?: string | undefined;
  /** Headers that an override sets or, with null, takes away. */
  readonly headers: readonly (readonly [name: string, value: Json])[];
  readonly droppedFields: readonly string[];
  readonly hasStreamOptions: boolean;
  /** The upstream's operation, where it is not the path's own. */
  readonly operation?: string | undefined;
  readonly division?: CallDivision | undefined;
  readonly manner?: CallManner;
  readonly maxTokens?: number | undefined;
}

type Dressing = Dressed | Exclude<Planned, { readonly plan: Plan }>;

const NONE: readonly never[] = [];
/** Every header that `passedHeaders` may take without a channel's wish. */
const TRAVELLING = [
  'idempotency-key',
  'traceparent',
  'tracestate',
  'openai-beta',
  'anthropic-beta',
  'anthropic-version',
] as const;

export class Planner {
  readonly #deps: PlannerDeps;
  readonly #templates: CallTemplates;
  readonly #lessons = new Lessons();
  readonly #members: CallMembers;
  /** A request decoded for the first attempt that needs it, and encoded anew for each. */
  readonly #decoded = new WeakMap<Inspection, ChatRequest>();

  constructor(deps: PlannerDeps) {
    this.#deps = deps;
    this.#members = new CallMembers(deps.images);
    this.#templates = new CallTemplates(deps, this.#lessons);
  }

  /** The plan for one pick. Throws `invalid_request` where the client's own format is broken. */
  plan(request: PlanRequest, attempt: PlanAttempt): Planned | Promise<Planned> {
    const found = templateFor(this.#templates, request, attempt.pick);
    if (!('template' in found)) return found;
    const { template } = found;
    const dressed = unlessOvergrown(() => this.#dress(request, template, attempt));
    if (dressed !== 'overgrown' && !('lane' in dressed)) return dressed;
    if (dressed === 'overgrown' || overgrown(template, dressed.body, this.#deps.maxBodyBytes)) {
      return { failed: misconfigured(template, 'channel:param_override_invalid') };
    }
    try {
      const headers = withForm(this.#headers(request, template, { attempt, changes: dressed.headers }), dressed);
      return this.#sign(request, template, { attempt, dressed, headers });
    } catch (error) {
      if (!(error instanceof TollgateError)) throw error;
      return { failed: misconfigured(template, error.code, error.cause) };
    }
  }

  #dress(request: PlanRequest, template: CallTemplate, attempt: PlanAttempt): Dressing {
    const whole = dividedTemplate(template, request.inspection) ?? template;
    if (whole.isCall) return this.#call(request, whole, attempt);
    const isOwn = template.choice.lane === 'native' && !bringsForeignSeal(request, template.call.setting);
    return isOwn && !this.#namesMedia(request, template)
      ? this.#native(request, template, attempt)
      : this.#translated(request, template, attempt);
  }

  /**
   * Notes what a refusal says of the way the channel was asked: that the token its key was traded for is no longer
   * valid, or what else can be asked otherwise. True to ask it again.
   */
  learnsFrom(refused: { request: PlanRequest; plan: Plan; failed: FailedAttempt; pick: RoutedPick }): boolean {
    const { request, plan, failed, pick } = refused;
    const { fields } = failed.failure;
    if (fields.status === 401 && fields.aboutCredential === true) {
      const { headers, destination } = plan.request;
      return this.#deps.credentials.forget(plan.adapter.auth(plan.call), pick.key.secret, { ...destination, headers });
    }
    const { channel } = pick;
    if (!this.#lessons.take({ inspection: request.inspection, channel, plan, failed })) return false;
    this.#templates.forget(channel);
    return true;
  }

  #sign(
    request: PlanRequest,
    template: CallTemplate,
    made: { attempt: PlanAttempt; dressed: Dressed; headers: string[] },
  ): Planned | Promise<Planned> {
    const { attempt, dressed, headers } = made;
    const { auth } = template;
    const destination = destinationOf(template, dressed.operation);
    const plan = planOf(request, template, { dressed, headers, destination });
    if (auth.kind !== 'signed') return { plan };
    return signedPlan(plan, (draft) => this.#deps.credentials.apply(draft, auth, attempt.pick.key.secret)).then(
      (signed) => ({ plan: signed }),
      (cause: unknown) => ({ failed: unsigned(template, cause) }),
    );
  }

  /** The template's own array where neither the client nor the operator adds anything. */
  #headers(
    request: PlanRequest,
    template: CallTemplate,
    own: { attempt: PlanAttempt; changes: readonly (readonly [name: string, value: Json])[] },
  ): string[] {
    const { setting, format } = template.call;
    const client = request.exchange.request.headers;
    const passed: readonly HeaderChange[] = mayPass(client, setting)
      ? withOwnEntries(passedHeaders(client, format, setting.pass_headers), template.headers)
      : NONE;
    if (passed.length === 0 && own.changes.length === 0 && setting.header_override === undefined)
      return template.headers;
    const sources = { apiKey: () => own.attempt.pick.key.secret, client };
    return withChanges(template.headers, [
      ...passed,
      ...own.changes.map(([name, value]) => headerChange(name, value, sources)),
      ...overriddenHeaders(setting.header_override, sources),
    ]);
  }

  /** The client names media by address, in its own words, to a vendor that has to be given their bytes. */
  #namesMedia(request: PlanRequest, template: CallTemplate): boolean {
    const kinds = template.call.capability === 'chat' ? ownInlinedKinds(template) : NONE;
    if (kinds.length === 0 || !request.inspection.body.includes('"http')) return false;
    if (passesThrough(request.exchange, template.call.setting)) return false;
    return listRemoteMedia(this.#decode(request), kinds).length > 0;
  }

  #native(request: PlanRequest, template: CallTemplate, attempt: PlanAttempt): Dressing {
    const { exchange, inspection } = request;
    const { names, call } = template;
    const { setting } = call;
    const knowsStreamOptions = this.#lessons.knowsStreamOptions(template.adapter, attempt.pick.channel);
    const passThrough = passesThrough(exchange, setting);
    const made = nativeBody({
      template,
      inspection,
      wantsUsage: this.#deps.forceStreamUsage && knowsStreamOptions,
      knowsStreamOptions,
      passThrough,
      ofHeaders: template.adapter.bodyOfHeaders?.(exchange.request.headers, call),
      facts: () => overrideFacts(request, template, attempt),
    });
    if ('unsayable' in made) return made;
    if ('refusal' in made) return { failed: refusedBy(template, made.refusal) };
    const { droppedFields, maxTokens } = made;
    if (request.conversion === 'strict' && droppedFields.length > 0) return { unsayable: wouldDrop(droppedFields) };
    const renameModel = names.upstream !== inspection.askedModel && setting.expose_upstream_model !== true;
    const lane = new NativeLane({
      format: exchange.endpoint.format,
      model: inspection.askedModel,
      countedAs: inspection.model,
      renameModel,
      packsVectors: exchange.endpoint.capability === 'embeddings' && inspection.json.encoding_format === 'base64',
      hideUsage: !inspection.includeUsage,
      reportsBeside: template.adapter.reportsBeside === true,
      endWords: template.adapter.endWords,
      isHeard: asksForSpeech(inspection.json),
      promptTokens: () => request.promptTokens(),
      requestId: exchange.id,
      recast:
        chatFormatOf(exchange.endpoint.format) === undefined ? undefined : () => this.#recast(request, { renameModel }),
    });
    const hasStreamOptions = call.stream && knowsStreamOptions && !passThrough;
    const shaped = template.shape && this.#recast(request, { renameModel, shape: template.shape });
    return { lane: shaped ?? lane, body: made.body, headers: made.headers, droppedFields, hasStreamOptions, maxTokens };
  }

  #call(request: PlanRequest, template: CallTemplate, attempt: PlanAttempt): Dressing {
    const { exchange, inspection, media } = request;
    const asked = { format: exchange.endpoint.format, inspection, media };
    const json = sayable(() => this.#members.of(template, asked));
    if (json instanceof Promise) return { pending: json };
    if (json instanceof TollgateError) return { unsayable: json };
    const made = callBody({
      template,
      exchange,
      inspection,
      json,
      passThrough: passesThrough(exchange, template.call.setting),
      promptTokens: () => request.promptTokens(),
      conversion: request.conversion,
      facts: () => overrideFacts(request, template, attempt),
    });
    if ('unsayable' in made) return made;
    if ('refusal' in made) return { failed: refusedBy(template, made.refusal) };
    return { ...made, hasStreamOptions: false };
  }

  #translated(request: PlanRequest, template: CallTemplate, attempt: PlanAttempt): Dressing {
    const asked = sayable(() => this.#decode(request));
    if (asked instanceof TollgateError) return { unsayable: asked };
    const decoded = request.media.inlined(asked, inlinedKinds(template));
    if (decoded instanceof Promise) return { pending: decoded };
    const hasStreamOptions =
      template.call.stream && this.#lessons.knowsStreamOptions(template.adapter, attempt.pick.channel);
    const made = translatedBody({
      template,
      exchange: request.exchange,
      inspection: request.inspection,
      endUser: `tollgate-${request.caller?.user.id ?? 'test'}`,
      decoded,
      unknown: this.#lessons.unknownOf(request.inspection),
      maxImages: this.#deps.maxImages,
      promptTokens: request.promptTokens(),
      streamUsage: hasStreamOptions && (this.#deps.forceStreamUsage || decoded.streamUsage),
      conversion: request.conversion,
      leavesOutTools: request.leavesOutTools,
      facts: () => overrideFacts(request, template, attempt),
    });
    if ('unsayable' in made) return made;
    if ('refusal' in made) return { failed: refusedBy(template, made.refusal) };
    return { ...made, hasStreamOptions };
  }

  /** The codec of the client's own format, for answers that come in another manner than asked for. */
  #recast(request: PlanRequest, { renameModel, shape }: { renameModel: boolean; shape?: AnswerShape }): Lane {
    const { inspection, exchange } = request;
    const codec = chatFormatOf(exchange.endpoint.format);
    if (codec === undefined) throw new TollgateError('invalid_api_type');
    return translatedLane({
      client: codec,
      upstream: codec,
      request: this.#decode(request),
      scope: codecScope({ model: inspection.askedModel, requestId: exchange.id }),
      countedAs: inspection.model,
      promptTokens: request.promptTokens(),
      shape,
      showsUpstreamModel: !renameModel,
    });
  }

  #decode(request: PlanRequest): ChatRequest {
    const { inspection, exchange } = request;
    const known = this.#decoded.get(inspection);
    if (known !== undefined) return known;
    const codec = chatFormatOf(exchange.endpoint.format);
    if (codec === undefined) throw new TollgateError('invalid_api_type');
    const decoded = decodedRequest(codec, inspection, exchange.endpoint.delivery);
    this.#decoded.set(inspection, decoded);
    return decoded;
  }
}

/** False where the client certainly sends none of the few headers that travel on. */
function mayPass(client: IncomingHttpHeaders, setting: Readonly<Record<string, unknown>>): boolean {
  return setting.pass_headers !== undefined || TRAVELLING.some((name) => client[name] !== undefined);
}

function planOf(
  request: PlanRequest,
  template: CallTemplate,
  made: { dressed: Dressed; headers: string[]; destination: OutgoingRequest['destination'] },
): Plan {
  const { dressed, headers, destination } = made;
  const { adapter, call, names, timeouts } = template;
  const { lane, body, droppedFields, hasStreamOptions, maxTokens } = dressed;
  const outgoing = { method: 'POST', destination, headers, body, timeouts, ...dressed.manner };
  return {
    adapter,
    call,
    names,
    lane,
    request: outgoing,
    division: dressed.division && planDivision(dressed.division, outgoing),
    droppedFields,
    hasStreamOptions,
    isPseudoStream: request.inspection.stream && !call.stream,
    maxTokens,
    prompt: () => promptTexts(request.exchange.endpoint.format, request.inspection.json),
  };
}

function destinationOf({ destination, adapter, call }: CallTemplate, operation: string | undefined): Destination {
  return operation === undefined ? destination : { ...destination, url: addressOf(adapter, { ...call, operation }) };
}
