/**
 * The canonical request as a Responses body for an upstream (relay.md 13.5).
 */
import type { ChatItem, ChatRequest, ChatTool, ContentPart, OutputFormat, ToolChoice } from '../../canonical/chat.ts';
import { underOpenAiRules } from '../../canonical/openai-rules.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, inexpressible, some } from '../fields.ts';
import {
  dropHostedItem,
  dropHostedTool,
  instructionText,
  lose,
  loseCacheMarks,
  loseForeignFields,
  noteDocument,
  noteName,
  refusePart,
  refuseSeveral,
} from '../loss.ts';
import { effortOf } from '../openai-chat/encode-request.ts';
import { isReasoningModel, keepsSampling } from '../openai-chat/model-rules.ts';
import { openAiTier } from '../service-tier.ts';
import { encodeCall, encodeInputParts, encodeOutputParts, encodeReasoning, encodeResult } from './encode-items.ts';
import { leastOutputTokens } from './wire.ts';

/** Letters; the vendor refuses longer ones in the input. */
const longestCallId = 64;

/** Throws `convert_request_failed` for content that this format has no word for. */
export function encodeRequest(asked: ChatRequest, scope: Scope): Json {
  loseForeignFields(asked, 'openai-responses', scope);
  const isNative = asked.dialect === 'openai-responses';
  const request = isNative ? asked : underOpenAiRules(asked, longestCallId);
  refuseSeveral(request.n);
  const beyondText = request.modalities?.find((word) => word !== 'text');
  if (beyondText !== undefined) throw inexpressible('modalities', `this model does not answer with ${beyondText}`);
  const own = { ...request.extensions['openai-responses'], ...vendorFields(request, scope) };
  const body: JsonObject = { ...own, ...request.stored, model: request.model };
  encodeConversation(body, request, scope);
  encodeTools(body, request, scope);
  if (request.maxTokens !== undefined) body.max_output_tokens = Math.max(request.maxTokens, leastOutputTokens);
  set(body, 'temperature', request.sampling.temperature);
  set(body, 'top_p', request.sampling.topP);
  set(body, 'top_logprobs', request.sampling.topLogprobs);
  encodeText(body, request);
  encodeReasoningControl(body, request);
  encodeInclude(body, request, scope);
  set(body, 'metadata', request.metadata);
  if (isNative || scope.traits?.identity === true) {
    set(body, 'user', request.user);
    set(body, 'safety_identifier', request.safetyIdentifier);
  } else lose(scope, { user: request.user, safety_identifier: request.safetyIdentifier });
  set(body, 'prompt_cache_key', request.promptCacheKey);
  set(body, 'prompt_cache_retention', request.promptCacheRetention);
  if (request.serviceTier !== undefined) body.service_tier = openAiTier(request.serviceTier);
  if (request.stream) body.stream = true;
  if (!isNative) body.store = false;
  dropSampling(body, request, scope);
  loseCacheMarks(request, scope);
  lose(scope, {
    store: request.store,
    stop: request.stop,
    seed: request.sampling.seed,
    presence_penalty: request.sampling.presencePenalty,
    frequency_penalty: request.sampling.frequencyPenalty,
    logit_bias: request.sampling.logitBias,
    top_k: request.sampling.topK,
    'reasoning.budget_tokens': request.reasoning?.budgetTokens,
  });
  return body;
}

/** What chat clients say in the vendor's own words. */
function vendorFields({ extensions }: ChatRequest, { traits }: Scope): JsonObject {
  const said = Object.entries(extensions['openai-chat'] ?? {});
  return Object.fromEntries(said.filter(([field]) => traits?.chatWords?.has(field) === true));
}

function set(body: JsonObject, name: string, value: Json | undefined): void {
  if (value !== undefined) body[name] = value;
}

/** Reasoning models refuse sampling knobs, but for those that can be told not to reason. */
function takesSampling({ dialect, model, reasoning }: ChatRequest): boolean {
  return dialect === 'openai-responses' || keepsSampling(model, reasoning && effortOf(reasoning, model));
}

function dropSampling(body: JsonObject, request: ChatRequest, scope: Scope): void {
  if (takesSampling(request)) return;
  for (const field of ['temperature', 'top_p', 'top_logprobs'] as const) {
    const value = body[field];
    if (value === undefined) continue;
    delete body[field];
    if (value !== 1) scope.lose(field);
  }
}

