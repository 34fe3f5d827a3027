/**
 * What all calls of one kind to one channel key have in common: names, address, headers, deadlines. Made once and kept
 * for as long as the channel's view lives, so that a request pays only for what is its own.
 */
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import { keyRemover } from '../relay/failure-mask.ts';
import type { FormatId } from '../relay/format.ts';
import { defaultOutputLimit } from '../relay/formats/output-limit.ts';
import { type ReasoningWish, readReasoningSuffix, wishOfEffort } from '../relay/formats/reasoning-suffix.ts';
import { type ModelResolution as ModelNames, resolveModel } from '../relay/model-names.ts';
import { ParamOverride } from '../relay/param-override.ts';
import type { AuthScheme, ProviderAdapter, UpstreamCall } from '../relay/provider.ts';
import { providerOf } from '../relay/providers/index.ts';
import type { ChannelKeyView, ChannelView } from '../snapshots/channel-view.ts';
import type { Credentials, RequestDraft } from '../upstream/auth/index.ts';
import { keySettings } from '../upstream/auth/key-settings.ts';
import type { CallTimeouts, Destination } from '../upstream/transport.ts';
import { type AnswerShape, answerShape } from './answer-shape.ts';
import { type FailedAttempt, misconfigured } from './attempt-failure.ts';
import type { Endpoint } from './exchange.ts';
import { chooseLane, isCall, type LaneChoice } from './lane-choice.ts';
import type { Lessons } from './lessons.ts';
import {
  addressOf,
  baseAddressOf,
  connectMsOf,
  headersOf,
  proxyOf,
  timeoutsOf,
  type UpstreamTimeouts,
} from './upstream-request.ts';

export interface CallTemplate {
  readonly adapter: ProviderAdapter;
  readonly choice: LaneChoice;
  readonly names: ModelNames;
  /** How the name's suffix asks for reasoning; undefined where it has none. */
  readonly wish: ReasoningWish | undefined;
  /** Limit of the answer where the client names none; undefined for formats that need none. */
  readonly defaultMaxTokens: number | undefined;
  readonly call: UpstreamCall;
  readonly auth: AuthScheme;
  /** With the credentials, unless the scheme signs each request; without what the client adds. */
  readonly headers: string[];
  readonly destination: Destination;
  readonly timeouts: CallTimeouts;
  /** Undefined where the channel overrides nothing. */
  readonly override: ParamOverride | undefined;
  /** How the channel wants its answers; undefined: as they come. */
  readonly shape: AnswerShape | undefined;
  /** The adapter may change a body for this model. */
  readonly amends: boolean;
  /** The answer is no conversation: it takes the lane of calls. */
  readonly isCall: boolean;
}

/** Which calls share a template. */
export interface CallKind {
  readonly endpoint: Endpoint;
  readonly channel: ChannelView;
  readonly key: ChannelKeyView;
  /** Name to route by, prefix included. */
  readonly model: string;
  readonly stream: boolean;
  /** A format that the model does not take the request in. */
  readonly without?: FormatId;
  /** In the place of the channel's own `other`. */
  readonly other?: string | undefined;
  /** The options of this moment. */
  readonly options: OptionsView;
}

/** Templates of one key, as long as the options stay what they are. */
interface KeyTemplates {
  readonly options: OptionsView;
  readonly byName: Map<string, TemplateResult>;
}

export type TemplateResult =
  /** Drawn by lot: the next call gets its own. */
  | { readonly template: CallTemplate; readonly isDrawn?: boolean }
  | { readonly failed: FailedAttempt }
  /** The vendor serves such calls, but not for this model or with this key. */
  | { readonly unsayable: TollgateError };

const NO_SETTINGS: Readonly<Record<string, string>> = {};
/** The runtime options that adapters may read. */
const ADAPTER_OPTIONS = [
  'claude.default_max_tokens',
  'claude.model_headers_settings',
  'gemini.safety_settings',
  'gemini.version_settings',
] as const;
/** Names come from clients, if only those that a channel offers; a wildcard mapping makes them many. */
const MAX_PER_KEY = 1000;

