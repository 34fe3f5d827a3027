/**
 * A Responses body as the canonical request.
 */
import type { ChatItem, ChatRequest, OutputFormat, ReasoningControl, ToolChoice } from '../../canonical/chat.ts';
import type { Json, JsonObject } from '../../json.ts';
import {
  asFlag,
  asList,
  asNumber,
  asObject,
  asObjects,
  asOneOf,
  asText,
  asWord,
  invalid,
  onlyObjects,
  present,
  remainder,
} from '../fields.ts';
import { efforts } from '../openai-chat/wire.ts';
import { unread, wordRead } from '../unread.ts';
import { decodeInput } from './decode-items.ts';
import { decodeTools, searchOptionsOf, withFoundTools } from './decode-tools.ts';
import { knownFields, knownReasoning, knownText, storedFields } from './wire.ts';

/** Throws `invalid_request` with the field that is missing or of the wrong type. */
export function decodeRequest(body: Json): ChatRequest {
  const fields = asObject(body);
  if (fields === undefined) throw invalid('body', 'must be a JSON object');
  const model = asWord(fields.model);
  if (model === undefined) throw invalid('model', 'is required');
  const stored = decodeStored(fields);
  const input = fields.input;
  if (typeof input !== 'string' && !Array.isArray(input) && stored === undefined) {
    throw invalid('input', 'must be a string or an array');
  }
  const include = asList(fields.include);
  const text = asObject(fields.text);
  const rest = remainder(fields, knownFields);
  const tools = withFoundTools(
    decodeTools([...onlyObjects(fields.tools, 'tools'), ...toolsOfItems(input, 'additional_tools')]),
    decodeTools(toolsOfItems(input, 'tool_search_output')),
  );
  // Chat refuses them where the odds themselves are not asked for, too.
  const alternatives = asNumber(fields.top_logprobs) || undefined;
  const toolChoice = decodeToolChoice(fields.tool_choice);
  Object.assign(
    rest,
    unread(fields, {
      tool_choice: toolChoice,
      parallel_tool_calls: asFlag(fields.parallel_tool_calls),
      temperature: asNumber(fields.temperature),
      top_p: asNumber(fields.top_p),
      top_logprobs: asNumber(fields.top_logprobs),
      metadata: asObject(fields.metadata),
    }),
    unreadGroups(fields),
  );
  return present({
    dialect: 'openai-responses',
    model,
    items: [...decodeInstructions(fields.instructions), ...decodeInput(input)],
    stream: fields.stream === true,
    streamUsage: true,
    tools,
    toolChoice,
    parallelToolCalls: asFlag(fields.parallel_tool_calls),
    maxTokens: asNumber(fields.max_output_tokens),
    sampling: present({
      temperature: asNumber(fields.temperature),
      topP: asNumber(fields.top_p),
      logprobs: include.includes('message.output_text.logprobs') || alternatives !== undefined ? true : undefined,
      topLogprobs: alternatives,
    }),
    output: decodeOutputFormat(asObject(text?.format)),
    reasoning: decodeReasoning(asObject(fields.reasoning), include),
    verbosity: asWord(text?.verbosity),
    webSearch: searchOptionsOf(tools),
    metadata: asObject(fields.metadata),
    user: asWord(fields.user),
    safetyIdentifier: asWord(fields.safety_identifier),
    serviceTier: asWord(fields.service_tier),
    promptCacheKey: asWord(fields.prompt_cache_key),
    promptCacheRetention: asWord(fields.prompt_cache_retention),
    stored,
    extensions: Object.keys(rest).length > 0 ? { 'openai-responses': rest } : {},
  });
}

/** Members of `text` and `reasoning` of which nothing is read; the whole of what is no object. */
function unreadGroups({ text, reasoning }: JsonObject): JsonObject {
  const [spoken, thought] = [asObject(text), asObject(reasoning)];
  const rest = unread(present({ text, reasoning }), { text: spoken, reasoning: thought });
  const ofText = {
    ...remainder(spoken ?? {}, knownText),
    ...unread(spoken ?? {}, {
      format: decodeOutputFormat(asObject(spoken?.format)),
      verbosity: asWord(spoken?.verbosity),
    }),
  };
  const ofThought = {
    ...remainder(thought ?? {}, knownReasoning),
    ...unread(thought ?? {}, {
      effort: wordRead(thought?.effort, efforts),
      summary: wordRead(thought?.summary, summaries),
    }),
  };
  if (Object.keys(ofText).length > 0) rest.text = ofText;
  if (Object.keys(ofThought).length > 0) rest.reasoning = ofThought;
  return rest;
}

function toolsOfItems(input: Json | undefined, type: string): JsonObject[] {
  return asObjects(input).flatMap((item) => (item.type === type ? asObjects(item.tools) : []));
}

/** What the upstream would have to remember, by wire name. */
function decodeStored(fields: JsonObject): JsonObject | undefined {
  const stored: JsonObject = {};
  for (const name of storedFields) {
    const value = fields[name];
    if (value !== undefined && value !== null) stored[name] = value;
  }
  if (fields.background === true) stored.background = true;
  return Object.keys(stored).length === 0 ? undefined : stored;
}

/** A string; some clients send items. */
function decodeInstructions(value: Json | undefined): ChatItem[] {
  const text = asWord(value);
  if (text !== undefined) {
    return [{ type: 'system', role: 'system', parts: [{ type: 'text', text }], apart: true }];
  }
  return Array.isArray(value) ? decodeInput(value) : [];
}

function decodeToolChoice(value: Json | undefined): ToolChoice | undefined {
  if (value === 'auto' || value === 'none' || value === 'required') return { mode: value };
  const choice = asObject(value);
  if (choice === undefined) return undefined;
  if (choice.type === 'allowed_tools') {
    const tools = asObjects(choice.tools);
    const names = tools.flatMap((tool) => (isHosted(tool) ? [] : (asWord(tool.name) ?? [])));
    const hosted = tools.filter(isHosted);
    const mode = choice.mode === 'required' ? 'required' : 'auto';
    return present({ mode, names, hosted: hosted.length > 0 ? hosted : undefined });
  }
  const name = asWord(choice.name);
  if ((choice.type === 'function' || choice.type === 'custom') && name !== undefined) {
    return { mode: 'required', names: [name] };
  }
  return { mode: 'hosted', dialect: 'openai-responses', raw: choice };
}

/** What a choice refers to is no function and no custom tool. */
function isHosted({ type }: JsonObject): boolean {
  return asWord(type) !== undefined && type !== 'function' && type !== 'custom';
}

function decodeOutputFormat(format: JsonObject | undefined): OutputFormat | undefined {
  if (format?.type === 'text') return { kind: 'text' };
  if (format?.type === 'json_object') return { kind: 'json-object' };
  if (format?.type !== 'json_schema') return undefined;
  return present({
    kind: 'json-schema',
    schema: asObject(format.schema) ?? {},
    name: asWord(format.name),
    description: asText(format.description),
    strict: asFlag(format.strict),
  });
}

const summaries = ['auto', 'concise', 'detailed'] as const;

function decodeReasoning(reasoning: JsonObject | undefined, include: readonly Json[]): ReasoningControl | undefined {
  const control: ReasoningControl = present({
    effort: asOneOf(reasoning?.effort, efforts),
    summary: asOneOf(reasoning?.summary, summaries),
    encrypted: include.includes('reasoning.encrypted_content') ? true : undefined,
  });
  return Object.keys(control).length === 0 ? undefined : control;
}
