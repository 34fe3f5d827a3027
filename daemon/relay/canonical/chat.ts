/**
 * The hub of the chat capability: one request and one answer as every dialect and vendor format reads and writes them.
 * Values are never changed after a decoder made them: a retry encodes the same request for another vendor.
 * An absent optional member means that the client (or the upstream) did not say.
 */
import type { Json, JsonObject } from '../json.ts';
import type { CacheMark, ChatItem, Dialect, Extensions, OutputItem } from './content.ts';
import type { Finish, ReportedError, TokenLogprob } from './event.ts';
import type { ToolCounts, Usage } from './usage.ts';

export type * from './content.ts';
export type * from './event.ts';

export interface FunctionTool {
  readonly kind: 'function';
  readonly name: string;
  readonly description?: string;
  /** JSON schema of the arguments object; undefined: no arguments. */
  readonly parameters?: JsonObject;
  readonly strict?: boolean;
  /** Responses groups tools by namespace. */
  readonly namespace?: string;
  /** What the whole group is for, in the words of its entry. */
  readonly namespaceDescription?: string;
  readonly cache?: CacheMark;
  /** Members that one dialect knows beside these (Anthropic `defer_loading`, ...). */
  readonly extensions?: Extensions;
}

/** Takes free text instead of JSON. */
export interface CustomTool {
  readonly kind: 'custom';
  readonly name: string;
  readonly description?: string;
  /** OpenAI's `format`: `{type:'text'}` or a grammar, verbatim. */
  readonly format?: JsonObject;
  readonly namespace?: string;
  readonly namespaceDescription?: string;
  readonly extensions?: Extensions;
}

/** Run by the client in an agreed form: shell and patch tools of Responses. */
export interface ClientTool {
  readonly kind: 'local-shell' | 'shell' | 'apply-patch' | 'tool-search';
  /** The tool entry verbatim. */
  readonly settings: JsonObject;
}

/** Hosted tools that more than one vendor has, by what they do; `other` for the rest. */
export type HostedToolKind =
  | 'web-search'
  | 'web-fetch'
  | 'code-execution'
  | 'file-search'
  | 'image-generation'
  | 'computer-use'
  | 'maps'
  | 'mcp'
  | 'other';

/** Run by the vendor. */
export interface HostedTool {
  readonly kind: 'hosted';
  readonly hosted: HostedToolKind;
  /** The dialect in which the client asked for it, and its own `type` there. */
  readonly dialect: Dialect;
  readonly name: string;
  /** The entry verbatim; only the same dialect may send it. */
  readonly settings: JsonObject;
}

export type ChatTool = FunctionTool | CustomTool | ClientTool | HostedTool;

/**
 * `auto`: the model decides; `required`: some tool; `none`: no tool. `names` narrows the choice to these tools, and to
 * the vendor's own that `hosted` refers to in the words of Responses, which alone can.
 */
export type ToolChoice =
  | {
      readonly mode: 'auto' | 'none' | 'required';
      readonly names?: readonly string[];
      readonly hosted?: readonly JsonObject[];
    }
  /** Forces a hosted tool; verbatim. */
  | { readonly mode: 'hosted'; readonly dialect: Dialect; readonly raw: Json };

export type OutputFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json-object' }
  | {
      readonly kind: 'json-schema';
      readonly schema: JsonObject;
      readonly name?: string;
      readonly description?: string;
      readonly strict?: boolean;
    };

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** How much to think and what to show of it. */
export interface ReasoningControl {
  /** `enabled` with a budget, `adaptive` by the model's judgement, `disabled`. Absent: only `effort` speaks. */
  readonly mode?: 'enabled' | 'adaptive' | 'disabled';
  readonly effort?: Effort;
  /** Tokens. */
  readonly budgetTokens?: number;
  /** Summaries wanted (Responses). */
  readonly summary?: 'auto' | 'concise' | 'detailed';
  /** Thoughts are to be shown (Gemini `includeThoughts`). */
  readonly show?: boolean;
  /** Encrypted reasoning is to be returned (Responses `include`). */
  readonly encrypted?: boolean;
  /** Members of the client's words that its own dialect alone knows, by their path in the request. */
  readonly own?: JsonObject;
  /** The whole control as one dialect spells it, which then sends exactly that (Anthropic `thinking`). */
  readonly raw?: { readonly dialect: Dialect; readonly value: JsonObject };
}

