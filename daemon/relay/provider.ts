/**
 * One upstream vendor as data and pure functions: which formats it speaks, where, and how it misbehaves.
 * No network, no clock, no database, no secret.
 */
import type { UpstreamFailure } from '../errors.ts';
import type { CallReply, FollowUp } from './call-format.ts';
import type { MediaKind } from './canonical/remote-media.ts';
import type { Capability, FormatId, UpstreamTraits } from './format.ts';
import type { Json, JsonObject } from './json.ts';
import type { EndWords } from './native-wording.ts';
import type { RealtimeDialect, RealtimeOpening } from './realtime/realtime-dialect.ts';

/** Credentials are named here and applied in `upstream/auth/`; the key itself never enters `relay/`. */
export type AuthScheme =
  /** `parts`: positions in a key written with `|`, joined by `:`; a key without these parts is sent whole. */
  | { kind: 'bearer'; parts?: readonly number[] }
  | { kind: 'header'; name: string; prefix?: string }
  | { kind: 'query'; name: string }
  | { kind: 'none' }
  /** Schemes that sign or exchange: resolved by name in `upstream/auth/`, with non-secret settings. */
  | { kind: 'signed'; scheme: string; settings?: Readonly<Record<string, string>> };

/** Everything about one call that an adapter may know. */
export interface UpstreamCall {
  readonly capability: Capability;
  /** Format chosen for this attempt. */
  readonly format: FormatId;
  /** Name sent upstream, after prefix, mapping and suffix rules. */
  readonly model: string;
  /** The client's name without the channel's prefix: operators' settings may be made for either. Absent: `model`. */
  readonly origin?: string;
  readonly stream: boolean;
  /** Where the format has several operations: which one; undefined for the format's only one. */
  readonly operation?: string | undefined;
  /** The channel row's fields that are not secret: `base_url` resolved, `other`, `organization`, and `setting`. */
  readonly baseUrl: string;
  readonly other: string;
  readonly organization: string | undefined;
  /** Parsed `setting` JSON of the channel (relay.md 12.7). */
  readonly setting: Readonly<Record<string, unknown>>;
  /** Non-secret parts of a composite key, split by its auth scheme. */
  readonly settings: Readonly<Record<string, string>>;
  /** Values of runtime options that adapters may read, e.g. `gemini.version_settings`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The adapter's own word for this model on this channel, which a refusal taught; absent: none did. */
  readonly learnt?: string | undefined;
  /** In [0, 1), drawn anew for each call of which the adapter says `draws`; absent: 0. */
  readonly lot?: number | undefined;
  /** Takes the channel's key out of what the upstream says; absent where none was sent. */
  readonly withoutKey?: ((text: string) => string) | undefined;
}

/** How the same channel is to be asked again at once after a refusal. */
export type Lesson =
  /** Members of the request, in its body or its headers, that the vendor knows no longer: asked once more without. */
  | { readonly without: readonly string[] }
  /** Kept for the channel and model, and given back as `call.learnt`; never one that was taught before. */
  | { readonly learnt: string };

/** A reply that is no success: a status outside 2xx, or an error found inside a 200. */
export interface FailedReply {
  /** Status line; 200 when the error stands inside a success. */
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** At most 1 MiB of the decoded body. */
  readonly body: string;
  readonly call: UpstreamCall;
  /** Current Unix time in milliseconds, for dates in headers. */
  readonly nowMs: number;
}

/** A side request (model list, balance): what to send and how to read the answer. */
export interface SideRequest<Result> {
  method: 'GET' | 'POST';
  /** Path and query, appended to the base URL; or an absolute URL on the same origin. */
  path: string;
  headers?: Record<string, string>;
  body?: Json;
  auth: AuthScheme;
  /** Pure reader of the JSON answer; undefined when it is not understood. */
  read(body: Json): Result | undefined;
  /** Of a list that comes in pages: the path of the next one; undefined behind the last. */
  next?(body: Json): string | undefined;
}

/** What a side request may depend on. */
export type SideFacts = Pick<UpstreamCall, 'baseUrl' | 'other' | 'setting' | 'settings'>;

/** A channel's `other` before it is stored. `keys` are those to be stored with it, none where they are not known. */
export type OtherQuestion = Pick<UpstreamCall, 'baseUrl' | 'other'> & { readonly keys: readonly string[] };

/** As `SideFacts`, with the time: some balances are asked for by date. */
export type BalanceFacts = SideFacts & { readonly nowMs: number };

