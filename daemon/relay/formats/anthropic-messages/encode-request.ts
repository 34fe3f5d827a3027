/**
 * The canonical request as a Messages body for an upstream (relay.md 13.3).
 */
import type { ChatRequest, ChatTool } from '../../canonical/chat.ts';
import { wantsNoThought } from '../../canonical/reasoning.ts';
import { anthropicToolName, offeredNames } from '../../canonical/tool-names.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { writeCacheMark } from '../cache-mark.ts';
import { functionForm } from '../client-tools.ts';
import { asObject, asWord, inexpressible } from '../fields.ts';
import { describedSchema, jsonInstruction } from '../json-instruction.ts';
import { dropHostedTool, dropWebSearch, lose, loseForeignFields, refuseSeveral, unkeptThread } from '../loss.ts';
import { anthropicWish } from '../service-tier.ts';
import { answerSchema } from './answer-schema.ts';
import { encodeConversation, marked } from './encode-turns.ts';
import { hasStructuredOutput, leastTopP, refusesBothSamplers, refusesSampling, thinksUnasked } from './model-rules.ts';
import { goesOnWithoutThought, planThinking, type Thinking, withDisplay } from './thinking.ts';
import { runsOnServers } from './wire.ts';

/** Where neither the client nor an option names a limit (relay.md 6.1). */
const defaultMaxTokens = 8192;

/** Throws `convert_request_failed` for content that this format has no word for. */
export function encodeRequest(request: ChatRequest, scope: Scope): Json {
  const isNative = request.dialect === 'anthropic-messages';
  loseForeignFields(request, 'anthropic-messages', scope);
  refuseChoicesAndSound(request);
  const { system, messages } = encodeConversation(request, scope);
  const plan = planFor(request, messages, scope);
  const body: JsonObject = { ...request.extensions['anthropic-messages'], model: request.model };
  body.max_tokens = plan.maxTokens;
  const schema = schemaFor(request);
  const instructions = [...system, ...(schema === undefined ? formatInstructions(request) : [])];
  if (instructions.length > 0) body.system = instructions;
  body.messages = messages;
  encodeTools(body, request, plan, scope);
  encodeSampling(body, request, plan, scope);
  const stops = (request.stop ?? []).filter((text) => text.trim() !== '');
  if (stops.length > 0) body.stop_sequences = stops;
  if (stops.length < (request.stop?.length ?? 0)) scope.lose('stop');
  if (plan.thinking !== undefined) body.thinking = withDisplay(plan.thinking, request);
  encodeOutputConfig(body, schema, plan);
  if (request.user !== undefined || request.safetyIdentifier !== undefined) {
    if (isNative || scope.traits?.identity === true) {
      body.metadata = { ...asObject(body.metadata), user_id: request.user ?? request.safetyIdentifier ?? '' };
    } else lose(scope, { user: request.user, safety_identifier: request.safetyIdentifier });
  }
  const tier = request.serviceTier === undefined ? undefined : anthropicWish(request.serviceTier);
  if (tier !== undefined) body.service_tier = tier;
  if (request.cache !== undefined) body.cache_control = writeCacheMark(request.cache);
  if (isNative && request.stored?.thread !== undefined) {
    // Hosts that borrow the dialect overlook the word.
    if (scope.traits?.threads !== true) throw unkeptThread();
    body.thread = request.stored.thread;
  }
  if (request.stream) body.stream = true;
  lose(scope, {
    seed: request.sampling.seed,
    presence_penalty: request.sampling.presencePenalty,
    frequency_penalty: request.sampling.frequencyPenalty,
    logit_bias: request.sampling.logitBias,
    logprobs: request.sampling.logprobs,
    top_logprobs: request.sampling.topLogprobs,
    verbosity: request.verbosity,
    metadata: request.metadata,
    store: request.store,
    prompt_cache_key: request.promptCacheKey,
    prompt_cache_retention: request.promptCacheRetention,
    service_tier: tier === undefined ? request.serviceTier : undefined,
    'reasoning.summary': request.reasoning?.summary,
  });
  return body;
}

function planFor(request: ChatRequest, messages: readonly JsonObject[], scope: Scope): Thinking {
  const asked = request.maxTokens ?? scope.traits?.defaultMaxTokens ?? defaultMaxTokens;
  if (forcesUnasked(request)) return unthinking(asked);
  const plan = planThinking(request, asked);
  if (plan.isOn && request.reasoning !== undefined && wantsNoThought(request.reasoning)) scope.lose('reasoning_effort');
  if (plan.thinking?.type !== 'enabled' || !goesOnWithoutThought(messages)) return plan;
  scope.lose('reasoning_effort');
  const { thinking: _, ...unthought } = plan;
  return { ...unthought, isOn: false };
}

/** A tool is forced, which the vendor refuses while the model thinks, and thoughts were not asked for. */
function forcesUnasked({ model, reasoning, toolChoice }: ChatRequest): boolean {
  return reasoning === undefined && toolChoice?.mode === 'required' && thinksUnasked(model);
}

function unthinking(maxTokens: number): Thinking {
  return { thinking: { type: 'disabled' }, maxTokens, isOn: false };
}

function refuseChoicesAndSound(request: ChatRequest): void {
  refuseSeveral(request.n);
  const beyondText = request.modalities?.find((word) => word !== 'text');
  if (beyondText !== undefined) throw inexpressible('modalities', `this model does not answer with ${beyondText}`);
}

/** The schema that the answer can be held to, if any: an Anthropic client has written one that the vendor takes. */
function schemaFor({ dialect, output, model }: ChatRequest): JsonObject | undefined {
  if (output?.kind !== 'json-schema' || !hasStructuredOutput(model)) return undefined;
  return dialect === 'anthropic-messages' ? output.schema : answerSchema(describedSchema(output));
}