/** System text becomes the instructions; words of this dialect's own messages stay where they were. */
function encodeConversation(body: JsonObject, request: ChatRequest, scope: Scope): void {
  const instructions: string[] = [];
  const input: JsonObject[] = [];
  for (const item of request.items) {
    const isInPlace = request.dialect === 'openai-responses' && item.type === 'system' && item.apart !== true;
    if (item.type === 'system' && !isInPlace) {
      for (const part of item.parts) instructions.push(instructionText(part));
    } else {
      const encoded = encodeItem(item, scope);
      if (encoded !== undefined) input.push(encoded);
    }
  }
  if (instructions.length > 0) body.instructions = instructions.join('\n\n');
  body.input = input;
}

function encodeItem(item: ChatItem, scope: Scope): JsonObject | undefined {
  switch (item.type) {
    case 'system':
      return { type: 'message', role: item.role, content: encodeInputParts(item.parts) };
    case 'user': {
      noteName(item, scope);
      for (const part of item.parts) if (part.type === 'document') noteDocument(part, scope);
      const content = encodeInputParts(item.parts);
      return content.length === 0 ? undefined : { type: 'message', role: 'user', content };
    }
    case 'assistant': {
      noteName(item, scope);
      if (item.parts.some((part) => part.type === 'audio')) scope.lose('assistant.audio');
      const content = encodeSpoken(item.parts);
      if (content.length === 0) return undefined;
      const message: JsonObject = { type: 'message', role: 'assistant', content };
      set(message, 'id', item.id);
      set(message, 'phase', item.phase);
      return message;
    }
    case 'reasoning': {
      if (item.seal?.origin !== 'openai-responses') {
        scope.lose('reasoning');
        return undefined;
      }
      const encoded = encodeReasoning(item, item.seal.data);
      set(encoded, 'id', item.id);
      return encoded;
    }
    case 'tool-call':
      return encodeCall(item);
    case 'tool-result':
      for (const part of item.parts) if (part.type === 'document') noteDocument(part, scope);
      return encodeResult(item);
    case 'hosted':
      if (item.dialect === 'openai-responses') return asObject(item.raw);
      if (item.text !== undefined) {
        return { type: 'message', role: 'assistant', content: encodeOutputParts([{ type: 'text', text: item.text }]) };
      }
      dropHostedItem(item, scope);
      return undefined;
  }
}

/** What the model said: a part that this wire has no word for would be missing from what it reads of itself. */
function encodeSpoken(parts: readonly ContentPart[]): JsonObject[] {
  return parts.flatMap((part) => {
    if (part.type === 'foreign')
      return part.dialect === 'openai-responses' ? some(asObject(part.raw)) : refusePart(part);
    if (part.type === 'document' || part.type === 'video') {
      throw inexpressible('content', `${part.type} cannot be sent to this model`);
    }
    return encodeOutputParts([part]);
  });
}

function encodeTools(body: JsonObject, request: ChatRequest, scope: Scope): void {
  const tools = encodeToolList(request.tools, scope);
  if (request.webSearch !== undefined && request.dialect !== 'openai-responses') {
    const search: JsonObject = { type: 'web_search' };
    set(search, 'search_context_size', request.webSearch.contextSize);
    const { location, allowedDomains, blockedDomains, maxUses } = request.webSearch;
    if (allowedDomains !== undefined) search.filters = { allowed_domains: [...allowedDomains] };
    lose(scope, { 'web_search.blocked_domains': blockedDomains, 'web_search.max_uses': maxUses });
    if (location !== undefined) search.user_location = { type: 'approximate', ...location };
    tools.push(search);
  }
  if (tools.length === 0) return;
  body.tools = tools;
  const choice = encodeToolChoice(request.toolChoice, request.tools, scope);
  set(body, 'tool_choice', choice);
  set(body, 'parallel_tool_calls', request.parallelToolCalls);
}

/** Tools in the flat form of this wire; those of one namespace together. */
export function encodeToolList(tools: readonly ChatTool[], scope: Pick<Scope, 'lose' | 'traits'>): JsonObject[] {
  const list: JsonObject[] = [];
  const groups = new Map<string, JsonObject[]>();
  for (const tool of tools) {
    const encoded = encodeTool(tool, scope);
    if (encoded === undefined) continue;
    const namespace = 'namespace' in tool ? tool.namespace : undefined;
    if (namespace === undefined) {
      list.push(encoded);
      continue;
    }
    const group = groups.get(namespace);
    if (group !== undefined) group.push(encoded);
    else {
      const members = [encoded];
      groups.set(namespace, members);
      const entry: JsonObject = { type: 'namespace', name: namespace };
      set(entry, 'description', 'namespaceDescription' in tool ? tool.namespaceDescription : undefined);
      list.push({ ...entry, tools: members });
    }
  }
  return list;
}