export interface ProviderAdapter {
  /** Folder name, e.g. `deepseek`. */
  readonly id: string;
  /** Word for `owned_by` in model lists. */
  readonly owner: string;
  /** English and Chinese label of the channel editor. */
  readonly label: { en: string; zh: string };
  /** Number stored on the channel row; never reused. */
  readonly channelType: number;
  /** Default address; empty when the operator must give one. */
  readonly baseUrl: string;
  /** Native formats by capability, preferred first. Nothing listed: not served. */
  readonly speaks: Partial<Record<Capability, readonly FormatId[]>>;
  /**
   * Names of the parts of a key written with `|`, by position; undefined hides a part that is secret. What is named
   * reaches the adapter as `settings`, and only from a key of exactly so many parts.
   */
  readonly keyParts?: readonly (string | undefined)[];
  /** Settings that a key without parts tells itself: the claims of a JWT by the setting that each gives, in digits. */
  readonly keyClaims?: Readonly<Record<string, string>>;
  /** Kinds of keys that are told by their form: a key that matches has the setting of that name, `yes`. */
  readonly keyMarks?: Readonly<Record<string, RegExp>>;
  /** Keys of a vendor's own making, whose open parts (region, project) are read by that scheme into `settings`. */
  readonly keyForm?: 'aws' | 'google';
  /**
   * For a vendor with several interfaces: the formats among `speaks` that a key with these settings opens, that the
   * model of this name (as sent upstream) speaks and that the channel's `setting` allows.
   */
  formatsFor?(settings: UpstreamCall['settings'], model: string, setting: UpstreamCall['setting']): readonly FormatId[];
  /** True for a request that the model does not take in the call's format, but in another that its vendor speaks. */
  avoids?(call: Pick<UpstreamCall, 'format' | 'model'>, body: JsonObject): boolean;
  /** Media that have to be given inline here, beside those that the format demands so. */
  inlines?(call: Pick<UpstreamCall, 'baseUrl' | 'format' | 'model'>): readonly MediaKind[];
  /** Tells of failures in a report beside a piece of an answer (`base_resp`), also in the midst of a stream. */
  readonly reportsBeside?: true;
  /** Ends of its chats in words of its own, and those that clients of OpenAI's dialects are shown. */
  readonly endWords?: EndWords;
  /** Answers to clients of the same dialect are written anew: the model's are not quite of it. */
  foreignAnswers?(model: string): boolean;
  /** `include_usage` may be sent on streams. */
  readonly streamUsage: boolean;
  /** The one manner in which the model answers, whatever the client wants; undefined for one that knows both. */
  answersOnly?(model: string): 'stream' | 'whole' | undefined;
  /**
   * Inputs of embeddings, or images, that one request may ask for: what is more is asked in several. Undefined: any
   * number.
   */
  atOnce?(call: Pick<UpstreamCall, 'capability' | 'format' | 'model'>): number | undefined;
  /** The operator's address is the whole URL of every request: nothing is taken from its end. */
  readonly isWholeAddress?: true;
  /** Subprotocols that a realtime socket is offered; a server that knows none of them may not be offered any. Default `realtime`. */
  readonly subprotocols?: readonly string[];
  /** How the events of its realtime sessions are told on. Undefined: they are OpenAI's. */
  realtimeDialect?(opening: RealtimeOpening): RealtimeDialect | undefined;
  /** A retired upstream keeps its row and refuses with a clear error, which names the vendor that came after it. */
  readonly retired?: { readonly successor: string };
  /** What encoders of translated requests may rely on. */
  readonly traits?: Partial<UpstreamTraits>;
  /** Those that hang on the call. */
  traitsFor?(call: UpstreamCall): Partial<UpstreamTraits>;
  /** Known model names offered in the channel editor. */
  readonly models: readonly string[];
  /** Why the channel's `other` is nothing that `path` and the rest could read, in English; undefined where it is. */
  otherProblem?(question: OtherQuestion): string | undefined;
  /** What a version that the client names in its query (`api-version`) puts in the place of `other`; undefined: nothing. */
  otherOf?(version: string): string | undefined;
  /** True where the path is drawn by lot among several that are as good. */
  draws?(call: UpstreamCall): boolean;
  /** Path with query, or a whole URL on the base URL's origin. */
  path(call: UpstreamCall): string;
  auth(call: UpstreamCall): AuthScheme;
  headers?(call: UpstreamCall): Record<string, string>;
  /**
   * Vendor quirks, on the wire shape; may change members of `body` itself and returns it. Values inside are shared
   * with the client's request: what changes deeper down is copied on the way, so that `diffEdits` finds it.
   */
  amendBody?(body: Json, call: UpstreamCall): Json;
  /** False when `amendBody` changes nothing for such a call, so that nobody need look. */
  amends?(call: UpstreamCall): boolean;
  /** Members of the body for what clients say in headers, where the host reads it there. */
  bodyOfHeaders?(
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
    call: UpstreamCall,
  ): JsonObject;
  /** What to ask next where a success says that the work goes on, whatever was asked; undefined for an answer. */
  pending?(reply: CallReply): FollowUp | undefined;
  /** Decides status, retry class, cooling and health of a failure. */
  readFailure(reply: FailedReply): UpstreamFailure;
  /** What a refused status teaches; undefined for one after which asking otherwise would not help. */
  learnsFrom?(failure: UpstreamFailure, call: UpstreamCall): Lesson | undefined;
  /** Undefined where a key of this form opens no list. */
  listModels?(call: SideFacts): SideRequest<string[]> | undefined;
  /** Balance in USD, or in the unit the sheet names; the answers of several requests are added up. */
  balance?(call: BalanceFacts): SideRequest<number>[];
}
