/**
 * The canonical request as a generateContent body for an upstream (relay.md 13.4). Model and streaming stand in the
 * path, which the provider writes.
 */
import type { ChatRequest, FunctionTool, WebSearchOptions } from '../../canonical/chat.ts';
import { geminiToolName, offeredNames } from '../../canonical/tool-names.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { functionForm } from '../client-tools.ts';
import { asObject, asObjects, inexpressible } from '../fields.ts';
import { describedSchema, jsonInstruction } from '../json-instruction.ts';
import { dropHostedTool, dropWebSearch, lose, loseCacheMarks, loseForeignFields } from '../loss.ts';
import { ContentWriter, encodeSystem } from './encode-contents.ts';
import { refusesBesideFunctions, refusesInstructions, refusesTemperature } from './model-rules.ts';
import { encodeSafety } from './safety.ts';
import { asOneObject, cleanSchema, InliningRoom } from './schema.ts';
import { encodeThinking, geminiVersion, losesThinking } from './thinking.ts';
import { builtInTools, camelKeys } from './wire.ts';

const mostChoices = 8;
const mostStops = 5;

/** Throws `convert_request_failed` for content that this format has no word for. */
export function encodeRequest(request: ChatRequest, scope: Scope): Json {
  loseForeignFields(request, 'gemini-generate', scope);
  const own = camelKeys(request.extensions['gemini-generate']);
  const { generationConfig, thinkingConfig, imageConfig, ...rest } = own;
  const body: JsonObject = { ...rest };
  set(body, 'cachedContent', request.dialect === 'gemini-generate' ? request.stored?.cachedContent : own.cachedContent);
  const contents = new ContentWriter(request, scope).write();
  const instructions = [...encodeSystem(request), ...formatInstructions(request)];
  if (instructions.length > 0 && refusesInstructions(request.model)) {
    contents[0] = { ...contents[0], parts: [...instructions, ...asObjects(contents[0]?.parts)] };
  } else if (instructions.length > 0) body.systemInstruction = { parts: instructions };
  body.contents = contents;
  encodeTools(body, request, scope);
  const config: JsonObject = { ...asObject(generationConfig) };
  encodeConfig(config, request, scope);
  if (imageConfig !== undefined) config.imageConfig = camelKeys(imageConfig);
  if (thinkingConfig !== undefined) config.thinkingConfig = camelKeys(thinkingConfig);
  if (Object.keys(config).length > 0) body.generationConfig = config;
  if (body.safetySettings === undefined) set(body, 'safetySettings', encodeSafety(scope.traits?.safetySettings));
  loseCacheMarks(request, scope);
  lose(scope, {
    logit_bias: request.sampling.logitBias,
    parallel_tool_calls: request.parallelToolCalls,
    user: request.user,
    safety_identifier: request.safetyIdentifier,
    metadata: request.metadata,
    store: request.store,
    service_tier: request.serviceTier,
    prompt_cache_key: request.promptCacheKey,
    prompt_cache_retention: request.promptCacheRetention,
    verbosity: request.verbosity,
    'reasoning.summary': request.reasoning?.summary,
  });
  return body;
}

/** JSON is asked for in words where the model refuses the format for the functions beside it. */
function formatInstructions(request: ChatRequest): JsonObject[] {
  const text = asksInWords(request) ? jsonInstruction(request.output) : undefined;
  return text === undefined ? [] : [{ text }];
}

function asksInWords({ model, tools }: ChatRequest): boolean {
  return refusesBesideFunctions(model) && tools.some((tool) => tool.kind !== 'hosted');
}

function set(body: JsonObject, name: string, value: Json | undefined): void {
  if (value !== undefined) body[name] = value;
}

