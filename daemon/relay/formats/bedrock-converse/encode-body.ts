/** A body of Messages in Bedrock's words. */
import type { ChatRequest, Effort, ReasoningControl } from '../../canonical/chat.ts';
import { wantsNoThought } from '../../canonical/reasoning.ts';
import type { JsonObject } from '../../json.ts';
import { knownToolFields } from '../anthropic-messages/wire.ts';
import { asNumber, asObject, asObjects, asText, asTexts, asWord } from '../fields.ts';
import { lose } from '../loss.ts';
import { effortOf } from '../openai-chat/encode-request.ts';
import { type ConverseSource, cachePoint, encodeBlocks, refuseUnread } from './encode-blocks.ts';
import { novaThinks } from './families.ts';

/** Members of the Messages body that are read here, or that say nothing to the host. */
const read: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'metadata',
  'anthropic_version',
]);

export function converseBody(message: JsonObject, source: ConverseSource): JsonObject {
  const { scope, request } = source;
  for (const field in message) if (!read.has(field)) scope.lose(field);
  loseMetadata(message, source);
  const body: JsonObject = {
    messages: asObjects(message.messages).map(({ role, content }) => {
      if (role !== 'assistant') refuseUnread(content);
      return { role: role ?? 'user', content: encodeBlocks(content, source) };
    }),
  };
  const system = encodeBlocks(message.system, source);
  if (system.length > 0) body.system = system;
  const inference = inferenceOf(message, source);
  if (Object.keys(inference).length > 0) body.inferenceConfig = inference;
  encodeTools(body, message, source);
  const own = ownFields(message, source);
  if (Object.keys(own).length > 0) body.additionalModelRequestFields = own;
  const { format, effort: _, ...others } = asObject(message.output_config) ?? {};
  for (const name in others) scope.lose(`output_config.${name}`);
  const schema = asObject(format)?.schema;
  if (schema !== undefined && request.output?.kind === 'json-schema') {
    const jsonSchema = { name: request.output.name ?? 'answer', schema: JSON.stringify(schema) };
    body.outputConfig = { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
  }
  return body;
}

/** The host has no word for the end user, nor for what else a client says of its request. */
function loseMetadata({ metadata }: JsonObject, { request, scope }: ConverseSource): void {
  const { user_id: _, ...others } = asObject(metadata) ?? {};
  if (metadata !== undefined) lose(scope, { user: request.user, safety_identifier: request.safetyIdentifier });
  for (const name in others) scope.lose(`metadata.${name}`);
}

function inferenceOf(message: JsonObject, { family, request }: ConverseSource): JsonObject {
  const inference: JsonObject = {};
  // Claude must be given a limit, and room for its thoughts; the others have limits of very different size.
  if (family === 'claude' || request.maxTokens !== undefined) inference.maxTokens = message.max_tokens ?? 1;
  if (asNumber(message.temperature) !== undefined) inference.temperature = message.temperature ?? 0;
  if (asNumber(message.top_p) !== undefined) inference.topP = message.top_p ?? 1;
  const stops = asTexts(message.stop_sequences);
  if (stops.length > 0) inference.stopSequences = [...stops];
  return inference;
}

/** Wishes that only some vendors' models know, under the names that they have there. */
function ownFields(message: JsonObject, source: ConverseSource): JsonObject {
  const { family, effort, scope } = source;
  const own: JsonObject = {};
  if (asNumber(message.top_k) !== undefined) {
    if (family === 'claude') own.top_k = message.top_k ?? 0;
    else if (family === 'nova') own.inferenceConfig = { topK: message.top_k ?? 0 };
    else scope.lose('top_k');
  }
  if (message.thinking !== undefined) own.thinking = message.thinking;
  const word = asWord(asObject(message.output_config)?.effort);
  if (word !== undefined) own.output_config = { effort: word };
  if (effort !== undefined) encodeEffort(own, effort, source);
  return own;
}

function encodeEffort(own: JsonObject, control: ReasoningControl, { family, request, scope }: ConverseSource): void {
  const isOff = wantsNoThought(control);
  const effort = effortOf(control, request.model) ?? 'medium';
  const word = effort === 'low' || effort === 'minimal' ? 'low' : highOrMedium(effort);
  if (family === 'openai') own.reasoning_effort = isOff ? 'low' : word;
  else if (family === 'nova' && novaThinks(request.model)) {
    const isHeld = word === 'high' && limits(request);
    if (isHeld) scope.lose('reasoning_effort');
    own.reasoningConfig = isOff
      ? { type: 'disabled' }
      : { type: 'enabled', maxReasoningEffort: isHeld ? 'medium' : word };
  } else if (!isOff) {
    scope.lose('reasoning_effort');
    return;
  }
  lose(scope, { 'reasoning.summary': control.summary });
  // What is told is how hard to think, not for how long.
  if (!isOff && control.budgetTokens !== undefined) scope.lose('reasoning.budget_tokens');
}

/** Nova thinks hardest only where nothing bounds its answer. Source: issues of inspect_ai (3767), read 2026-11. */
function limits({ maxTokens, sampling: { temperature, topP, topK } }: ChatRequest): boolean {
  return [maxTokens, temperature, topP, topK].some((bound) => bound !== undefined);
}

function highOrMedium(effort: Effort): string {
  return effort === 'high' || effort === 'xhigh' || effort === 'max' ? 'high' : 'medium';
}

function encodeTools(body: JsonObject, message: JsonObject, source: ConverseSource): void {
  const { scope } = source;
  const used = usedTools(message);
  const choice = asObject(message.tool_choice);
  let tools = asObjects(message.tools).flatMap((tool) => encodeTool(tool, source));
  // A conversation that calls tools is refused without them.
  if (tools.length === 0) tools = used.map((name) => toolSpec({ name }));
  if (tools.length === 0) return;
  if (choice?.type === 'none') {
    // The word does not exist here: the model gets no tools, unless the conversation needs them.
    if (used.length === 0) return;
    scope.lose('tool_choice');
  }
  const config: JsonObject = { tools };
  if (choice?.type === 'any') config.toolChoice = { any: {} };
  if (choice?.type === 'tool') config.toolChoice = { tool: { name: choice.name ?? '' } };
  if (choice?.disable_parallel_tool_use === true) scope.lose('parallel_tool_calls');
  body.toolConfig = config;
}

/** Names of the tools that the conversation has called. */
function usedTools(message: JsonObject): string[] {
  const blocks = asObjects(message.messages).flatMap(({ content }) => asObjects(content));
  const names = blocks.flatMap((block) => (block.type === 'tool_use' ? (asWord(block.name) ?? []) : []));
  return [...new Set(names)];
}

function encodeTool(tool: JsonObject, { scope, family }: ConverseSource): JsonObject[] {
  if (tool.input_schema === undefined) {
    scope.lose(`tools.${asText(tool.name) ?? asText(tool.type) ?? ''}`);
    return [];
  }
  for (const field in tool) if (!knownToolFields.has(field)) scope.lose(`tools.${field}`);
  if (tool.cache_control === undefined) return [toolSpec(tool)];
  if (family === 'claude') return [toolSpec(tool), cachePoint(tool.cache_control)];
  scope.lose('tools.cache_control');
  return [toolSpec(tool)];
}

function toolSpec(tool: JsonObject): JsonObject {
  const spec: JsonObject = { name: tool.name ?? '' };
  if (asWord(tool.description) !== undefined) spec.description = tool.description ?? '';
  spec.inputSchema = { json: tool.input_schema ?? { type: 'object', properties: {} } };
  if (tool.strict === true) spec.strict = true;
  return { toolSpec: spec };
}