/** Knobs of the sampler. */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  /** Token id to bias. */
  readonly logitBias?: JsonObject;
  /** Log probabilities wanted. */
  readonly logprobs?: boolean;
  /** Alternatives per token. */
  readonly topLogprobs?: number;
}

/**
 * Search that accompanies the answer. An option in OpenAI chat; where the client's dialect has a tool for it, that
 * tool stands among the tools too, and only its own dialect sends it.
 */
export interface WebSearchOptions {
  readonly contextSize?: 'low' | 'medium' | 'high';
  /** ISO country, region, city, IANA time zone. */
  readonly location?: {
    readonly country?: string;
    readonly region?: string;
    readonly city?: string;
    readonly timezone?: string;
  };
  /** Hosts, some with a path: nothing else is looked at. */
  readonly allowedDomains?: readonly string[];
  readonly blockedDomains?: readonly string[];
  /** Searches in one answer. */
  readonly maxUses?: number;
  /** What the tool says beside it and its own dialect alone knows. */
  readonly own?: JsonObject;
}

export interface ChatRequest {
  /** The client's dialect. */
  readonly dialect: Dialect;
  /** As asked; the gateway replaces it with the upstream model before encoding. */
  readonly model: string;
  readonly items: readonly ChatItem[];
  readonly stream: boolean;
  /** The client wants usage on the stream (OpenAI chat); always true for dialects that send it unasked. */
  readonly streamUsage: boolean;
  readonly tools: readonly ChatTool[];
  /** The client used OpenAI's old `functions` form and expects `function_call` back. */
  readonly legacyFunctions?: boolean;
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  /** Limit on output tokens, reasoning included. */
  readonly maxTokens?: number;
  readonly sampling: Sampling;
  /** Strings that end the answer. */
  readonly stop?: readonly string[];
  /** How many choices; absent means one. */
  readonly n?: number;
  readonly output?: OutputFormat;
  readonly reasoning?: ReasoningControl;
  /** OpenAI's `low`, `medium`, `high`. */
  readonly verbosity?: string;
  /** Lower-case: `text`, `audio`, `image`. Absent: text. */
  readonly modalities?: readonly string[];
  /** Voice and container of a spoken answer. */
  readonly audio?: { readonly voice?: Json; readonly format?: string };
  readonly webSearch?: WebSearchOptions;
  /** Free key-value pairs of the client (OpenAI `metadata`). */
  readonly metadata?: JsonObject;
  /** End user: OpenAI `user`, Anthropic `metadata.user_id`. */
  readonly user?: string;
  readonly safetyIdentifier?: string;
  readonly serviceTier?: string;
  readonly store?: boolean;
  readonly promptCacheKey?: string;
  readonly promptCacheRetention?: string;
  /** Marks the whole prompt for caching (Anthropic's top-level `cache_control`). */
  readonly cache?: CacheMark;
  /** State that an upstream keeps (`previous_response_id`, `conversation`, `prompt`): untranslatable, by wire name. */
  readonly stored?: JsonObject;
  /**
   * Numbers in schemas, arguments and results that a double would change stand as marked strings
   * (`exact-numbers.ts`): who writes text of the request restores them.
   */
  readonly numbers?: 'marked';
  readonly extensions: Extensions;
}

export interface ChatChoice {
  /** 0-based. */
  readonly index: number;
  /** What the model did, in order. */
  readonly items: readonly OutputItem[];
  readonly finish: Finish;
  readonly logprobs?: readonly TokenLogprob[];
}

export interface ChatResponse {
  /** Upstream's id; absent: the encoder makes one. */
  readonly id?: string;
  /** As the upstream reports it. */
  readonly model?: string;
  /** Unix seconds. */
  readonly created?: number;
  /** By index; at least one unless there is an `error`. */
  readonly choices: readonly ChatChoice[];
  /** Absent when the upstream sent none, or only zeros. */
  readonly usage?: Usage;
  /** Tools that the vendor ran, where it told of them beside its usage. */
  readonly toolsUsed?: ToolCounts;
  readonly serviceTier?: string;
  readonly systemFingerprint?: string;
  /** The answer failed though its status was 200 (Responses `failed`, an error object). */
  readonly error?: ReportedError;
  readonly extensions?: Extensions;
}
