/** Hunyuan's native chat, whose members begin with capitals. Source: providers/tencent.md, read 2026-11. */
import type { Scope, WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asText, asTexts, asWord, some } from '../fields.ts';
import {
  chunkOf,
  completionOf,
  errorOf,
  isForced,
  payloadOf,
  textOfContent,
  usageOf,
  vendorChat,
} from '../vendor-chat.ts';

/** Most messages of one request. */
const mostMessages = 40;

/** What clients may ask for in the words of the compatible interface, and what it is called here. */
const extras: Readonly<Record<string, string>> = {
  enable_enhancement: 'EnableEnhancement',
  force_search_enhancement: 'ForceSearchEnhancement',
  search_info: 'SearchInfo',
  citation: 'Citation',
  enable_speed_search: 'EnableSpeedSearch',
  enable_multimedia: 'EnableMultimedia',
  enable_deep_search: 'EnableDeepSearch',
  enable_recommended_questions: 'EnableRecommendedQuestions',
  enable_deep_read: 'EnableDeepRead',
  enable_thinking: 'EnableThinking',
  stream_moderation: 'StreamModeration',
  topic_choice: 'TopicChoice',
  file_ids: 'FileIDs',
};

function encodeMessage(message: JsonObject): JsonObject {
  const role = message.role === 'developer' ? 'system' : (message.role ?? 'user');
  const wire: JsonObject = { Role: role };
  const parts = asObjects(message.content);
  if (parts.some((part) => part.type === 'image_url')) wire.Contents = parts.map(encodePart);
  else wire.Content = textOfContent(message.content);
  if (message.tool_call_id !== undefined) wire.ToolCallId = message.tool_call_id;
  const calls = asObjects(message.tool_calls).map(({ id, function: own }, at): JsonObject => {
    const { name = '', arguments: input = '{}' } = asObject(own) ?? {};
    return { Id: id ?? '', Type: 'function', Index: at, Function: { Name: name, Arguments: input } };
  });
  if (calls.length > 0) wire.ToolCalls = calls;
  return wire;
}

function encodePart(part: JsonObject): JsonObject {
  const url = asWord(asObject(part.image_url)?.url);
  return url === undefined
    ? { Type: 'text', Text: asText(part.text) ?? '' }
    : { Type: 'image_url', ImageUrl: { Url: url } };
}

/** Two messages of one side as one: parts where either has pictures, else text. */
function together(first: JsonObject, second: JsonObject): JsonObject {
  if (typeof first.Content === 'string' && typeof second.Content === 'string') {
    return { ...first, ...second, Content: `${first.Content}\n${second.Content}` };
  }
  const { Content: _, ...rest } = { ...first, ...second };
  return { ...rest, Contents: [...partsOf(first), ...partsOf(second)] };
}

function partsOf({ Content: text, Contents: parts }: JsonObject): JsonObject[] {
  if (parts !== undefined) return [...asObjects(parts)];
  return asText(text) === '' ? [] : [{ Type: 'text', Text: text ?? '' }];
}

/**
 * One system message first; then the sides take turns, a question before the first answer. Of too many the first are
 * left out, up to a question.
 */
function encodeMessages(messages: Json | undefined, scope: Scope): JsonObject[] {
  const all = asObjects(messages).map(encodeMessage);
  const system = all.filter(({ Role: role }) => role === 'system').map(({ Content: text }) => asText(text) ?? '');
  const turns: JsonObject[] = [];
  for (const turn of all.filter(({ Role: role }) => role !== 'system')) {
    const last = turns.at(-1);
    const isNeighbour = last !== undefined && last.Role === turn.Role && turn.Role !== 'tool' && !last.ToolCalls;
    if (isNeighbour) {
      turns[turns.length - 1] = together(last, turn);
    } else turns.push(turn);
  }
  const kept = newestOf(turns, mostMessages - Math.min(system.length, 1));
  if (kept.length < turns.length) scope.lose(`messages[..${turns.length - kept.length}]`);
  return system.length === 0 ? [...kept] : [{ Role: 'system', Content: system.join('\n') }, ...kept];
}

/** As many as fit, from a question on; where the last one took more turns than fit, that question and the newest of them. */
function newestOf(turns: readonly JsonObject[], room: number): readonly JsonObject[] {
  if (turns.length <= room) return turns;
  const newest = turns.slice(-room);
  const begin = newest.findIndex(({ Role: role }) => role === 'user');
  if (begin >= 0) return newest.slice(begin);
  const question = turns.findLast(({ Role: role }) => role === 'user');
  const rest = newest.slice(1);
  // A result is not told without its call.
  return [
    ...some(question),
    ...rest.slice(
      Math.max(
        0,
        rest.findIndex(({ Role: role }) => role !== 'tool'),
      ),
    ),
  ];
}

