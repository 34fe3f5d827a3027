/**
 * A Messages body as the canonical request.
 */
import type {
  ChatItem,
  ChatRequest,
  ChatTool,
  ContentPart,
  OutputFormat,
  ReasoningControl,
  ToolChoice,
  WebSearchOptions,
} from '../../canonical/chat.ts';
import type { Json, JsonObject } from '../../json.ts';
import { readCacheMark } from '../cache-mark.ts';
import {
  asFlag,
  asNumber,
  asObject,
  asOneOf,
  asText,
  asTexts,
  asWord,
  invalid,
  onlyObjects,
  present,
  remainder,
} from '../fields.ts';
import { isStrictSchema } from '../strict-schema.ts';
import { unread, wordRead } from '../unread.ts';
import { decodeDomains, decodePlace, ownOfSearch } from '../web-search.ts';
import { blocksOf, decodeOutput, decodePart, decodeToolResult } from './decode-blocks.ts';
import { hostedKinds, knownFields, knownMetadata, knownOutputConfig, knownToolFields } from './wire.ts';

/** Throws `invalid_request` with the field that is missing or of the wrong type. */
export function decodeRequest(body: Json): ChatRequest {
  const fields = asObject(body);
  if (fields === undefined) throw invalid('body', 'must be a JSON object');
  const model = asWord(fields.model);
  if (model === undefined) throw invalid('model', 'is required');
  const thread = fields.thread ?? undefined;
  // A thread can go on from what its upstream keeps alone.
  if (!Array.isArray(fields.messages) || (fields.messages.length === 0 && asObject(thread)?.type !== 'continue')) {
    throw invalid('messages', 'must be a non-empty array');
  }
  const choice = asObject(fields.tool_choice);
  const metadata = asObject(fields.metadata);
  const rest = remainder(fields, knownFields);
  const maxTokens = asNumber(fields.max_tokens);
  const tools = decodeTools(fields.tools);
  const toolChoice = decodeToolChoice(choice);
  const output = decodeOutputFormat(fields);
  const thinking = asObject(fields.thinking);
  Object.assign(
    rest,
    unread(fields, {
      tool_choice: toolChoice,
      temperature: asNumber(fields.temperature),
      top_p: asNumber(fields.top_p),
      top_k: asNumber(fields.top_k),
      stop_sequences: Array.isArray(fields.stop_sequences) ? fields.stop_sequences : undefined,
      thinking: thinking && wordRead(thinking.type, thinkingModes),
      output_format: output,
    }),
    unreadGroups(fields, output),
  );
  return present({
    dialect: 'anthropic-messages',
    model,
    items: [...decodeSystem(fields.system), ...fields.messages.flatMap(decodeMessage)],
    stream: fields.stream === true,
    streamUsage: true,
    tools,
    toolChoice,
    parallelToolCalls: choice?.disable_parallel_tool_use === true ? false : undefined,
    maxTokens: maxTokens === 0 ? undefined : maxTokens,
    sampling: present({
      temperature: asNumber(fields.temperature),
      topP: asNumber(fields.top_p),
      topK: asNumber(fields.top_k),
    }),
    stop: Array.isArray(fields.stop_sequences) ? asTexts(fields.stop_sequences) : undefined,
    output,
    reasoning: decodeReasoning(fields),
    webSearch: decodeWebSearch(tools),
    user: asWord(metadata?.user_id),
    serviceTier: asWord(fields.service_tier),
    cache: readCacheMark(fields.cache_control),
    stored: thread === undefined ? undefined : { thread },
    extensions: Object.keys(rest).length > 0 ? { 'anthropic-messages': rest } : {},
  });
}

/** Members of `output_config` and `metadata` of which nothing is read. */
function unreadGroups(fields: JsonObject, output: OutputFormat | undefined): JsonObject {
  const config = asObject(fields.output_config) ?? {};
  const ofOutput = {
    ...remainder(config, knownOutputConfig),
    ...unread(config, { effort: wordRead(config.effort, efforts), format: output }),
  };
  const ofMetadata = remainder(asObject(fields.metadata) ?? {}, knownMetadata);
  const rest: JsonObject = {};
  if (Object.keys(ofOutput).length > 0) rest.output_config = ofOutput;
  if (Object.keys(ofMetadata).length > 0) rest.metadata = ofMetadata;
  return rest;
}

function decodeSystem(value: Json | undefined): ChatItem[] {
  const parts = blocksOf(value, 'system').flatMap((block, at) => decodePart(block, `system[${at}]`) ?? []);
  return parts.length === 0 ? [] : [{ type: 'system', role: 'system', parts, apart: true }];
}

