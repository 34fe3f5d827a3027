/**
 * The canonical request as a chat-completions body for an upstream.
 */
import type { ChatRequest, ChatTool, Effort, OutputFormat, ReasoningControl } from '../../canonical/chat.ts';
import { underOpenAiRules } from '../../canonical/openai-rules.ts';
import { withPicturesFromUsers } from '../../canonical/own-pictures.ts';
import { flatToolName } from '../../canonical/tool-names.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { writeCacheMark } from '../cache-mark.ts';
import { functionForm } from '../client-tools.ts';
import { asObject, asWord } from '../fields.ts';
import { dropHostedTool, dropWebSearch, lose, loseCacheMarks, loseForeignFields } from '../loss.ts';
import { openAiTier } from '../service-tier.ts';
import { noteStops, takenStops } from '../stop-words.ts';
import { MessageWriter } from './encode-messages.ts';
import { fitReasoningModel, knowsEffort, leastEffort } from './model-rules.ts';

/** Letters; the vendor refuses longer ones in messages. */
const longestCallId = 40;

/** Throws `convert_request_failed` for content that this format has no word for. */
export function encodeRequest(asked: ChatRequest, scope: Scope): Json {
  loseForeignFields(asked, 'openai-chat', scope);
  const isNative = asked.dialect === 'openai-chat';
  const request = isNative
    ? { ...asked, items: withPicturesFromUsers(asked.items) }
    : underOpenAiRules(asked, longestCallId);
  const body: JsonObject = { ...request.extensions['openai-chat'], model: request.model };
  body.messages = new MessageWriter(request, scope).write();
  if (request.stream) {
    body.stream = true;
    if (request.streamUsage) body.stream_options = { include_usage: true };
  }
  encodeTools(body, request, scope);
  set(body, 'max_tokens', request.maxTokens);
  encodeSampling(body, request, scope);
  set(body, 'n', request.n);
  set(body, 'response_format', request.output && encodeOutputFormat(request.output));
  encodeReasoning(body, request, scope);
  set(body, 'verbosity', request.verbosity);
  encodeModalities(body, request);
  encodeWebSearch(body, request, scope);
  set(body, 'metadata', request.metadata);
  if (isNative || scope.traits?.identity === true) {
    set(body, 'user', request.user);
    set(body, 'safety_identifier', request.safetyIdentifier);
  } else lose(scope, { user: request.user, safety_identifier: request.safetyIdentifier });
  if (request.serviceTier !== undefined) body.service_tier = openAiTier(request.serviceTier);
  if (isNative) set(body, 'cache_control', request.cache && writeCacheMark(request.cache));
  else if (scope.traits?.cacheMarks !== true) loseCacheMarks(request, scope);
  else if (request.cache !== undefined) scope.lose('cache_control');
  set(body, 'store', isNative ? request.store : undefined);
  set(body, 'prompt_cache_key', request.promptCacheKey);
  set(body, 'prompt_cache_retention', request.promptCacheRetention);
  for (const field of fitReasoningModel(body, request.model)) scope.lose(field);
  return body;
}

function set(body: JsonObject, name: string, value: Json | undefined): void {
  if (value !== undefined) body[name] = value;
}

function encodeSampling(body: JsonObject, request: ChatRequest, scope: Scope): void {
  const { sampling } = request;
  set(body, 'temperature', sampling.temperature);
  set(body, 'top_p', sampling.topP);
  if (request.dialect === 'openai-chat' || scope.traits?.topK === true) set(body, 'top_k', sampling.topK);
  else lose(scope, { top_k: sampling.topK });
  set(body, 'presence_penalty', sampling.presencePenalty);
  set(body, 'frequency_penalty', sampling.frequencyPenalty);
  set(body, 'seed', sampling.seed);
  set(body, 'logit_bias', sampling.logitBias);
  set(body, 'logprobs', sampling.logprobs);
  set(body, 'top_logprobs', sampling.topLogprobs);
  const asked = request.stop ?? [];
  // The format takes four; the rest would be refused.
  const taken = scope.traits?.ownStops === true ? [...asked] : takenStops(asked, { most: 4 });
  noteStops('stop', { asked, taken }, scope);
  const [only] = taken;
  if (only !== undefined) body.stop = taken.length === 1 ? only : taken;
}

function encodeTools(body: JsonObject, request: ChatRequest, scope: Scope): void {
  const { toolChoice } = request;
  const named = toolChoice?.mode === 'hosted' ? undefined : toolChoice?.names;
  const tools: JsonObject[] = [];
  for (const tool of request.tools) {
    const encoded = encodeTool(tool, request, scope);
    if (encoded !== undefined) tools.push(encoded);
  }
  // Only one name can be forced here; where others are allowed, or none has to be, the rest is not offered at all.
  const forced = toolChoice?.mode === 'required' && named?.length === 1;
  const allowed = named === undefined || forced ? undefined : new Set(named);
  const offered = allowed === undefined ? tools : tools.filter((tool) => allowed.has(nameOfTool(tool)));
  if (offered.length > 0 && request.legacyFunctions === true) {
    body.functions = offered.flatMap((tool) => tool.function ?? []);
    if (toolChoice !== undefined && toolChoice.mode !== 'hosted') {
      const [name] = named ?? [];
      body.function_call = name === undefined ? toolChoice.mode : { name };
    }
    return;
  }
  if (offered.length > 0) body.tools = offered;
  if (toolChoice?.mode === 'hosted') {
    if (toolChoice.dialect === 'openai-chat') body.tool_choice = toolChoice.raw;
    else scope.lose('tool_choice');
  } else if (toolChoice !== undefined && offered.length > 0) {
    const [name] = named ?? [];
    const custom = request.tools.some((tool) => tool.kind === 'custom' && tool.name === name);
    const isForced = name !== undefined && named?.length === 1 && toolChoice.mode === 'required';
    if (!isForced) body.tool_choice = toolChoice.mode;
    else if (custom && request.dialect === 'openai-chat') body.tool_choice = { type: 'custom', custom: { name } };
    else body.tool_choice = { type: 'function', function: { name } };
  }
  if (offered.length > 0) set(body, 'parallel_tool_calls', request.parallelToolCalls);
}

