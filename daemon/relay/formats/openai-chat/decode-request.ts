/**
 * A chat-completions body as the canonical request.
 */
import type { ChatRequest, ReasoningControl, Sampling, WebSearchOptions } from '../../canonical/chat.ts';
import type { Json, JsonObject } from '../../json.ts';
import { readCacheMark } from '../cache-mark.ts';
import { asFlag, asNumber, asObject, asOneOf, asTexts, asWord, invalid, present, remainder } from '../fields.ts';
import { decodeRequest as decodeResponsesRequest } from '../openai-responses/decode-request.ts';
import { unread, wordRead } from '../unread.ts';
import { decodePlace } from '../web-search.ts';
import { decodeMessages } from './decode-messages.ts';
import { decodeOutputFormat, decodeParallelCalls, decodeToolChoice, decodeTools } from './decode-tools.ts';
import { efforts, knownFields, largestMaxTokens } from './wire.ts';

/** Throws `invalid_request` with the field that is missing or of the wrong type. */
export function decodeRequest(body: Json): ChatRequest {
  const fields = asObject(body);
  if (fields === undefined) throw invalid('body', 'must be a JSON object');
  const model = asWord(fields.model);
  if (model === undefined) throw invalid('model', 'is required');
  if (isResponsesShape(fields)) return decodeResponsesShape(fields);
  const messages = fields.messages;
  if (!Array.isArray(messages) || messages.length === 0) throw invalid('messages', 'must be a non-empty array');
  const legacyFunctions = fields.functions !== undefined && fields.tools === undefined ? true : undefined;
  const rest = remainder(fields, knownFields);
  const google = asObject(asObject(fields.extra_body)?.google) ?? asObject(asObject(fields.extra_content)?.google);
  if (google !== undefined) for (const member of ['extra_body', 'extra_content']) removeGoogle(rest, member);
  const known = decodeKnobs(fields);
  Object.assign(rest, unread(fields, readOf(fields, known)));
  return present({
    dialect: 'openai-chat',
    model,
    items: decodeMessages(messages),
    stream: fields.stream === true,
    streamUsage: asObject(fields.stream_options)?.include_usage === true,
    tools: decodeTools(fields.tools ?? fields.functions),
    legacyFunctions,
    toolChoice: known.toolChoice,
    parallelToolCalls: known.parallelToolCalls,
    maxTokens: decodeMaxTokens(fields),
    sampling: known.sampling,
    stop: known.stop,
    n: decodeChoiceCount(fields.n),
    output: known.output,
    reasoning: decodeReasoning(fields),
    verbosity: known.verbosity,
    modalities: known.modalities,
    audio: known.audio,
    webSearch: known.webSearch,
    metadata: known.metadata,
    user: asWord(fields.user),
    safetyIdentifier: asWord(fields.safety_identifier),
    serviceTier: asWord(fields.service_tier),
    store: asFlag(fields.store),
    promptCacheKey: asWord(fields.prompt_cache_key),
    promptCacheRetention: asWord(fields.prompt_cache_retention),
    cache: known.cache,
    extensions: {
      ...(Object.keys(rest).length > 0 ? { 'openai-chat': rest } : {}),
      ...(google === undefined ? {} : { 'gemini-generate': google }),
    },
  });
}

/** Fields that are read tolerantly: what is not understood of them is found by `readOf`. */
function decodeKnobs(fields: JsonObject) {
  return {
    toolChoice: decodeToolChoice(fields.tool_choice ?? fields.function_call),
    parallelToolCalls: decodeParallelCalls(fields),
    sampling: decodeSampling(fields),
    stop: decodeStop(fields.stop),
    output: decodeOutputFormat(fields.response_format),
    verbosity: asWord(fields.verbosity),
    modalities: Array.isArray(fields.modalities)
      ? asTexts(fields.modalities).map((word) => word.toLowerCase())
      : undefined,
    audio: decodeAudio(asObject(fields.audio)),
    webSearch: decodeWebSearch(asObject(fields.web_search_options)),
    metadata: asObject(fields.metadata),
    cache: readCacheMark(fields.cache_control),
  };
}

/** What was made of each such field, by its wire name. */
function readOf(fields: JsonObject, known: ReturnType<typeof decodeKnobs>): Record<string, unknown> {
  const { sampling } = known;
  const reasoning = asObject(fields.reasoning);
  const thinking = asObject(fields.thinking);
  return {
    tool_choice: known.toolChoice,
    function_call: known.toolChoice,
    parallel_tool_calls: known.parallelToolCalls,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: sampling.seed,
    logit_bias: sampling.logitBias,
    logprobs: sampling.logprobs,
    top_logprobs: sampling.topLogprobs,
    stop: known.stop,
    response_format: known.output,
    verbosity: known.verbosity,
    modalities: known.modalities,
    audio: known.audio,
    web_search_options: known.webSearch,
    metadata: known.metadata,
    cache_control: known.cache,
    reasoning_effort: wordRead(fields.reasoning_effort, efforts),
    reasoning: reasoning && wordRead(reasoning.effort, efforts),
    thinking: thinking && wordRead(thinking.type, thinkingModes),
    enable_thinking: asFlag(fields.enable_thinking),
    thinking_budget: asNumber(fields.thinking_budget),
  };
}