function encodeConfig(config: JsonObject, request: ChatRequest, scope: Scope): void {
  const { sampling, stop = [] } = request;
  if (refusesTemperature(request.model)) lose(scope, { temperature: sampling.temperature });
  else set(config, 'temperature', sampling.temperature);
  if ((sampling.topP ?? 1) <= 1 && (sampling.topP ?? 0) >= 0) set(config, 'topP', sampling.topP);
  else scope.lose('top_p');
  set(config, 'topK', sampling.topK);
  // 32 bits wide here; any other is refused.
  if (((sampling.seed ?? 0) | 0) === (sampling.seed ?? 0)) set(config, 'seed', sampling.seed);
  else scope.lose('seed');
  set(config, 'presencePenalty', belowTwo(sampling.presencePenalty));
  set(config, 'frequencyPenalty', belowTwo(sampling.frequencyPenalty));
  set(config, 'responseLogprobs', sampling.logprobs);
  set(config, 'logprobs', sampling.topLogprobs);
  set(config, 'maxOutputTokens', request.maxTokens);
  if ((request.n ?? 1) > mostChoices) throw inexpressible('n', `this model gives at most ${mostChoices} answers`);
  if (request.stream && (request.n ?? 1) > 1) throw inexpressible('n', 'this model streams one answer at a time');
  set(config, 'candidateCount', request.n);
  if (stop.length > mostStops) scope.lose(`stop[${mostStops}..]`);
  if (stop.length > 0) config.stopSequences = stop.slice(0, mostStops);
  encodeFormat(config, request, scope);
  const thinking = encodeThinking(request);
  set(config, 'thinkingConfig', thinking);
  if (losesThinking(request, thinking)) scope.lose('reasoning_effort');
  encodeModalities(config, request, scope);
}

/** The end of the range is refused here, which OpenAI's dialect takes. */
function belowTwo(penalty: number | undefined): number | undefined {
  return penalty === undefined ? undefined : Math.min(penalty, 1.99);
}

/** Keywords outside the vendor's part of the schema language go whole to the models that can read them. */
function encodeFormat(config: JsonObject, request: ChatRequest, scope: Scope): void {
  const { output } = request;
  if (output === undefined || output.kind === 'text' || asksInWords(request)) return;
  config.responseMimeType ??= 'application/json';
  if (output.kind !== 'json-schema') return;
  const whole = describedSchema(output);
  const { schema, dropped } = cleanSchema(whole);
  if (dropped.size > 0 && readsJsonSchema(request.model)) {
    config.responseJsonSchema = whole;
    return;
  }
  config.responseSchema = schema;
  for (const keyword of constraintsAmong(dropped)) scope.lose(`response_format.${keyword}`);
}

/** That there is nothing beyond the named properties is how this vendor reads a schema anyway. */
function constraintsAmong(dropped: ReadonlySet<string>): string[] {
  return [...dropped].filter((keyword) => keyword !== 'additionalProperties');
}

/** Newer models take a schema in the language of everybody else. */
function readsJsonSchema(model: string): boolean {
  return (geminiVersion(model) ?? 0) >= 2.5;
}

function encodeModalities(config: JsonObject, request: ChatRequest, scope: Scope): void {
  const { modalities, audio } = request;
  if (modalities !== undefined) config.responseModalities = modalities.map((word) => word.toUpperCase());
  else if (scope.traits?.imageOutput === true) config.responseModalities = ['TEXT', 'IMAGE'];
  // Its sound is bare samples, which fit into one file.
  if (audio?.format !== undefined && audio.format !== 'wav' && audio.format !== 'pcm16') scope.lose('audio.format');
  if (typeof audio?.voice === 'string') {
    config.speechConfig = { voiceConfig: { prebuiltVoiceConfig: { voiceName: audio.voice } } };
  }
}

function encodeTools(body: JsonObject, request: ChatRequest, scope: Scope): void {
  const { toolChoice } = request;
  // The wire narrows a choice only where it forces one.
  const allowed = toolChoice?.mode === 'auto' && request.dialect !== 'gemini-generate' ? toolChoice.names : undefined;
  const allowedNames = allowed && new Set(offeredNames(allowed, request.tools));
  const declarations: JsonObject[] = [];
  const entries: JsonObject[] = [];
  const builtIns: string[] = [];
  const room = new InliningRoom();
  for (const tool of request.tools) {
    if (tool.kind === 'hosted') {
      if (tool.dialect === 'gemini-generate') entries.push(tool.settings);
      else dropHostedTool(tool, scope);
      continue;
    }
    const form = functionForm(tool);
    if (allowedNames?.has(form.name) === false) continue;
    if (request.dialect === 'openai-chat' && builtInTools.has(form.name)) builtIns.push(form.name);
    else declarations.push(encodeFunction(form, { model: request.model, scope, room }));
  }
  // Functions stay where a model refuses both: calls of theirs may stand in the conversation, and the client waits for them.
  const refusesBoth = declarations.length > 0 && refusesBesideFunctions(request.model);
  for (const name of builtIns) {
    if (refusesBoth) scope.lose(`tools.${name}`);
    else entries.push({ [name]: {} });
  }
  if (request.webSearch !== undefined && request.dialect !== 'gemini-generate') {
    if (refusesBoth) dropWebSearch(request, scope);
    else entries.push(searchTool(request.webSearch, scope));
  }
  if (declarations.length > 0) {
    if (entries.length > 0 && scope.traits?.showsToolRuns === true)
      body.toolConfig = { ...asObject(body.toolConfig), ...showsToolRuns };
    entries.unshift({ functionDeclarations: declarations });
    encodeToolChoice(body, request, { builtIns, scope });
  }
  if (entries.length > 0) body.tools = entries;
}