function nameOfTool(tool: JsonObject): string {
  return asWord(asObject(tool.function)?.name) ?? asWord(asObject(tool.custom)?.name) ?? '';
}

function encodeTool(tool: ChatTool, request: ChatRequest, scope: Scope): JsonObject | undefined {
  const isNative = request.dialect === 'openai-chat';
  if (tool.kind === 'hosted') {
    if (tool.dialect === 'openai-chat') return tool.settings;
    dropHostedTool(tool, scope);
    return undefined;
  }
  if (tool.kind === 'custom' && isNative) {
    const custom: JsonObject = { name: flatToolName(tool.name, tool.namespace) };
    set(custom, 'description', tool.description);
    set(custom, 'format', tool.format);
    return { type: 'custom', custom };
  }
  const form = functionForm(tool);
  const spoken: JsonObject = { name: form.name };
  set(spoken, 'description', form.description);
  set(spoken, 'parameters', form.parameters ?? (isNative ? undefined : { type: 'object', properties: {} }));
  set(spoken, 'strict', form.strict);
  const encoded: JsonObject = { type: 'function', function: spoken };
  const keepsMarks = isNative || scope.traits?.cacheMarks === true;
  if (form.cache !== undefined && keepsMarks) encoded.cache_control = writeCacheMark(form.cache);
  return encoded;
}

/** Here sound comes with its words alone, in a voice and a container that must be named. */
function encodeModalities(body: JsonObject, { dialect, modalities, audio }: ChatRequest): void {
  const isNative = dialect === 'openai-chat';
  if (isNative || modalities?.includes('audio') !== true) {
    set(body, 'modalities', modalities && [...modalities]);
    if (isNative) set(body, 'audio', audio && { ...audio });
    return;
  }
  body.modalities = ['text', ...modalities.filter((word) => word !== 'text')];
  // Bare samples are what Gemini answers with, and all that can be streamed.
  body.audio = { voice: audio?.voice ?? 'alloy', format: audio?.format ?? 'pcm16' };
}

function encodeOutputFormat(output: OutputFormat): JsonObject {
  if (output.kind === 'text') return { type: 'text' };
  if (output.kind === 'json-object') return { type: 'json_object' };
  const described: JsonObject = { name: output.name ?? 'output', schema: output.schema };
  set(described, 'description', output.description);
  set(described, 'strict', output.strict);
  return { type: 'json_schema', json_schema: described };
}

/** Budgets become the nearest effort (relay.md 13.3). */
function encodeReasoning(body: JsonObject, request: ChatRequest, scope: Scope): void {
  const { reasoning, dialect } = request;
  if (reasoning === undefined) return;
  if (dialect !== 'openai-chat' && !knowsEffort(request.model)) {
    // Clients of other dialects set reasoning whatever the model; one that cannot reason refuses the field.
    if (reasoning.mode !== 'disabled') scope.lose('reasoning');
    return;
  }
  const effort = effortOf(reasoning, request.model);
  if (effort !== undefined) body.reasoning_effort = effort;
  if (reasoning.budgetTokens !== undefined) scope.lose('reasoning.budget_tokens');
  lose(scope, { 'reasoning.summary': reasoning.summary });
}

/** The effort that a reasoning control comes to; undefined when the client left it to the model. */
export function effortOf(reasoning: ReasoningControl, model: string): Effort | undefined {
  // Claude Code names an effort beside thinking that it switches off.
  if (reasoning.mode === 'disabled' || reasoning.budgetTokens === 0) return leastEffort(model);
  if (reasoning.effort !== undefined) return reasoning.effort;
  if (reasoning.budgetTokens !== undefined && reasoning.budgetTokens > 0) {
    if (reasoning.budgetTokens <= 2048) return 'low';
    return reasoning.budgetTokens <= 8192 ? 'medium' : 'high';
  }
  return reasoning.mode === undefined ? undefined : 'medium';
}

function encodeWebSearch(body: JsonObject, request: ChatRequest, scope: Scope): void {
  const options = request.webSearch;
  if (options === undefined) return;
  if (request.dialect !== 'openai-chat' && scope.traits?.webSearch !== true) {
    dropWebSearch(request, scope);
    return;
  }
  const encoded: JsonObject = {};
  set(encoded, 'search_context_size', options.contextSize);
  if (options.location !== undefined) {
    encoded.user_location = { type: 'approximate', approximate: { ...options.location } };
  }
  lose(scope, {
    'web_search.allowed_domains': options.allowedDomains,
    'web_search.blocked_domains': options.blockedDomains,
    'web_search.max_uses': options.maxUses,
  });
  body.web_search_options = encoded;
}
