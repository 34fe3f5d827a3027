/**
 * What no other dialect can say: reported field by field, or refused where dropping it would change the meaning
 * of the request (relay.md 13.1).
 */
import type { ErrorDetails, TollgateError } from '../../errors.ts';
import type {
  ChatItem,
  ChatRequest,
  ContentPart,
  Dialect,
  DocumentPart,
  ForeignPart,
  HostedItem,
  HostedTool,
} from '../canonical/chat.ts';
import type { Scope } from '../format.ts';
import type { Json, JsonObject } from '../json.ts';
import { asObject, inexpressible } from './fields.ts';

/** Fields that say how an answer is transported or kept and nothing about what it is: dropped without a note. */
const silent: ReadonlySet<string> = new Set([
  'stream_options',
  'obfuscation',
  'include',
  'truncation',
  'max_tool_calls',
  'background',
  'store',
  'service_tier',
]);

/** Fields whose members are lost one by one: the canonical shape has a place for others beside them. */
const groups: ReadonlySet<string> = new Set([
  'generationConfig',
  'metadata',
  'output_config',
  'reasoning',
  'text',
  'toolConfig',
  'functionCallingConfig',
]);

function prefixed(group: string, value: Json | undefined): JsonObject {
  const held = asObject(value);
  if (held === undefined) return { [group]: value ?? null };
  const lost: JsonObject = {};
  for (const [name, member] of Object.entries(held)) {
    const path = `${group}.${name}`;
    if (groups.has(name)) Object.assign(lost, prefixed(path, member));
    else if (member !== null) lost[path] = member ?? null;
  }
  return lost;
}

/** Notes every field that only a dialect other than `target` knows. */
export function loseForeignFields(request: ChatRequest, target: Dialect, scope: Scope): void {
  const { dialect, extensions } = request;
  // Chat alone has words for another vendor than its own.
  if (dialect === 'openai-chat' && target !== 'gemini-generate')
    lose(scope, { 'extra_body.google': extensions['gemini-generate'] });
  if (dialect === target) return;
  const own = extensions[dialect] ?? {};
  for (const field in own) {
    // Who asks for an answer that goes on without them is given one to wait for.
    const isSilent = silent.has(field) && !(field === 'background' && own[field] === true);
    if (isSilent || (dialect === 'openai-chat' && scope.traits?.chatWords?.has(field) === true)) continue;
    if (!groups.has(field)) scope.lose(field);
    else lose(scope, prefixed(field, own[field]));
  }
  for (const tool of request.tools) {
    if ('extensions' in tool) for (const field in tool.extensions?.[dialect]) scope.lose(`tools.${field}`);
    if ('namespaceDescription' in tool) scope.lose('tools.namespace.description');
  }
  loseOfTurns(request, target, scope);
  loseOfThinking(request, scope);
  loseOfSearch(request, scope);
  for (const field in request.stored) refuseKept(field);
}

/** Members of `thinking` that others have words for. */
const saidOfThinking: ReadonlySet<string> = new Set(['type', 'budget_tokens', 'display']);

/** Notes what clients say of thoughts beside how much to think and what to show. */
export function loseOfThinking({ reasoning }: ChatRequest, scope: Scope): void {
  lose(scope, reasoning?.own ?? {});
  if (reasoning?.raw?.dialect !== 'anthropic-messages') return;
  const { value } = reasoning.raw;
  for (const member in value)
    if (!saidOfThinking.has(member)) lose(scope, { [`thinking.${member}`]: value[member] ?? {} });
}

/** Notes what a search is to keep to beside what other dialects can say of one. */
function loseOfSearch({ webSearch }: ChatRequest, scope: Scope): void {
  for (const member in webSearch?.own) lose(scope, { [`web_search.${member}`]: webSearch.own[member] });
}

/** What calls and results are called, with whose members they are noted. */
const turnWords: Readonly<Record<Dialect, { readonly call: string; readonly result: string }>> = {
  'openai-chat': { call: 'tool_calls', result: 'messages' },
  'openai-responses': { call: 'function_call', result: 'function_call_output' },
  'anthropic-messages': { call: 'tool_use', result: 'tool_result' },
  'gemini-generate': { call: 'functionCall', result: 'functionResponse' },
};

