/**
 * Words of the OpenAI chat-completions wire. Source: OpenAI's published API schema, read 2026-08.
 */
import type { FinishReason } from '../../canonical/chat.ts';

/** `finish_reason` words; foreign words are read as a natural end (relay.md 13.2). */
export const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  // Words of compatible servers.
  eos: 'stop',
  end_turn: 'stop',
  max_tokens: 'length',
  model_length: 'length',
  sensitive: 'content-filter',
  model_context_window_exceeded: 'context-window',
  safety: 'content-filter',
};

/** What a chat client is told. */
export const finishWords: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  'context-window': 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  refusal: 'content_filter',
  pause: 'stop',
  'malformed-call': 'stop',
  other: 'stop',
};

/** Members of parts that this vendor alone knows, in both of its dialects. */
export const ownPartMembers = ['prompt_cache_breakpoint'] as const;

/** How closely Ark looks at a picture or a video, beside its address. Source: providers/volcengine.md, read 2026-11. */
export const ownMediaMembers = ['fps', 'image_pixel_limit'] as const;

/**
 * Members by which an answer goes on with the words of the last message: `prefix` of DeepSeek and Mistral, `partial` of Qwen
 * and Kimi. Source: their pages on chats, read 2026-11.
 */
export const ownTurnMembers = ['prefix', 'partial'] as const;

/** Words of this vendor for how much to think, in both of its dialects. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Largest accepted token limit: 2^30 - 1. */
export const largestMaxTokens = 1_073_741_823;

/** Top-level request fields that the canonical shape has a place for; the rest travels as an extension. */
export const knownFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'seed',
  'user',
  'response_format',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'modalities',
  'audio',
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'verbosity',
  'web_search_options',
  'metadata',
  'store',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'cache_control',
]);
