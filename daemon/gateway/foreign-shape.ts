/** Chat bodies as clients of other dialects write them, put into the words of chat completions (relay.md 5.2). */
import type { ConversionPolicy } from '../contract/tokens.ts';
import { type BodyEdit, editBody, editValue } from '../relay/body-edit.ts';
import { restoreNumbers } from '../relay/canonical/exact-numbers.ts';
import { present } from '../relay/formats/fields.ts';
import { isResponsesShape } from '../relay/formats/openai-chat/decode-request.ts';
import { decodeParallelCalls } from '../relay/formats/openai-chat/decode-tools.ts';
import { openaiChat } from '../relay/formats/openai-chat/index.ts';
import { isObject, type Json, type JsonObject } from '../relay/json.ts';
import { codecScope } from './codec-scope.ts';
import { markedBody, readExactly } from './decoded.ts';
import { type ParsedBody, parseBody } from './parse-body.ts';
import { wouldDrop } from './vendor-loss.ts';

/** What an upstream may turn out to understand: each is asked, or spared, by its own rules later on. */
const WIDEST = { replayReasoning: true, topK: true, webSearch: true, cacheMarks: true, identity: true } as const;
const NO_EDITS: readonly BodyEdit[] = [];

/**
 * The body in the dialect's own words; the very same one where it is already. Throws `invalid_request` or
 * `convert_request_failed` for a Responses body that is no chat, and `conversion_would_drop` for one that is more than a
 * chat where the key's owner is strict.
 */
export function asChatBody(sent: ParsedBody, conversion: ConversionPolicy): ParsedBody {
  const { body, json } = sent;
  if (isResponsesShape(json)) return chatOfResponses(sent, conversion);
  const roles = roleEdits(json.messages);
  const tools = toolEdits(json);
  if (roles.length === 0 && tools.length === 0) return sent;
  const edited = editValue(json, [...roles, ...tools]);
  if (!isObject(edited)) return sent;
  const marked = tools.length === 0 ? undefined : markedBody(sent, { schemas: true, objects: false });
  const made = editBody(body, [...roles, ...(marked === undefined ? tools : toolEdits(marked))]);
  return { body: marked === undefined ? made : Buffer.from(restoreNumbers(made.toString('utf8'))), json: edited };
}

function chatOfResponses(sent: ParsedBody, conversion: ConversionPolicy): ParsedBody {
  const lost: string[] = [];
  const model = typeof sent.json.model === 'string' ? sent.json.model : '';
  const asked = readExactly(openaiChat, sent, openaiChat.decodeRequest);
  const chat = openaiChat.encodeRequest(
    asked,
    codecScope({ model, lost, leavesOutTools: conversion === 'warn', traits: WIDEST }),
  );
  if (conversion === 'strict' && lost.length > 0) throw wouldDrop(lost);
  if (!isObject(chat)) throw new TypeError('a chat that is no object');
  const written = JSON.stringify(chat);
  const body = Buffer.from(asked.numbers === undefined ? written : restoreNumbers(written));
  return { body, json: asked.numbers === undefined ? chat : parseBody(body).json };
}

/** Whoever does not say is the user. */
function roleEdits(messages: Json | undefined): readonly BodyEdit[] {
  if (!Array.isArray(messages) || !messages.some(lacksRole)) return NO_EDITS;
  return messages.flatMap((message, at): BodyEdit[] =>
    lacksRole(message) ? [{ path: ['messages', String(at), 'role'], set: 'user' }] : [],
  );
}

function lacksRole(message: Json): boolean {
  return isObject(message) && (message.role === undefined || message.role === null);
}

/** Tools in a flat form, as Responses and Anthropic's dialect have them, and the choice among such. */
function toolEdits(body: JsonObject): readonly BodyEdit[] {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = body;
  if (!Array.isArray(tools) || !tools.some(isFlatTool)) return NO_EDITS;
  const edits = tools.flatMap((tool, at): BodyEdit[] =>
    isFlatTool(tool) ? [{ path: ['tools', String(at)], set: functionTool(tool) }] : [],
  );
  const chosen = isObject(choice) ? chosenTool(choice) : undefined;
  if (chosen === undefined) return edits;
  edits.push({ path: ['tool_choice'], set: chosen });
  if (parallel !== false && decodeParallelCalls(body) === false)
    edits.push({ path: ['parallel_tool_calls'], set: false });
  return edits;
}

function isFlatTool(tool: Json): tool is JsonObject {
  if (!isObject(tool) || typeof tool.name !== 'string' || tool.function !== undefined) return false;
  if (tool.type === 'function') return true;
  return isObject(tool.input_schema) && (tool.type === undefined || tool.type === 'custom');
}

function functionTool({ type: _, input_schema, parameters, name, description, strict, ...rest }: JsonObject): Json {
  const spoken: JsonObject = present({ name, description, parameters: parameters ?? input_schema, strict });
  return { type: 'function', function: spoken, ...rest };
}

function chosenTool({ type, name, function: nested }: JsonObject): Json | undefined {
  if (nested !== undefined) return undefined;
  if (type === 'auto' || type === 'none') return type;
  if (type === 'any') return 'required';
  const isNamed = (type === 'tool' || type === 'function') && typeof name === 'string';
  return isNamed ? { type: 'function', function: { name } } : undefined;
}