export interface CallTemplatesDeps {
  readonly timeouts: UpstreamTimeouts;
  /** Product version, for the `User-Agent`. */
  readonly version: string;
  readonly credentials: Credentials;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export class CallTemplates {
  readonly #deps: CallTemplatesDeps;
  readonly #lessons: Pick<Lessons, 'wordFor'>;
  readonly #byKey = new WeakMap<ChannelKeyView, KeyTemplates>();

  constructor(deps: CallTemplatesDeps, lessons: Pick<Lessons, 'wordFor'>) {
    this.#deps = deps;
    this.#lessons = lessons;
  }

  /** Makes a channel's templates anew, for something was learnt about it. */
  forget(channel: ChannelView): void {
    for (const key of channel.keys) this.#byKey.delete(key);
  }

  /** The template for such calls, or why the channel cannot be asked. Throws `invalid_api_type`. */
  of(kind: CallKind): TemplateResult {
    const manner = kind.stream ? 'stream' : 'whole';
    const { operation, format } = kind.endpoint;
    const name = `${operation ?? format} ${manner} ${kind.without ?? ''} ${kind.other ?? ''} ${kind.model}`;
    let known = this.#byKey.get(kind.key);
    if (known?.options !== kind.options) {
      known = { options: kind.options, byName: new Map() };
      this.#byKey.set(kind.key, known);
    }
    let result = known.byName.get(name);
    if (result === undefined) {
      result = this.#make(kind);
      if ('template' in result && result.isDrawn === true) return result;
      if (known.byName.size >= MAX_PER_KEY) known.byName.clear();
      known.byName.set(name, result);
    }
    return result;
  }

  #make(kind: CallKind): TemplateResult {
    const { channel, endpoint } = kind;
    const { setting } = channel;
    const adapter = providerOf(channel.record.type);
    const settings = adapter === undefined ? NO_SETTINGS : keySettings(kind.key.secret, adapter);
    const resolved = namesOn(channel, kind.model);
    const asked = { settings, model: resolved?.upstream ?? '', without: kind.without };
    const choice = adapter && chooseLane(adapter, channel, endpoint, asked);
    // The router yields none that cannot serve, but for a pinned channel whose type was retired.
    if (adapter === undefined) throw new TollgateError('invalid_api_type');
    if (choice === undefined) return { unsayable: new TollgateError('invalid_api_type') };
    if (resolved === undefined) return { failed: misconfigured({ adapter }, 'channel:model_mapped_error') };
    const { names, wish } = suffixed(kind, resolved, choice);
    const override = overrideOf(channel);
    if (override === 'invalid') return { failed: misconfigured({ adapter }, 'channel:param_override_invalid') };
    const learnt = this.#lessons.wordFor(channel, names.upstream);
    const call = callOf(kind, { adapter, choice, names, settings, learnt, lot: this.#deps.random() });
    const auth = adapter.auth(call);
    const plain: RequestDraft = {
      method: 'POST',
      url: addressOf(adapter, call),
      headers: headersOf(adapter, call, this.#deps.version),
      body: undefined,
    };
    const applied = auth.kind === 'signed' ? plain : this.#deps.credentials.apply(plain, auth, kind.key.secret);
    const ready = applied instanceof Promise ? plain : applied;
    const template: CallTemplate = {
      adapter,
      choice,
      names,
      wish,
      defaultMaxTokens: defaultLimitOf(kind, names, choice),
      call,
      auth,
      headers: ready.headers,
      destination: {
        url: ready.url,
        proxy: proxyOf(setting),
        egress: 'channel',
        connectMs: connectMsOf(this.#deps.timeouts, setting),
      },
      timeouts: timeoutsOf(this.#deps.timeouts, setting, call),
      override,
      shape: answerShape(setting, endpoint.format, mannerOf(adapter, choice, names)),
      amends: adapter.amendBody !== undefined && adapter.amends?.(call) !== false,
      isCall: isCall(choice, call.capability),
    };
    return { template, isDrawn: adapter.draws?.(call) === true };
  }
}

/** The names a model goes by on a channel; undefined for a mapping that is invalid or runs in a circle. */
export function namesOn(channel: ChannelView, model: string): ModelNames | undefined {
  const { modelMapping, setting, record } = channel;
  if (modelMapping === 'invalid') return undefined;
  const keepsSuffix = setting.keep_suffix === true;
  return resolveModel(model, { prefix: record.modelPrefix ?? '', mapping: modelMapping, keepsSuffix });
}

/** A client's body goes on as it came: by the site's option, or by the channel's setting. */
function passesThrough({ channel, options }: CallKind): boolean {
  return channel.setting.pass_through_body_enabled === true || options.get('global.pass_through_request_enabled');
}

/** The names without the suffix that asks for reasoning, and what it asks; none is read where a body is not touched. */
function suffixed(
  kind: CallKind,
  resolved: ModelNames,
  choice: LaneChoice,
): { names: ModelNames; wish: ReasoningWish | undefined } {
  const { options } = kind;
  if (resolved.isLiteral || (choice.lane === 'native' && passesThrough(kind))) {
    const upstream = resolved.isLiteral ? resolved.upstream : resolved.bare;
    return { names: { ...resolved, upstream, reasoningEffort: undefined }, wish: undefined };
  }
  if (resolved.reasoningEffort !== undefined) {
    return { names: resolved, wish: wishOfEffort(resolved.reasoningEffort) };
  }
  const suffix = readReasoningSuffix(choice.format, resolved.upstream, {
    claudeThinking: options.get('claude.thinking_adapter_enabled'),
    claudeBudgetShare: options.get('claude.thinking_adapter_budget_tokens_percentage'),
    geminiThinking: options.get('gemini.thinking_adapter_enabled'),
    geminiBudgetShare: options.get('gemini.thinking_adapter_budget_tokens_percentage'),
    geminiBudgetModels: options.get('gemini.models_supported_thinking_budget'),
  });
  if (suffix === undefined) return { names: resolved, wish: undefined };
  const { model: upstream, word: reasoningEffort, wish } = suffix;
  return { names: { ...resolved, upstream, reasoningEffort }, wish };
}

function defaultLimitOf({ options }: CallKind, names: ModelNames, choice: LaneChoice): number | undefined {
  if (choice.format !== 'anthropic-messages') return undefined;
  return defaultOutputLimit(options.get('claude.default_max_tokens'), [names.bare, names.upstream]);
}

/** Translated answers are written anew anyway. */
function mannerOf(adapter: ProviderAdapter, { lane }: LaneChoice, { upstream }: ModelNames): 'own' | 'foreign' {
  return lane === 'native' && adapter.foreignAnswers?.(upstream) === true ? 'foreign' : 'own';
}

/** The channel's parameter override; undefined where it has none. */
export function overrideOf(channel: Pick<ChannelView, 'paramOverride'>): ParamOverride | 'invalid' | undefined {
  if (channel.paramOverride === undefined || channel.paramOverride === 'invalid') return channel.paramOverride;
  try {
    const override = new ParamOverride(channel.paramOverride);
    return override.isEmpty ? undefined : override;
  } catch (error) {
    if (error instanceof TollgateError) return 'invalid';
    throw error;
  }
}

function callOf(
  kind: CallKind,
  known: Pick<CallTemplate, 'adapter' | 'choice' | 'names'> & Pick<UpstreamCall, 'settings' | 'learnt' | 'lot'>,
): UpstreamCall {
  const { record, setting } = kind.channel;
  return {
    // Whoever has no completions converses.
    capability: known.choice.lane === 'translated' ? 'chat' : kind.endpoint.capability,
    format: known.choice.format,
    model: known.names.upstream,
    stream: kind.stream,
    operation: kind.endpoint.operation,
    baseUrl: baseAddressOf(known.adapter, record.baseUrl),
    other: kind.other ?? record.other ?? '',
    organization: record.openaiOrganization || undefined,
    setting,
    settings: known.settings,
    learnt: known.learnt,
    lot: known.lot,
    origin: known.names.bare,
    options: Object.fromEntries(ADAPTER_OPTIONS.map((key) => [key, kind.options.get(key)])),
    withoutKey: keyRemover(kind.key.secret),
  };
}
