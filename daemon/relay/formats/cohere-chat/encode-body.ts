/** A chat-completions body in Cohere's words. */
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asTexts, asWord, entryOf } from '../fields.ts';
import { noteStops, type StopRule, takenStops } from '../stop-words.ts';

/** Tokens of thought for each effort; `high` and above are without limit. */
const budgets: Readonly<Record<string, number>> = { minimal: 1024, low: 1024, medium: 4096 };
const stopRule: StopRule = { most: 5 };

/** These take their thoughts back; the others know only plans to call tools. */
const reasons = /reasoning|command-a-plus/;

export function encode(body: JsonObject, scope: Scope): JsonObject {
  const { max_completion_tokens: limit, stop, top_p: topP, top_k: topK, reasoning_effort: effort, ...wire } = body;
  const thinks = reasons.test(asWord(body.model) ?? '');
  wire.messages = asObjects(body.messages).map((message) => encodeMessage(message, { thinks, scope }));
  if (limit !== undefined) wire.max_tokens ??= limit;
  const asked = asTexts(stop);
  const taken = takenStops(asked, stopRule);
  noteStops('stop', { asked, taken }, scope);
  if (taken.length > 0) wire.stop_sequences = taken;
  const p = asNumber(topP);
  if (p !== undefined && p < 1) wire.p = Math.min(0.99, Math.max(0.01, p));
  const k = asNumber(topK);
  if (k !== undefined) wire.k = Math.min(500, Math.max(0, k));
  for (const field of ['frequency_penalty', 'presence_penalty']) {
    const value = asNumber(wire[field]);
    if (value !== undefined) wire[field] = Math.min(1, Math.max(0, value));
  }
  encodeTools(wire);
  encodeOutput(wire);
  encodeThinking(wire, asWord(effort));
  return wire;
}

function encodeMessage(
  { role, content, tool_calls: calls, tool_call_id: callId, reasoning_content: thought }: JsonObject,
  { thinks, scope }: { readonly thinks: boolean; readonly scope: Pick<Scope, 'lose'> },
): JsonObject {
  if (role === 'tool') return { role, tool_call_id: callId ?? '', content: content ?? '' };
  const message: JsonObject = { role: role === 'developer' ? 'system' : (role ?? 'user') };
  // Beside tool calls an empty text is refused.
  const isEmpty = content === null || content === undefined || content === '';
  if (!isEmpty || calls === undefined) message.content = content ?? '';
  if (calls !== undefined) message.tool_calls = calls;
  const thinking = asWord(thought);
  if (thinking === undefined) return message;
  if (thinks) message.content = [{ type: 'thinking', thinking }, ...(isEmpty ? [] : partsOf(content))];
  // What the others think of is which tools to call.
  else if (calls !== undefined) message.tool_plan = thinking;
  else scope.lose('reasoning');
  return message;
}

function partsOf(content: Json): readonly Json[] {
  return Array.isArray(content) ? content : [{ type: 'text', text: content }];
}

function encodeTools(wire: JsonObject): void {
  const choice = wire.tool_choice;
  delete wire.tool_choice;
  const name = asWord(asObject(asObject(choice)?.function)?.name);
  let tools = asObjects(wire.tools);
  if (tools.length === 0) return;
  // One tool is forced by offering no other.
  if (name !== undefined) tools = tools.filter((tool) => asObject(tool.function)?.name === name);
  if (choice === 'none') wire.tool_choice = 'NONE';
  else if (choice === 'required' || name !== undefined) wire.tool_choice = 'REQUIRED';
  if (tools.some((tool) => asObject(tool.function)?.strict === true)) wire.strict_tools = true;
  wire.tools = tools.map(encodeTool);
}

function encodeTool(tool: JsonObject): JsonObject {
  const { strict: _, ...own } = asObject(tool.function) ?? {};
  const schema = asObject(own.parameters);
  const parameters: JsonObject =
    schema?.type === undefined ? { type: 'object', properties: {}, ...schema } : { ...schema };
  return { type: 'function', function: { ...own, parameters } };
}

function encodeOutput(wire: JsonObject): void {
  const format = asObject(wire.response_format);
  if (format?.type !== 'json_schema') return;
  const schema = asObject(format.json_schema)?.schema;
  wire.response_format = { type: 'json_object', ...(schema === undefined ? {} : { json_schema: schema }) };
}

function encodeThinking(wire: JsonObject, effort: string | undefined): void {
  if (effort === undefined || wire.thinking !== undefined) return;
  const budget = entryOf(budgets, effort);
  if (effort === 'none') wire.thinking = { type: 'disabled' };
  else wire.thinking = budget === undefined ? { type: 'enabled' } : { type: 'enabled', token_budget: budget };
}