/** Without this word Google's own API refuses built-in tools beside functions. Source: tool-combination, read 2026-11. */
const showsToolRuns = { includeServerSideToolInvocations: true };

function searchTool(options: WebSearchOptions, scope: Scope): JsonObject {
  lose(scope, {
    'web_search.context_size': options.contextSize,
    'web_search.user_location': options.location,
    'web_search.allowed_domains': options.allowedDomains,
    'web_search.blocked_domains': options.blockedDomains,
    'web_search.max_uses': options.maxUses,
  });
  return { googleSearch: {} };
}

interface FunctionPlace {
  readonly model: string;
  readonly scope: Scope;
  readonly room: InliningRoom;
}

function encodeFunction(form: FunctionTool, { model, scope, room }: FunctionPlace): JsonObject {
  const declaration: JsonObject = { ...form.extensions?.['gemini-generate'], name: geminiToolName(form.name) };
  set(declaration, 'description', form.description);
  if (form.strict === true) scope.lose('tools.strict');
  if (form.parameters === undefined) return declaration;
  const { schema, dropped } = cleanSchema(form.parameters, room);
  const missed = constraintsAmong(dropped);
  if (missed.length > 0 && readsJsonSchema(model) && isOfProperties(form.parameters)) {
    declaration.parametersJsonSchema = form.parameters;
    return declaration;
  }
  for (const keyword of missed) scope.lose(`tools.parameters.${keyword}`);
  const parameters = asOneObject(schema);
  if (parameters !== schema) scope.lose('tools.parameters.anyOf');
  // The vendor refuses an object schema without properties.
  const properties = asObject(parameters.properties);
  if (properties !== undefined && Object.keys(properties).length > 0) declaration.parameters = parameters;
  return declaration;
}

/** An object by its own words: in both of its languages the vendor takes nothing else for the arguments of a function. */
function isOfProperties({ type, properties }: JsonObject): boolean {
  return type === 'object' && Object.keys(asObject(properties) ?? {}).length > 0;
}

const modes = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const;

function encodeToolChoice(
  body: JsonObject,
  { toolChoice, tools }: ChatRequest,
  { builtIns, scope }: { builtIns: readonly string[]; scope: Scope },
): void {
  if (toolChoice === undefined) return;
  // None can be forced but functions.
  const runs = new Set(builtIns);
  const named = 'names' in toolChoice ? toolChoice.names : undefined;
  const names = named && offeredNames(named, tools).filter((name) => !runs.has(name));
  if (toolChoice.mode === 'hosted' || (toolChoice.mode === 'required' && names?.length === 0)) {
    scope.lose('tool_choice');
    return;
  }
  const toolConfig = asObject(body.toolConfig) ?? {};
  // Beside built-in tools the choice is free under another name.
  const isBesideRuns = toolConfig.includeServerSideToolInvocations === true;
  const mode = toolChoice.mode === 'auto' && isBesideRuns ? 'VALIDATED' : modes[toolChoice.mode];
  const config: JsonObject = { mode };
  if (names !== undefined && toolChoice.mode === 'required') config.allowedFunctionNames = names.map(geminiToolName);
  body.toolConfig = {
    ...toolConfig,
    functionCallingConfig: { ...asObject(toolConfig.functionCallingConfig), ...config },
  };
}
