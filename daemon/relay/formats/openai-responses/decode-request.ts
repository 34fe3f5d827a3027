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
import { decodeInput } from './decode-items.ts';
import { decodeTools, searchOptionsOf, withFoundTools } from './decode-tools.ts';
import { knownFields, storedFields } from './wire.ts';

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
  return present({
    dialect: 'openai-responses',
    model,
    items: [...decodeInstructions(fields.instructions), ...decodeInput(input)],
    stream: fields.stream === true,
    streamUsage: true,
    tools,
    toolChoice: decodeToolChoice(fields.tool_choice),
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
    const names = asObjects(choice.tools).flatMap((tool) => asWord(tool.name) ?? []);
    return { mode: choice.mode === 'required' ? 'required' : 'auto', names };
  }
  const name = asWord(choice.name);
  if ((choice.type === 'function' || choice.type === 'custom') && name !== undefined) {
    return { mode: 'required', names: [name] };
  }
  return { mode: 'hosted', dialect: 'openai-responses', raw: choice };
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

function decodeReasoning(reasoning: JsonObject | undefined, include: readonly Json[]): ReasoningControl | undefined {
  const control: ReasoningControl = present({
    effort: asOneOf(reasoning?.effort, ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
    summary: asOneOf(reasoning?.summary, ['auto', 'concise', 'detailed']),
    encrypted: include.includes('reasoning.encrypted_content') ? true : undefined,
  });
  return Object.keys(control).length === 0 ? undefined : control;
}