function encode(body: JsonObject, scope: Scope): JsonObject {
  const wire: JsonObject = {
    Model: body.model ?? '',
    Messages: encodeMessages(body.messages, scope),
    Stream: body.stream === true,
  };
  if (asNumber(body.temperature) !== undefined) wire.Temperature = body.temperature ?? 0;
  if (asNumber(body.top_p) !== undefined) wire.TopP = body.top_p ?? 0;
  const seed = asNumber(body.seed);
  if (seed !== undefined && seed >= 1 && seed <= 10_000) wire.Seed = seed;
  else if (seed !== undefined) scope.lose('seed');
  const stop = asTexts(body.stop);
  if (stop.length > 0) wire.Stop = [...stop];
  if (body.web_search_options !== undefined) wire.EnableEnhancement = true;
  for (const [name, word] of Object.entries(extras)) {
    const value = body[name];
    if (value !== undefined && value !== null) wire[word] = value;
  }
  encodeTools(wire, body, scope);
  return wire;
}

function encodeTools(wire: JsonObject, body: JsonObject, scope: Scope): void {
  const tools = asObjects(body.tools).map(encodeTool);
  if (tools.length === 0) return;
  wire.Tools = tools;
  const name = asObject(asObject(body.tool_choice)?.function)?.name;
  if (name === undefined) {
    if (isForced(body.tool_choice)) scope.lose('tool_choice');
    wire.ToolChoice = body.tool_choice === 'none' ? 'none' : 'auto';
  } else {
    wire.ToolChoice = 'custom';
    wire.CustomTool = tools.find((tool) => asObject(tool.Function)?.Name === name) ?? {};
  }
}

function encodeTool(tool: JsonObject): JsonObject {
  const { name = '', description = '', parameters = {} } = asObject(tool.function) ?? {};
  return {
    Type: 'function',
    Function: { Name: name, Description: description, Parameters: JSON.stringify(parameters) },
  };
}

/** A refusal of the request, or a failure while answering: both with status 200. */
function readError(body: JsonObject): JsonObject | undefined {
  const refusal = asObject(asObject(body.Response)?.Error) ?? asObject(body.Error);
  if (refusal !== undefined) return errorOf(refusal.Code, refusal.Message);
  const failure = asObject((asObject(body.Response) ?? body).ErrorMsg);
  return failure === undefined ? undefined : errorOf(String(failure.Code ?? ''), failure.Msg);
}

function decodeMessage(value: Json | undefined, newId: () => string): JsonObject {
  const wire = asObject(value) ?? {};
  const message: JsonObject = { content: asText(wire.Content) ?? '' };
  const thought = asWord(wire.ReasoningContent);
  if (thought !== undefined) message.reasoning_content = thought;
  const calls = asObjects(wire.ToolCalls).map((call, at): JsonObject => {
    const own = asObject(call.Function);
    const made: JsonObject = { index: asNumber(call.Index) ?? at, type: 'function' };
    const id = asWord(call.Id) ?? (asWord(own?.Name) === undefined ? undefined : newId());
    if (id !== undefined) made.id = id;
    made.function = {
      ...(asWord(own?.Name) === undefined ? {} : { name: own?.Name ?? '' }),
      arguments: own?.Arguments ?? '',
    };
    return made;
  });
  if (calls.length > 0) message.tool_calls = calls;
  return message;
}

function finishOf(word: Json | undefined): string | undefined {
  return asWord(word) === 'sensitive' ? 'content_filter' : asWord(word);
}

function readUsage(value: Json | undefined): JsonObject | undefined {
  const usage = asObject(value);
  return usage === undefined ? undefined : usageOf(usage.PromptTokens, usage.CompletionTokens);
}

function readEvent(event: WireEvent, newId: () => string): JsonObject[] {
  const body = payloadOf(event);
  if (body === undefined) return [];
  const error = readError(body);
  if (error !== undefined) return [error];
  const [choice] = asObjects(body.Choices);
  const known = { id: body.Id, created: body.Created };
  const chunk = chunkOf(known, decodeMessage(choice?.Delta, newId), finishOf(choice?.FinishReason));
  const usage = readUsage(body.Usage);
  return [usage === undefined ? chunk : { ...chunk, usage }];
}

export const tencentHunyuan = vendorChat({
  id: 'tencent-hunyuan',
  takes: ['temperature', 'top_p', 'seed', 'stop', 'tools', 'tool_choice', 'web_search_options', ...Object.keys(extras)],
  reads: { parts: ['image_url'], members: ['tool_calls', 'tool_call_id'] },
  encode,
  answer(body, scope) {
    const error = readError(body);
    if (error !== undefined) return error;
    const answer = asObject(body.Response) ?? body;
    const [choice] = asObjects(answer.Choices);
    return completionOf(
      { id: answer.Id, created: answer.Created },
      decodeMessage(choice?.Message, () => scope.newId('call_')),
      { finish: finishOf(choice?.FinishReason) ?? 'stop', usage: readUsage(answer.Usage) },
    );
  },
  reader: (scope) => ({ push: (event) => readEvent(event, () => scope.newId('call_')) }),
});
