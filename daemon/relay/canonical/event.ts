/**
 * The stream of one answer. Order, which every decoder keeps and every encoder may rely on:
 * `message-start` first and once; a block's `-start`, its deltas, its `-end`; `finish` once per choice, after all of
 * that choice's blocks have ended; `usage` anywhere after the start, cumulative, the last value of a field final.
 * A text or reasoning block is never open beside another block of its choice; tool calls may be open side by side.
 * `block` counts blocks of all kinds within one choice: 0, 1, 2, ... in the order in which they start.
 */
import type { JsonObject } from '../json.ts';
import type { Annotation, Dialect, HostedItem, ReasoningItem, Seal, ToolCallKind } from './content.ts';
import type { ToolCounts, Usage } from './usage.ts';

/** Why a choice ended (relay.md 13.2). */
export type FinishReason =
  /** Natural end. */
  | 'stop'
  /** One of the request's stop strings; `stopSequence` says which, where the vendor tells. */
  | 'stop-sequence'
  /** The request's token limit. */
  | 'length'
  /** The model's context window is full. */
  | 'context-window'
  | 'tool-calls'
  /** A filter of the vendor cut the answer. */
  | 'content-filter'
  /** The model declined. */
  | 'refusal'
  /** The turn is to be continued by sending it back (Anthropic `pause_turn`). */
  | 'pause'
  /** The model wrote a tool call that could not be read (Gemini). */
  | 'malformed-call'
  /** A word that we do not know. */
  | 'other';

export interface Finish {
  readonly reason: FinishReason;
  readonly stopSequence?: string;
  /** The upstream's own word, so that the same dialect returns exactly it. */
  readonly raw?: { readonly dialect: Dialect; readonly word: string };
  /** Anthropic's `stop_details`, verbatim. */
  readonly details?: JsonObject;
}

export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** UTF-8 bytes of the token; undefined where the vendor gives none. */
  readonly bytes?: readonly number[];
  readonly top: readonly { readonly token: string; readonly logprob: number; readonly bytes?: readonly number[] }[];
}

/** An error that the upstream reported inside a 200 answer. The gateway turns it into an `UpstreamFailure`. */
export interface ReportedError {
  /** HTTP status, where the body names one in 400..599. */
  readonly status?: number;
  readonly type?: string;
  readonly code?: string;
  /** Unmasked: operators only, until the provider's adapter has cleaned it. */
  readonly message: string;
  /** The whole error body, for `readFailure`. */
  readonly raw: JsonObject;
}

/** Members of every event that belongs to one block of one choice. */
interface InBlock {
  readonly choice: number;
  readonly block: number;
}

export type ChatEvent =
  | {
      readonly type: 'message-start';
      /** Upstream's id of the answer; undefined when it gave none. */
      readonly id?: string;
      /** Model name as the upstream reports it. */
      readonly model?: string;
      /** Unix seconds. */
      readonly created?: number;
      readonly serviceTier?: string;
      readonly systemFingerprint?: string;
      /** What the upstream already knows of the prompt; a `usage` event says the same. */
      readonly usage?: Usage;
    }
  | (InBlock & {
      readonly type: 'reasoning-start';
      readonly form: ReasoningItem['form'];
      readonly id?: string;
    })
  | (InBlock & {
      readonly type: 'reasoning-delta';
      readonly text: string;
      /** Which of several summaries, 0-based; a higher number begins a new one. */
      readonly part: number;
    })
  | (InBlock & { readonly type: 'reasoning-signature'; readonly seal: Seal })
  | (InBlock & { readonly type: 'reasoning-end' })
  | (InBlock & { readonly type: 'text-start'; readonly id?: string; readonly phase?: string })
  | (InBlock & { readonly type: 'text-delta'; readonly text: string })
  | (InBlock & { readonly type: 'text-end'; readonly seal?: Seal })
  /** Stands in no block: it may come while a text block is open, and ends with `finish`. */
  | { readonly type: 'refusal-delta'; readonly choice: number; readonly text: string }
  | (InBlock & {
      readonly type: 'tool-call-start';
      readonly kind: ToolCallKind;
      readonly callId: string;
      readonly name: string;
      readonly namespace?: string;
      readonly id?: string;
      readonly seal?: Seal;
      /** The vendor said the call in one piece: all of its input follows at once. */
      readonly isWhole?: true;
    })
  /** A piece of the JSON arguments, or of a custom tool's free text. Never empty. */
  | (InBlock & { readonly type: 'tool-call-delta'; readonly text: string })
  /** The pieces together are the input; none at all means empty arguments. */
  | (InBlock & { readonly type: 'tool-call-end' })
  /** A hosted tool's item, complete. */
  | { readonly type: 'hosted'; readonly choice: number; readonly item: HostedItem }
  | {
      readonly type: 'image';
      readonly choice: number;
      readonly mediaType: string;
      /** Base64, or an address: exactly one is set. */
      readonly data?: string;
      readonly url?: string;
      readonly seal?: Seal;
      /** Of the item that it is in the Responses dialect. */
      readonly id?: string;
    }
  | {
      readonly type: 'audio-delta';
      readonly choice: number;
      readonly id?: string;
      /** Base64 piece. */
      readonly data?: string;
      readonly transcript?: string;
      readonly expiresAt?: number;
      readonly mediaType?: string;
    }
  /** Belongs to the choice's text so far. */
  | { readonly type: 'annotation'; readonly choice: number; readonly annotation: Annotation }
  | { readonly type: 'logprobs'; readonly choice: number; readonly tokens: readonly TokenLogprob[] }
  | { readonly type: 'usage'; readonly usage: Usage }
  /** Tools that the vendor ran, where it tells of them beside its usage. Cumulative, as `usage` is. */
  | { readonly type: 'tools-used'; readonly tools: ToolCounts }
  | { readonly type: 'finish'; readonly choice: number; readonly finish: Finish }
  | { readonly type: 'error'; readonly error: ReportedError };