/** JSON answers are asked for in words where the model cannot be held to them. */
function formatInstructions({ output }: ChatRequest): JsonObject[] {
  const text = jsonInstruction(output);
  return text === undefined ? [] : [{ type: 'text', text }];
}

function encodeOutputConfig(body: JsonObject, schema: JsonObject | undefined, plan: Thinking): void {
  const config: JsonObject = { ...asObject(body.output_config) };
  if (plan.effort !== undefined) config.effort = plan.effort;
  if (schema !== undefined) config.format = { type: 'json_schema', schema };
  if (Object.keys(config).length > 0) body.output_config = config;
}

function encodeSampling(body: JsonObject, request: ChatRequest, plan: Thinking, scope: Scope): void {
  const { temperature, topP, topK } = request.sampling;
  if (plan.isOn || refusesSampling(request.model)) {
    const keepsTopP = topP !== undefined && topP >= leastTopP(request.model);
    // All of the odds is what happens anyway, and not every host takes it for an answer.
    if (keepsTopP && topP < 1) body.top_p = topP;
    lose(scope, {
      temperature: temperature === 1 ? undefined : temperature,
      top_p: keepsTopP ? undefined : topP,
      top_k: topK,
    });
    return;
  }
  if (temperature !== undefined) body.temperature = Math.min(1, Math.max(0, temperature));
  if (temperature !== undefined && temperature > 1) scope.lose('temperature');
  if (topP !== undefined) {
    if (temperature !== undefined && refusesBothSamplers(request.model)) scope.lose('top_p');
    else body.top_p = topP;
  }
  if (topK !== undefined) body.top_k = topK;
}

function encodeTools(body: JsonObject, request: ChatRequest, plan: Thinking, scope: Scope): void {
  const tools: JsonObject[] = [];
  for (const tool of request.tools) {
    const encoded = encodeTool(tool, request, scope);
    if (encoded !== undefined) tools.push(encoded);
  }
  if (request.webSearch !== undefined && request.dialect !== 'anthropic-messages') {
    if (scope.traits?.withoutServerTools === true) dropWebSearch(request, scope);
    else tools.push(searchTool(request.webSearch));
  }
  if (tools.length === 0) return;
  const { toolChoice } = request;
  const named = toolChoice?.mode === 'hosted' ? undefined : toolChoice?.names;
  const names = named && offeredNames(named, request.tools).map(anthropicToolName);
  // Only one name can be forced here; where others are allowed, or none has to be, the rest is not offered at all.
  const forced = toolChoice?.mode === 'required' && names?.length === 1;
  const allowed = names === undefined || forced ? undefined : new Set<Json | undefined>(names);
  body.tools = allowed === undefined ? tools : tools.filter((tool) => allowed.has(tool.name));
  const choice = encodeToolChoice(request, names, plan, scope);
  if (choice !== undefined) body.tool_choice = choice;
}

function encodeToolChoice(
  request: ChatRequest,
  names: readonly string[] | undefined,
  plan: Thinking,
  scope: Scope,
): JsonObject | undefined {
  const { toolChoice } = request;
  const isSerial = request.parallelToolCalls === false;
  if (toolChoice?.mode === 'none') return { type: 'none' };
  let choice: JsonObject | undefined;
  if (toolChoice?.mode === 'hosted') scope.lose('tool_choice');
  else if (toolChoice?.mode === 'required') {
    const [name] = names ?? [];
    if (plan.isOn) {
      // The vendor refuses a forced tool while thinking.
      scope.lose('tool_choice');
      choice = { type: 'auto' };
    } else choice = name !== undefined && names?.length === 1 ? { type: 'tool', name } : { type: 'any' };
  } else if (toolChoice?.mode === 'auto') choice = { type: 'auto' };
  if (!isSerial) return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true };
}

function encodeTool(tool: ChatTool, request: ChatRequest, scope: Scope): JsonObject | undefined {
  if (tool.kind === 'hosted') {
    if (tool.dialect !== 'anthropic-messages') dropHostedTool(tool, scope);
    else if (scope.traits?.withoutServerTools !== true || !runsOnServers(tool.name)) return tool.settings;
    else scope.lose(`tools.${asWord(tool.settings.name) ?? tool.name}`);
    return undefined;
  }
  const form = functionForm(tool);
  const encoded: JsonObject = { ...form.extensions?.['anthropic-messages'], name: anthropicToolName(form.name) };
  if (form.description !== undefined) encoded.description = form.description;
  // The vendor takes an object schema only.
  encoded.input_schema =
    form.parameters === undefined ? { type: 'object', properties: {} } : { ...form.parameters, type: 'object' };
  if (form.strict === true) {
    if (hasStructuredOutput(request.model)) encoded.strict = true;
    else scope.lose('tools.strict');
  }
  return marked(encoded, form.cache);
}

const searchesBySize = { low: 1, medium: 5, high: 10 } as const;

function searchTool(options: NonNullable<ChatRequest['webSearch']>): JsonObject {
  const tool: JsonObject = {
    type: 'web_search_20250305',
    name: 'web_search',
    max_uses: options.maxUses ?? searchesBySize[options.contextSize ?? 'medium'],
  };
  if (options.allowedDomains !== undefined) tool.allowed_domains = [...options.allowedDomains];
  if (options.blockedDomains !== undefined) tool.blocked_domains = [...options.blockedDomains];
  if (options.location !== undefined) tool.user_location = { type: 'approximate', ...options.location };
  return tool;
}