/** What else a library put there stays. */
function removeGoogle(rest: JsonObject, member: string): void {
  const { google: _, ...others } = asObject(rest[member]) ?? {};
  if (Object.keys(others).length === 0) delete rest[member];
  else rest[member] = others;
}

/** A Responses body that was sent to the chat endpoint: some clients do (relay.md 5.2). */
export function isResponsesShape(fields: JsonObject): boolean {
  return fields.messages === undefined && fields.input !== undefined;
}

/** The request of such a body, to be answered as a chat. State that only Responses keeps is refused. */
function decodeResponsesShape(fields: JsonObject): ChatRequest {
  const { stored, ...request } = decodeResponsesRequest(fields);
  const [field] = Object.keys(stored ?? {});
  if (field !== undefined) throw invalid(field, 'belongs to /v1/responses');
  const wantsUsage = asObject(fields.stream_options)?.include_usage === true;
  return { ...request, dialect: 'openai-chat', streamUsage: wantsUsage };
}

/** `max_completion_tokens`, else `max_tokens`; 0 counts as absent. */
function decodeMaxTokens(fields: JsonObject): number | undefined {
  for (const name of ['max_completion_tokens', 'max_tokens'] as const) {
    const value = fields[name];
    if (value === undefined || value === null || value === 0) continue;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > largestMaxTokens) {
      throw invalid(name, `must be an integer from 1 to ${largestMaxTokens}`);
    }
    return value;
  }
  return undefined;
}

function decodeChoiceCount(value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > 128) {
    throw invalid('n', 'must be an integer from 1 to 128');
  }
  return value;
}

function decodeSampling(fields: JsonObject): Sampling {
  return present({
    temperature: asNumber(fields.temperature),
    topP: asNumber(fields.top_p),
    topK: asNumber(fields.top_k),
    presencePenalty: asNumber(fields.presence_penalty),
    frequencyPenalty: asNumber(fields.frequency_penalty),
    seed: asNumber(fields.seed),
    logitBias: asObject(fields.logit_bias),
    logprobs: asFlag(fields.logprobs),
    topLogprobs: asNumber(fields.top_logprobs),
  });
}

function decodeStop(value: Json | undefined): readonly string[] | undefined {
  const stop = asTexts(value);
  return stop.length === 0 ? undefined : stop;
}

const thinkingModes = ['enabled', 'adaptive', 'disabled'] as const;

/** OpenAI's `reasoning_effort`, OpenRouter's `reasoning`, Anthropic's `thinking` and Qwen's `enable_thinking`. */
function decodeReasoning(fields: JsonObject): ReasoningControl | undefined {
  const reasoning = asObject(fields.reasoning);
  const thinking = asObject(fields.thinking);
  const wanted = asFlag(reasoning?.enabled) ?? asFlag(fields.enable_thinking);
  const control: ReasoningControl = present({
    mode:
      asOneOf(thinking?.type, thinkingModes) ?? (wanted === undefined ? undefined : wanted ? 'enabled' : 'disabled'),
    effort: asOneOf(fields.reasoning_effort, efforts) ?? asOneOf(reasoning?.effort, efforts),
    budgetTokens:
      asNumber(reasoning?.max_tokens) ?? asNumber(thinking?.budget_tokens) ?? asNumber(fields.thinking_budget),
    summary: asOneOf(reasoning?.summary, ['auto', 'concise', 'detailed']),
    show: reasoning?.exclude === true || thinking?.display === 'omitted' ? false : undefined,
    own: ownOf({ thinking, reasoning }),
  });
  return Object.keys(control).length === 0 ? undefined : control;
}

/** What the words for thinking have members for here. */
const readOfThinking: Readonly<Record<'thinking' | 'reasoning', ReadonlySet<string>>> = {
  thinking: new Set(['type', 'budget_tokens', 'display']),
  reasoning: new Set(['effort', 'enabled', 'max_tokens', 'summary', 'exclude']),
};

/** Their other members, which single vendors know (`clear_thinking` of Zhipu, `keep` of Kimi); undefined for none. */
function ownOf(said: Readonly<Record<'thinking' | 'reasoning', JsonObject | undefined>>): JsonObject | undefined {
  let own: JsonObject | undefined;
  for (const field of ['thinking', 'reasoning'] as const) {
    for (const [member, value] of Object.entries(said[field] ?? {})) {
      if (!readOfThinking[field].has(member)) own = { ...own, [`${field}.${member}`]: value };
    }
  }
  return own;
}

function decodeAudio(audio: JsonObject | undefined): ChatRequest['audio'] {
  return audio === undefined ? undefined : present({ voice: audio.voice, format: asWord(audio.format) });
}

function decodeWebSearch(options: JsonObject | undefined): WebSearchOptions | undefined {
  if (options === undefined) return undefined;
  const location = asObject(options.user_location);
  return present({
    contextSize: asOneOf(options.search_context_size, ['low', 'medium', 'high']),
    location: decodePlace(location?.approximate ?? location),
  });
}