/**
 * Notes what turns say beside their words: who called, how a result is to be taken, and what the words rest on. No target:
 * a vendor's own form of chat, which knows none of it.
 */
export function loseOfTurns({ items, dialect }: ChatRequest, target: Dialect | undefined, scope: Scope): void {
  for (const item of items) loseOfTurn(item, { dialect, target }, scope);
}

function loseOfTurn(
  item: ChatItem,
  { dialect, target }: { readonly dialect: Dialect; readonly target: Dialect | undefined },
  scope: Scope,
): void {
  if (item.type === 'tool-call' || item.type === 'tool-result') {
    const word = turnWords[dialect][item.type === 'tool-call' ? 'call' : 'result'];
    for (const member in item.extensions?.[dialect]) scope.lose(`${word}.${member}`);
  }
  // Words at the end of a conversation are gone on with there unasked.
  if (item.type === 'assistant' && target !== 'anthropic-messages')
    for (const member in item.extensions?.[dialect]) scope.lose(`messages.${member}`);
  if (!('parts' in item)) return;
  for (const part of item.parts) {
    if ('extensions' in part) for (const member in part.extensions?.[dialect]) scope.lose(`${part.type}.${member}`);
    if (part.type === 'video' && part.clip !== undefined) scope.lose('video.videoMetadata');
    if (part.type === 'document' && target !== 'openai-responses') lose(scope, { 'document.detail': part.detail });
    if (part.type !== 'text') continue;
    if (part.annotations?.some((source) => target !== 'openai-responses' || source.kind === 'other') === true)
      scope.lose(dialect === 'anthropic-messages' ? 'citations' : 'annotations');
    if (part.raw?.value.type === 'search_result') noteSearchResult(part.raw.value, scope);
  }
}

/** Notes that a result of a search cannot be cited: its words are all there. */
export function noteSearchResult({ citations }: JsonObject, scope: Pick<Scope, 'lose'>): void {
  if (asObject(citations)?.enabled === true) scope.lose('search_result.citations');
}

/** By this code Anthropic's packages know to go on without a thread, and with all of the conversation. */
const threadRefusal: ErrorDetails = { error_code: 'thread_unsupported_request' };

/** Whoever does not keep the conversation would read its last turn alone. */
export function unkeptThread(): TollgateError {
  const reason = 'a thread that an upstream keeps cannot be converted: send the whole conversation without it';
  return inexpressible('thread', reason, threadRefusal);
}

/** What only the upstream that keeps it can look up is given in other words, or not at all. */
function refuseKept(field: string): never {
  if (field === 'background') throw inexpressible(field, 'this model answers while one waits: leave the field out');
  if (field === 'prompt') {
    throw inexpressible(field, 'a prompt that an upstream keeps cannot be converted: send its text as instructions');
  }
  if (field === 'thread') throw unkeptThread();
  throw inexpressible(field, 'state that an upstream keeps cannot be converted: send the earlier items as input');
}

/** Values by which clients ask, field by field, for what happens anyway: nothing is lost with them. */
const idle: Readonly<Record<string, unknown>> = {
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
  top_logprobs: 0,
  parallel_tool_calls: true,
  store: false,
  service_tier: 'auto',
  verbosity: 'medium',
  partial_images: 0,
  'document.detail': 'auto',
  // Whoever thinks shows what can be shown.
  'reasoning.summary': 'auto',
  'web_search.external_web_access': true,
};

/** Notes each of the named members of the request that the client set to something that would have an effect. */
export function lose(scope: Scope, fields: Readonly<Record<string, unknown>>): void {
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined && value !== null && value !== idle[name] && !isEmpty(value)) scope.lose(name);
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Notes what is marked to be cached, wherever the marks stand: parts, calls and results, tools, the whole prompt. */
export function loseCacheMarks({ cache, items, tools }: ChatRequest, scope: Pick<Scope, 'lose'>): void {
  if (cache !== undefined || items.some(isMarked)) scope.lose('cache_control');
  if (tools.some((tool) => tool.kind === 'function' && tool.cache !== undefined)) scope.lose('tools.cache_control');
}

