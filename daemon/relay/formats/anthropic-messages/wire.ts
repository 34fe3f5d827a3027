/**
 * Words of the Anthropic Messages wire. Source: the vendor's SDK types, read 2026-08.
 */
import type { FinishReason, HostedToolKind } from '../../canonical/chat.ts';

export const stopReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  max_tokens: 'length',
  tool_use: 'tool-calls',
  pause_turn: 'pause',
  refusal: 'refusal',
  model_context_window_exceeded: 'context-window',
};

export const stopWords: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  'context-window': 'model_context_window_exceeded',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  'malformed-call': 'end_turn',
  other: 'end_turn',
};

/** Top-level request fields that the canonical shape has a place for. */
export const knownFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
  'service_tier',
  'cache_control',
  'thread',
  // Sent by clients of other hosts of this format, where the host and not the model reads it.
  'anthropic_version',
]);

/** Members of `output_config` and of `metadata` likewise. */
export const knownOutputConfig: ReadonlySet<string> = new Set(['effort', 'format']);
export const knownMetadata: ReadonlySet<string> = new Set(['user_id']);

/** Members of a function tool that the canonical shape has a place for. */
export const knownToolFields: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
]);

/** Members of calls and results beside `caller`, and of images, that no other dialect knows. */
export const ownCallMembers = ['toolset_name'] as const;
export const ownImageMembers = ['transformations'] as const;

/** True for the dated type of a tool that Anthropic's own servers run; the others of its types run at the client. */
export function runsOnServers(type: string): boolean {
  return /^(?:web_search|web_fetch|code_execution)_/.test(type);
}

/** What a server tool does, by the beginning of its dated type. */
export const hostedKinds: readonly (readonly [string, HostedToolKind])[] = [
  ['web_search', 'web-search'],
  ['web_fetch', 'web-fetch'],
  ['code_execution', 'code-execution'],
  ['computer', 'computer-use'],
  ['mcp', 'mcp'],
];

/** HTTP status of an error type that arrives inside a stream. */
export const errorStatuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};
