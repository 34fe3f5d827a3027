/**
 * Words of the OpenAI Responses wire. Source: OpenAI's published API schema and SDK types, read 2026-08.
 */
import type { HostedToolKind, ToolCallKind } from '../../canonical/chat.ts';
import type { JsonObject } from '../../json.ts';

/** Top-level request fields that the canonical shape has a place for. */
export const knownFields: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'text',
  'reasoning',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'service_tier',
  'previous_response_id',
  'conversation',
  'prompt',
  'background',
]);

/** Members of `text` and of `reasoning` likewise. */
export const knownText: ReadonlySet<string> = new Set(['format', 'verbosity']);
export const knownReasoning: ReadonlySet<string> = new Set(['effort', 'summary']);

/** Fields that refer to what the upstream keeps. */
export const storedFields = ['previous_response_id', 'conversation', 'prompt'] as const;

/** Calls that the client runs, by item type; results are the type with `_output` behind it. */
export const callKinds: Readonly<Record<string, ToolCallKind>> = {
  function_call: 'function',
  custom_tool_call: 'custom',
  local_shell_call: 'local-shell',
  shell_call: 'shell',
  apply_patch_call: 'apply-patch',
  tool_search_call: 'tool-search',
};

export const callTypes: Readonly<Record<ToolCallKind, string>> = {
  function: 'function_call',
  custom: 'custom_tool_call',
  'local-shell': 'local_shell_call',
  shell: 'shell_call',
  'apply-patch': 'apply_patch_call',
  'tool-search': 'tool_search_call',
};

/** `tool_search_output` alone leaves out `call`. */
export const resultKinds: Readonly<Record<string, ToolCallKind>> = {
  function_call_output: 'function',
  custom_tool_call_output: 'custom',
  local_shell_call_output: 'local-shell',
  shell_call_output: 'shell',
  apply_patch_call_output: 'apply-patch',
  tool_search_output: 'tool-search',
};

export const resultTypes: Readonly<Record<ToolCallKind, string>> = {
  function: 'function_call_output',
  custom: 'custom_tool_call_output',
  'local-shell': 'local_shell_call_output',
  shell: 'shell_call_output',
  'apply-patch': 'apply_patch_call_output',
  'tool-search': 'tool_search_output',
};

/** Where a call of each kind keeps what is asked of the tool. */
export const inputMembers: Readonly<Record<ToolCallKind, 'arguments' | 'input' | 'action' | 'operation'>> = {
  function: 'arguments',
  custom: 'input',
  'local-shell': 'action',
  shell: 'action',
  'apply-patch': 'operation',
  'tool-search': 'arguments',
};

export const clientTools: Readonly<Record<string, 'local-shell' | 'shell' | 'apply-patch' | 'tool-search'>> = {
  local_shell: 'local-shell',
  shell: 'shell',
  apply_patch: 'apply-patch',
  tool_search: 'tool-search',
};

/** What a hosted tool does, by the beginning of its type. */
export const hostedKinds: readonly (readonly [string, HostedToolKind])[] = [
  ['web_search', 'web-search'],
  ['file_search', 'file-search'],
  ['code_interpreter', 'code-execution'],
  ['image_generation', 'image-generation'],
  ['computer', 'computer-use'],
  ['mcp', 'mcp'],
];

/** Prefixes of item ids. */
export const itemPrefixes: Readonly<Record<ToolCallKind, string>> = {
  function: 'fc_',
  custom: 'ctc_',
  'local-shell': 'lsh_',
  shell: 'sh_',
  'apply-patch': 'apc_',
  'tool-search': 'tsc_',
};

/** Smallest `max_output_tokens` that the vendor takes. */
export const leastOutputTokens = 16;

/** A text that only OpenAI opens: version and time in front, in base64. */
const SEALED = /^gAAAA[\w-]{40,}={0,2}$/;

/**
 * What such a part says to another agent of the client, in plain words; undefined where they are sealed: OpenAI's models
 * seal them, those of others, asked for the same, do not.
 */
export function wordsToAgent({ type, encrypted_content: words }: JsonObject): string | undefined {
  return type === 'encrypted_content' && typeof words === 'string' && !SEALED.test(words) ? words : undefined;
}