function encodeTool(tool: ChatTool, scope: Pick<Scope, 'lose' | 'traits'>): JsonObject | undefined {
  switch (tool.kind) {
    case 'hosted':
      if (tool.dialect === 'openai-responses' || scope.traits?.chatWords?.has(tool.name) === true) return tool.settings;
      dropHostedTool(tool, scope);
      return undefined;
    case 'function': {
      const encoded: JsonObject = {
        ...tool.extensions?.['openai-responses'],
        type: 'function',
        name: tool.name,
        parameters: tool.parameters ?? { type: 'object', properties: {} },
        // Absent means true on this wire and false on the others.
        strict: tool.strict ?? false,
      };
      set(encoded, 'description', tool.description);
      return encoded;
    }
    case 'custom': {
      const encoded: JsonObject = { ...tool.extensions?.['openai-responses'], type: 'custom', name: tool.name };
      set(encoded, 'description', tool.description);
      if (tool.format !== undefined) encoded.format = flatGrammar(tool.format);
      return encoded;
    }
    default:
      return tool.settings;
  }
}

/** Chat nests the grammar in a member of that name. */
function flatGrammar(format: JsonObject): JsonObject {
  const grammar = asObject(format.grammar);
  return grammar === undefined ? format : { type: 'grammar', ...grammar };
}

/** A word, one tool, or a list of allowed ones; undefined where the client did not choose. */
export function encodeToolChoice(
  choice: ToolChoice | undefined,
  tools: readonly ChatTool[],
  scope: Pick<Scope, 'lose'>,
): Json | undefined {
  if (choice === undefined) return undefined;
  if (choice.mode === 'hosted') {
    if (choice.dialect === 'openai-responses') return choice.raw;
    scope.lose('tool_choice');
    return undefined;
  }
  const custom = new Set(tools.flatMap((tool) => (tool.kind === 'custom' ? tool.name : [])));
  const named = (choice.names ?? []).map((name) => ({ type: custom.has(name) ? 'custom' : 'function', name }));
  const typed: JsonObject[] = [...named, ...(choice.hosted ?? [])];
  if (typed.length === 0) return choice.mode;
  const [only] = named;
  if (only !== undefined && typed.length === 1 && choice.mode === 'required') return only;
  return { type: 'allowed_tools', mode: choice.mode, tools: typed };
}

function encodeText(body: JsonObject, request: ChatRequest): void {
  const text: JsonObject = { ...asObject(body.text) };
  if (request.output !== undefined) text.format = encodeOutputFormat(request.output);
  set(text, 'verbosity', request.verbosity);
  if (Object.keys(text).length > 0) body.text = text;
}

export function encodeOutputFormat(output: OutputFormat): JsonObject {
  if (output.kind === 'text') return { type: 'text' };
  if (output.kind === 'json-object') return { type: 'json_object' };
  const format: JsonObject = { type: 'json_schema', name: output.name ?? 'output', schema: output.schema };
  set(format, 'description', output.description);
  set(format, 'strict', output.strict);
  return format;
}

function encodeReasoningControl(body: JsonObject, request: ChatRequest): void {
  const { reasoning } = request;
  if (reasoning === undefined) return;
  const isNative = request.dialect === 'openai-responses';
  // A model that cannot reason refuses the field, whatever the client's dialect made of it.
  if (!isNative && request.dialect !== 'openai-chat' && !isReasoningModel(request.model)) return;
  const encoded: JsonObject = { ...asObject(body.reasoning) };
  set(encoded, 'effort', effortOf(reasoning, request.model));
  if (reasoning.summary !== undefined) encoded.summary = reasoning.summary;
  else if (!isNative && encoded.effort !== 'none' && reasoning.show !== false) encoded.summary = 'auto';
  if (Object.keys(encoded).length > 0) body.reasoning = encoded;
}

/** Without stored state the encrypted reasoning has to come back with the answer; only reasoning models have any. */
function encodeInclude(body: JsonObject, request: ChatRequest, scope: Scope): void {
  const include = Array.isArray(body.include) ? [...body.include] : [];
  const add = (word: string): void => {
    if (!include.includes(word)) include.push(word);
  };
  if (request.dialect === 'openai-responses') {
    if (request.reasoning?.encrypted === true) add('reasoning.encrypted_content');
  } else if (isReasoningModel(request.model)) add('reasoning.encrypted_content');
  if (request.sampling.logprobs === true) {
    if (takesSampling(request)) add('message.output_text.logprobs');
    else scope.lose('logprobs');
  }
  if (include.length > 0) body.include = include;
}