function decodeMessage(entry: Json, at: number): ChatItem[] {
  const path = `messages[${at}]`;
  const message = asObject(entry);
  if (message === undefined) throw invalid(path, 'must be an object');
  const blocks = blocksOf(message.content, `${path}.content`);
  if (message.role === 'assistant') return decodeOutput(blocks, `${path}.content`);
  if (message.role === 'system') {
    const parts = blocks.flatMap((block, index) => decodePart(block, `${path}.content[${index}]`) ?? []);
    return [{ type: 'system', role: 'system', parts }];
  }
  if (message.role !== 'user') throw invalid(`${path}.role`, 'must be user or assistant');
  return decodeUser(blocks, path);
}

/** Results come before the words that accompany them, whatever order the client wrote (relay.md 13.3). */
function decodeUser(blocks: readonly JsonObject[], path: string): ChatItem[] {
  const items: ChatItem[] = [];
  const parts: ContentPart[] = [];
  blocks.forEach((block, at) => {
    const place = `${path}.content[${at}]`;
    if (block.type === 'tool_result') items.push(decodeToolResult(block, place));
    else {
      const part = decodePart(block, place);
      if (part !== undefined) parts.push(part);
    }
  });
  if (parts.length > 0) items.push({ type: 'user', parts });
  return items;
}

/** A tool without `type` is a function; so is `custom`. Dated types are tools of the vendor. */
function decodeTools(value: Json | undefined): ChatTool[] {
  return onlyObjects(value, 'tools').map((tool, at) => {
    const type = asWord(tool.type);
    if (type !== undefined && type !== 'custom' && type !== 'function') {
      const hosted = hostedKinds.find(([prefix]) => type.startsWith(prefix))?.[1] ?? 'other';
      return { kind: 'hosted', hosted, dialect: 'anthropic-messages', name: type, settings: tool };
    }
    const name = asWord(tool.name);
    if (name === undefined) throw invalid(`tools[${at}].name`, 'is required');
    const rest = remainder(tool, knownToolFields);
    return present({
      kind: 'function',
      name,
      description: asText(tool.description),
      parameters: asObject(tool.input_schema),
      strict: asFlag(tool.strict),
      cache: readCacheMark(tool.cache_control),
      extensions: Object.keys(rest).length > 0 ? { 'anthropic-messages': rest } : undefined,
    });
  });
}

/** A search tool also as an option, for formats that have one instead. */
function decodeWebSearch(tools: readonly ChatTool[]): WebSearchOptions | undefined {
  const tool = tools.find((entry) => entry.kind === 'hosted' && entry.hosted === 'web-search');
  if (tool?.kind !== 'hosted') return undefined;
  const { allowed_domains: allowed, blocked_domains: blocked, max_uses: most } = tool.settings;
  return present({
    location: decodePlace(tool.settings.user_location),
    allowedDomains: decodeDomains(allowed),
    blockedDomains: decodeDomains(blocked),
    maxUses: asNumber(most),
    own: ownOfSearch(tool.settings, ['allowed_domains', 'blocked_domains', 'max_uses', 'allowed_callers']),
  });
}

function decodeToolChoice(choice: JsonObject | undefined): ToolChoice | undefined {
  const name = asWord(choice?.name);
  switch (choice?.type) {
    case 'auto':
    case 'none':
      return { mode: choice.type };
    case 'any':
      return { mode: 'required' };
    case 'tool':
      return name === undefined ? { mode: 'required' } : { mode: 'required', names: [name] };
    default:
      return undefined;
  }
}

function decodeOutputFormat(fields: JsonObject): OutputFormat | undefined {
  const format = asObject(asObject(fields.output_config)?.format) ?? asObject(fields.output_format);
  if (format?.type !== 'json_schema') return undefined;
  const schema = asObject(format.schema) ?? {};
  return { kind: 'json-schema', schema, strict: isStrictSchema(schema) };
}

const thinkingModes = ['enabled', 'adaptive', 'disabled'] as const;
const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

function decodeReasoning(fields: JsonObject): ReasoningControl | undefined {
  const thinking = asObject(fields.thinking);
  const effort = asOneOf(asObject(fields.output_config)?.effort, efforts);
  if (thinking === undefined && effort === undefined) return undefined;
  return present({
    mode: asOneOf(thinking?.type, thinkingModes),
    effort,
    budgetTokens: asNumber(thinking?.budget_tokens),
    show: thinking?.display === 'omitted' ? false : undefined,
    raw: thinking === undefined ? undefined : { dialect: 'anthropic-messages' as const, value: thinking },
  });
}
