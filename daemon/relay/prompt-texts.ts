/**
 * What a request says: the texts of its messages, prompts, instructions and tool results, without roles, names,
 * declarations of tools and media. For whoever must read what people write; tokens are counted by `tokens/`.
 */
import type { FormatId } from './format.ts';
import { asObject, asText } from './formats/fields.ts';
import { wordsToAgent } from './formats/openai-responses/wire.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

/** Members of a body that speak; a format without an entry speaks by all that any of them names. */
const SPEAKING: { readonly [F in FormatId]?: readonly string[] } = {
  'openai-chat': ['messages'],
  'openai-responses': ['instructions', 'input'],
  'openai-responses-compact': ['instructions', 'input'],
  'anthropic-messages': ['system', 'messages'],
  'gemini-generate': ['systemInstruction', 'system_instruction', 'contents'],
  'openai-completions': ['prompt', 'suffix'],
  'openai-edits': ['instruction', 'input'],
  'openai-embeddings': ['input'],
  'openai-moderations': ['input'],
  'gemini-embeddings': ['content', 'requests'],
  rerank: ['query', 'documents'],
  'openai-images': ['prompt', 'negative_prompt'],
  'openai-image-edits': ['prompt', 'negative_prompt'],
  'openai-image-variations': ['prompt', 'negative_prompt'],
  'openai-speech': ['input', 'instructions'],
  'openai-transcription': ['prompt'],
  'openai-translation': ['prompt'],
  'gemini-predict': ['instances'],
  suno: ['gpt_description_prompt', 'prompt', 'title', 'tags', 'negative_tags'],
};
const SPEAKING_ANYWHERE = [
  ...new Set([...Object.values(SPEAKING).flat(), 'content', 'negative_prompt', 'query', 'documents', 'lyrics']),
];

/** Members of messages, parts and items that hold texts, or more of the like. */
const TEXTS = new Set([
  'prompt',
  'content',
  'text',
  'parts',
  'output',
  'summary',
  'thinking',
  'reasoning_content',
  'refusal',
  'arguments',
  'function',
  'custom',
  'tool_calls',
  'function_call',
  'functionCall',
  'function_call_output',
  'functionResponse',
]);
/** Members that hold what a tool was given or gave: any JSON, all of whose texts count. */
const ANY_JSON = new Set(['args', 'response', 'input']);

/** Every text of the request, in its order. */
export function promptTexts(format: FormatId, body: JsonObject): string[] {
  const texts: string[] = [];
  for (const name of SPEAKING[format] ?? SPEAKING_ANYWHERE) readSpoken(body[name], texts);
  return texts;
}

function readSpoken(value: Json | undefined, texts: string[]): void {
  if (typeof value === 'string') addText(value, texts);
  else if (Array.isArray(value)) for (const entry of value) readSpoken(entry, texts);
  else if (isObject(value)) readMembers(value, texts);
}

function readMembers(value: JsonObject, texts: string[]): void {
  for (const [name, member] of Object.entries(value)) {
    if (TEXTS.has(name)) readSpoken(member, texts);
    else if (ANY_JSON.has(name)) readAll(member, texts);
    else if (name === 'source') readSource(asObject(member), texts);
    else if (name === 'encrypted_content') addText(wordsToAgent(value) ?? '', texts);
  }
}

/** A document of the Messages format may be given as text or as parts. */
function readSource(source: JsonObject | undefined, texts: string[]): void {
  if (source?.type === 'text') addText(asText(source.data) ?? '', texts);
  else readSpoken(source?.content, texts);
}

function readAll(value: Json | undefined, texts: string[]): void {
  if (typeof value === 'string') addText(value, texts);
  else if (Array.isArray(value)) for (const entry of value) readAll(entry, texts);
  else if (isObject(value)) for (const entry of Object.values(value)) readAll(entry, texts);
}

function addText(text: string, texts: string[]): void {
  if (text !== '' && !text.startsWith('data:')) texts.push(text);
}