function isMarked(item: ChatItem): boolean {
  if ('cache' in item && item.cache !== undefined) return true;
  return 'parts' in item && item.parts.some((part) => 'cache' in part && part.cache !== undefined);
}

/** Notes the name of a participant, which only chat has a place for. */
export function noteName({ name }: { readonly name?: string }, scope: Pick<Scope, 'lose'>): void {
  if (name !== undefined) scope.lose('messages.name');
}

/** The name under which a member of a message is noted: reasoning by what it is, whatever it is called. */
export function lossOfMember(member: string): string {
  return member === 'reasoning_content' || member === 'thinking_blocks' ? 'reasoning' : `messages.${member}`;
}

/** Notes what accompanies a document and only Anthropic's dialect can say: of files elsewhere, their title too. */
export function noteDocument({ context, citations, source, title }: DocumentPart, scope: Pick<Scope, 'lose'>): void {
  if (context !== undefined) scope.lose('document.context');
  if (citations === true) scope.lose('document.citations');
  if (title !== undefined && (source.kind === 'url' || source.kind === 'file-id')) scope.lose('document.title');
}

/** One answer is all that the target gives: fewer than were asked for would be another request (relay.md 13.1). */
export function refuseSeveral(n: unknown): void {
  if (typeof n === 'number' && n > 1) throw inexpressible('n', 'this model gives one answer at a time');
}

/** Items that may be left out of a conversation without changing it. */
const droppable: ReadonlySet<string> = new Set(['web_search_call', 'compaction']);

/** Leaves out what a hosted tool did; refuses where the conversation would not make sense without it. */
export function dropHostedItem(item: HostedItem, scope: Scope): void {
  if (item.dialect === 'openai-responses' && item.name === 'item_reference') {
    throw inexpressible(
      'input',
      'item_reference names what its own upstream keeps: send the item itself instead, as clients do with "store": false',
    );
  }
  if (item.dialect === 'openai-responses' && !droppable.has(item.name)) {
    throw inexpressible('input', `${item.name} cannot be converted`);
  }
  scope.lose(item.name);
}

const toolRemedy = 'leave the tool out, or set the conversion of your key to warn';

/**
 * Leaves out a hosted tool; the Responses surface promises a refusal instead (REQ-10). Search is no tool here: the
 * request's `webSearch` says it, and `dropWebSearch` is asked where a target cannot.
 */
export function dropHostedTool(tool: HostedTool, scope: Pick<Scope, 'lose' | 'leavesOutTools'>): void {
  if (tool.hosted === 'web-search') return;
  if (tool.dialect === 'openai-responses' && scope.leavesOutTools !== true) {
    throw inexpressible('tools', `${tool.name} is run by its own vendor: ${toolRemedy}`);
  }
  scope.lose(`tools.${tool.name}`);
}

/** Where instructions are text alone: what else stands in them would be missing from what the model reads. */
export function instructionText(part: ContentPart): string {
  if (part.type === 'text' || part.type === 'refusal') return part.text;
  if (part.type === 'foreign') return refusePart(part);
  if (part.type === 'document' && part.source.kind === 'text') return part.source.text;
  throw inexpressible(
    'system',
    `${part.type}: this model takes instructions as text, so put it into a message of the user`,
  );
}

/** A part that only its dialect knows would be missing from what the model reads. */
export function refusePart(part: ForeignPart): never {
  throw inexpressible('content', `${part.name} cannot be converted`);
}

/** The target cannot search the web. */
export function dropWebSearch(request: ChatRequest, scope: Scope): void {
  if (request.webSearch === undefined) return;
  if (request.dialect === 'openai-responses' && scope.leavesOutTools !== true) {
    throw inexpressible('tools', `the chosen model cannot search the web: ${toolRemedy}`);
  }
  scope.lose('web_search');
}
