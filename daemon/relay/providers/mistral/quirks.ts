/** Mistral's own names and its short list of allowed fields. Source: providers/mistral.md, read 2026-11. */
import type { FormatId } from '../../format.ts';
import { asObject, asText, entryOf } from '../../formats/fields.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { changeMessages, clampField, renameField } from '../wire-edits.ts';

const completionFields = ['model', 'temperature', 'top_p', 'max_tokens', 'min_tokens', 'stream', 'stop', 'random_seed'];

/** Every other field is answered with 422. */
const allowedFields: Partial<Record<FormatId, ReadonlySet<string>>> = {
  'openai-chat': new Set([
    ...completionFields,
    'messages',
    'metadata',
    'response_format',
    'tools',
    'tool_choice',
    'presence_penalty',
    'frequency_penalty',
    'n',
    'prediction',
    'parallel_tool_calls',
    'prompt_mode',
    'prompt_cache_key',
    'reasoning_effort',
    'safe_prompt',
    'guardrails',
    'service_tier',
  ]),
  'openai-completions': new Set([...completionFields, 'prompt', 'suffix', 'metadata']),
  'openai-embeddings': new Set(['model', 'input', 'encoding_format', 'output_dimension', 'output_dtype', 'metadata']),
  'openai-moderations': new Set(['model', 'input', 'metadata']),
};

const messageFields: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls', 'prefix'],
  tool: ['role', 'content', 'tool_call_id', 'name'],
};

export function fitMistral(body: JsonObject, call: UpstreamCall): void {
  renameField(body, 'max_completion_tokens', 'max_tokens');
  renameField(body, 'seed', 'random_seed');
  renameField(body, 'dimensions', 'output_dimension');
  if (body.tool_choice === 'required') body.tool_choice = 'any';
  clampField(body, 'temperature', { min: 0, max: 1.5 });
  // Zero of it is refused.
  clampField(body, 'top_p', { min: 0.001, max: 1 });
  // Without chance there is nothing to choose from, and any wish for it is refused.
  if (body.temperature === 0 && body.top_p !== 1) delete body.top_p;
  fitEffort(body, call.model);
  const allowed = allowedFields[call.format];
  for (const field of Object.keys(body)) if (allowed?.has(field) === false) delete body[field];
  changeMessages(body, fitMessage);
}

/** Magistral thinks in a prompt mode of its own; adjustable models know two efforts. */
function fitEffort(body: JsonObject, model: string): void {
  const effort = body.reasoning_effort;
  if (typeof effort !== 'string') return;
  if (model.startsWith('magistral')) {
    delete body.reasoning_effort;
    if (effort !== 'none') body.prompt_mode = 'reasoning';
  } else if (/^mistral-(small|medium)/.test(model)) {
    body.reasoning_effort = effort === 'none' || effort === 'minimal' || effort === 'low' ? 'none' : 'high';
  } else {
    delete body.reasoning_effort;
  }
}

function fitMessage(message: JsonObject): JsonObject {
  const role = message.role === 'developer' ? 'system' : (asText(message.role) ?? 'user');
  const kept = entryOf(messageFields, role);
  if (kept === undefined) return message;
  const content = fitContent(message.content);
  const calls = fitCalls(message.tool_calls);
  const answered = asText(message.tool_call_id);
  const id = answered === undefined ? undefined : callId(answered);
  const isForeign = Object.keys(message).some((field) => !kept.includes(field));
  const isChanged =
    isForeign ||
    role !== message.role ||
    content !== message.content ||
    calls !== message.tool_calls ||
    id !== message.tool_call_id;
  if (!isChanged) return message;
  const fitted: JsonObject = {};
  const changed: JsonObject = { ...message, role };
  if (content !== undefined) changed.content = content;
  if (calls !== undefined) changed.tool_calls = calls;
  if (id !== undefined) changed.tool_call_id = id;
  for (const field of kept) {
    const value = changed[field];
    if (value !== undefined) fitted[field] = value;
  }
  return fitted;
}

/** Gives the same list back when no part is foreign. */
function fitContent(content: Json | undefined): Json | undefined {
  if (!Array.isArray(content)) return content;
  const parts = content.map(fitPart);
  return parts.every((part, index) => part === content[index]) ? content : parts;
}

function fitPart(part: Json): Json {
  const fields = asObject(part);
  const audio = asObject(fields?.input_audio);
  if (fields?.type === 'input_audio' && audio !== undefined) {
    return { type: 'input_audio', input_audio: audio.data ?? '' };
  }
  const file = asObject(fields?.file);
  return fields?.type === 'file' && file !== undefined ? fitFile(file) : part;
}

/** A file that the vendor keeps is named by its id. Source: its API description (`FileChunk`, `DocumentURLChunk`), read 2026-11. */
function fitFile({ file_id: id, filename, ...file }: JsonObject): JsonObject {
  if (id !== undefined) return { type: 'file', file_id: id };
  const document = { type: 'document_url', document_url: file.file_data ?? file.file_url ?? '' };
  return filename === undefined ? document : { ...document, document_name: filename };
}

function fitCalls(calls: Json | undefined): Json | undefined {
  if (!Array.isArray(calls)) return calls;
  const fitted = calls.map((entry): Json => {
    const call = asObject(entry);
    const id = asText(call?.id);
    return id === undefined || callId(id) === id ? entry : { ...call, id: callId(id) };
  });
  return fitted.every((call, index) => call === calls[index]) ? calls : fitted;
}

const idAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const idLength = 9;

/** Older models take only ids of nine letters and digits; the same id always becomes the same. */
export function callId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(id)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  let fitted = '';
  for (let index = 0; index < idLength; index += 1) {
    fitted += idAlphabet[Number(hash % BigInt(idAlphabet.length))] ?? 'A';
    hash /= BigInt(idAlphabet.length);
  }
  return fitted;
}
