/**
 * The limits that the contract names for each request format (relay.md 5), and the few wishes that admission, routing
 * and delivery must know. Everything else in a body is carried along unread.
 */
import type { KeptReference } from '../domain/affinity.ts';
import { isItemReference } from '../relay/formats/openai-responses/kept-items.ts';
import { isObject, type Json, type JsonObject } from '../relay/json.ts';
import { checkSpeech, checkTranscript } from './check-audio.ts';
import {
  checkGeminiCount,
  checkGeminiEmbeddings,
  checkRerank,
  isAbsent,
  MAX_EMBEDDING_INPUTS,
  refuse,
} from './check-calls.ts';
import { checkImageEdit, checkImages, checkImageVariation, checkPredict } from './check-images.ts';
import type { Endpoint } from './exchange.ts';
import type { Form } from './form.ts';
import {
  chatReferences,
  generateReferences,
  imageReferences,
  keptReferences,
  messageReferences,
} from './kept-references.ts';

/** What a client wants of the answer. */
export interface RequestWishes {
  readonly stream: boolean;
  /** The client asked for usage on the stream. */
  readonly includeUsage: boolean;
  /** Output tokens a choice; undefined when the client set no limit. */
  readonly maxTokens: number | undefined;
  readonly choices: number;
  /** The upstream is to keep state, or the request builds on kept state. */
  readonly stateful: boolean;
  /** What the body says by id alone; empty for most. */
  readonly references: readonly KeptReference[];
}

const MAX_TOKENS_LIMIT = 1_073_741_823;
const MAX_CHOICES = 128;
const CHAT_ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

const NO_REFERENCES: readonly KeptReference[] = [];
const PLAIN: RequestWishes = {
  stream: false,
  includeUsage: false,
  maxTokens: undefined,
  choices: 1,
  stateful: false,
  references: NO_REFERENCES,
};

/**
 * Checks a body against its format's limits, and those of the model that it asks. Throws `invalid_request` with the field.
 */
export function checkRequest(
  { format, capability }: Pick<Endpoint, 'format' | 'capability'>,
  body: JsonObject,
  { model, form }: { readonly model: string; readonly form?: Form },
): RequestWishes {
  switch (format) {
    case 'openai-chat':
      return checkChat(body);
    case 'openai-completions':
      return checkCompletions(body);
    case 'openai-edits':
      return checkEdits(body);
    case 'openai-embeddings':
      return checkEmbeddings(body);
    case 'openai-moderations':
      if (isAbsent(body.input)) refuse('input', 'is required');
      return PLAIN;
    case 'openai-responses':
      return checkResponses(body);
    case 'openai-responses-compact':
      return checkCompaction(body);
    case 'anthropic-messages':
      return checkMessages(body);
    case 'gemini-generate':
      if (capability !== 'count-tokens') return checkGenerate(body);
      checkGeminiCount(body);
      return PLAIN;
    case 'gemini-embeddings':
      checkGeminiEmbeddings(body);
      return PLAIN;
    case 'openai-images':
      return { ...PLAIN, ...checkImages(body, model) };
    case 'openai-image-edits':
      return { ...PLAIN, ...checkImageEdit(body, model, form), references: imageReferences(body) };
    case 'openai-image-variations':
      return { ...PLAIN, ...checkImageVariation(body, model, form) };
    case 'openai-speech':
      return { ...PLAIN, stream: checkSpeech(body) };
    case 'openai-transcription':
    case 'openai-translation':
      return { ...PLAIN, stream: checkTranscript(body, form) };
    case 'gemini-predict':
      return { ...PLAIN, ...checkPredict(body) };
    case 'rerank':
      checkRerank(body);
      return PLAIN;
    default:
      return { ...PLAIN, stream: flag(body, 'stream') };
  }
}

function checkChat(body: JsonObject): RequestWishes {
  const { messages } = body;
  let mayRefer = false;
  if (isAbsent(messages)) refuse('messages', `is required${fittingPath(body)}`);
  if (!Array.isArray(messages) || messages.length === 0) refuse('messages', 'must be a non-empty array');
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (!isObject(message)) refuse(`messages.${index}`, 'must be an object');
    const role = message.role;
    if (typeof role !== 'string' || !CHAT_ROLES.has(role)) {
      refuse(`messages.${index}.role`, 'must be one of system, developer, user, assistant, tool, function');
    }
    // Clients send null for what an answer did not have.
    if (isObject(message.audio) || Array.isArray(message.content)) mayRefer = true;
  }
  const newLimit = tokenLimit(body, 'max_completion_tokens');
  const oldLimit = tokenLimit(body, 'max_tokens');
  checkStreamOptions(body);
  return {
    stream: flag(body, 'stream'),
    includeUsage: includesUsage(body),
    maxTokens: newLimit ?? oldLimit,
    choices: choices(body),
    stateful: false,
    references: mayRefer ? chatReferences(messages) : NO_REFERENCES,
  };
}

/** Where a body without messages belongs, by what it has instead. */
function fittingPath(body: JsonObject): string {
  if (!isAbsent(body.contents)) return '; a body with contents belongs to /v1beta/models/{model}:generateContent';
  return isAbsent(body.prompt) ? '' : '; a body with prompt belongs to /v1/completions';
}

function checkCompletions(body: JsonObject): RequestWishes {
  const { prompt } = body;
  const isText = typeof prompt === 'string' || (Array.isArray(prompt) && prompt.length > 0);
  if (!isText) refuse('prompt', 'must be a string or a non-empty array');
  const best = whole(body, 'best_of', MAX_CHOICES) ?? 1;
  const prompts = entriesOf(body, 'prompt');
  checkStreamOptions(body);
  return {
    ...PLAIN,
    stream: flag(body, 'stream'),
    includeUsage: includesUsage(body),
    maxTokens: tokenLimit(body, 'max_tokens'),
    choices: Math.max(choices(body), best) * prompts,
  };
}

function checkEdits(body: JsonObject): RequestWishes {
  const { instruction, input } = body;
  if (typeof instruction !== 'string' || instruction === '') refuse('instruction', 'must be a text that is not empty');
  if (!isAbsent(input) && typeof input !== 'string') refuse('input', 'must be a string');
  return { ...PLAIN, choices: choices(body) };
}

function checkEmbeddings(body: JsonObject): RequestWishes {
  const { input } = body;
  const isInput = typeof input === 'string' || (Array.isArray(input) && input.length > 0);
  if (!isInput) refuse('input', 'must be a string or a non-empty array');
  entriesOf(body, 'input');
  const encoding = body.encoding_format;
  if (!isAbsent(encoding) && encoding !== 'float' && encoding !== 'base64') {
    refuse('encoding_format', 'must be float or base64');
  }
  return PLAIN;
}

/** How many texts a member brings: a flat list of numbers is one of that many tokens, and mixes with nothing. */
function entriesOf(body: JsonObject, field: string): number {
  const value = body[field];
  if (!Array.isArray(value)) return 1;
  const other = value.findIndex((entry) => typeof entry !== 'number');
  if (other < 0) return 1;
  const number = other === 0 ? value.findIndex((entry) => typeof entry === 'number') : 0;
  if (number >= 0) refuse(`${field}.${number}`, 'must be a string or a list of token ids');
  if (value.length > MAX_EMBEDDING_INPUTS) refuse(field, `must have at most ${MAX_EMBEDDING_INPUTS} entries`);
  return value.length;
}

function checkResponses(body: JsonObject): RequestWishes {
  if (isAbsent(body.input) && isAbsent(body.prompt) && isAbsent(body.previous_response_id)) {
    refuse('input', 'is required');
  }
  checkContext(body);
  const buildsOn = [body.previous_response_id, body.conversation];
  const builds = !buildsOn.every(isAbsent) || refersToItems(body.input);
  const stored = builds || body.background === true;
  return {
    ...PLAIN,
    stream: flag(body, 'stream'),
    // Responses streams always carry their usage.
    includeUsage: true,
    maxTokens: tokenLimit(body, 'max_output_tokens'),
    stateful: stored || body.store === true,
    references: keptReferences(body),
  };
}

/** What a conversation is: items, or the answer that they follow. */
function checkContext({ input, previous_response_id: previous }: JsonObject): void {
  if (!isAbsent(input) && typeof input !== 'string' && !Array.isArray(input)) {
    refuse('input', 'must be a string or an array');
  }
  if (!isAbsent(previous) && typeof previous !== 'string') refuse('previous_response_id', 'must be a string');
}

/** Some items stand for what an upstream keeps. */
function refersToItems(input: Json | undefined): boolean {
  return Array.isArray(input) && input.some((item) => isObject(item) && isItemReference(item));
}

/** A conversation is made shorter: an answer that comes whole, whatever is asked. */
function checkCompaction(body: JsonObject): RequestWishes {
  if (isAbsent(body.input) && isAbsent(body.previous_response_id)) refuse('input', 'is required');
  if (flag(body, 'stream')) refuse('stream', 'must not be true: a compaction is answered as a whole');
  checkContext(body);
  const stateful = !isAbsent(body.previous_response_id) || refersToItems(body.input);
  return { ...PLAIN, stateful, references: keptReferences(body) };
}

/** Messages streams always carry their usage. */
function checkMessages(body: JsonObject): RequestWishes {
  const { messages, thread } = body;
  // A thread can go on from what its upstream keeps alone.
  const maySayNothing = isObject(thread) && thread.type === 'continue';
  if (!Array.isArray(messages) || (messages.length === 0 && !maySayNothing)) {
    refuse('messages', 'must be a non-empty array');
  }
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (!isObject(message)) refuse(`messages.${index}`, 'must be an object');
  }
  const maxTokens = tokenLimit(body, 'max_tokens');
  const references = messageReferences(body);
  return { ...PLAIN, stream: flag(body, 'stream'), includeUsage: true, maxTokens, references };
}

/** The path and not the body says whether Gemini's answer is a stream; its streams always carry their usage. */
function checkGenerate(body: JsonObject): RequestWishes {
  const { contents } = body;
  if (!Array.isArray(contents) || contents.length === 0) refuse('contents', 'must be a non-empty array');
  const config = body.generationConfig ?? body.generation_config ?? {};
  if (!isObject(config)) refuse('generationConfig', 'must be an object');
  const maxTokens = tokenLimit(config, 'maxOutputTokens') ?? tokenLimit(config, 'max_output_tokens');
  const count = whole(config, 'candidateCount', MAX_CHOICES) ?? whole(config, 'candidate_count', MAX_CHOICES) ?? 1;
  return { ...PLAIN, includeUsage: true, maxTokens, choices: count, references: generateReferences(body, contents) };
}

function checkStreamOptions(body: JsonObject): void {
  const options = body.stream_options;
  if (!isAbsent(options) && !isObject(options)) refuse('stream_options', 'must be an object');
}

function includesUsage(body: JsonObject): boolean {
  return isObject(body.stream_options) && body.stream_options.include_usage === true;
}

function flag(body: JsonObject, field: string): boolean {
  const value = body[field];
  if (isAbsent(value)) return false;
  if (typeof value !== 'boolean') refuse(field, 'must be true or false');
  return value;
}

/** A positive whole number up to `limit`; 0 counts as absent. */
function whole(body: JsonObject, field: string, limit: number): number | undefined {
  const value = body[field];
  if (isAbsent(value) || value === 0) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > limit) {
    refuse(field, `must be a whole number from 1 to ${limit}`);
  }
  return value;
}

function tokenLimit(body: JsonObject, field: string): number | undefined {
  return whole(body, field, MAX_TOKENS_LIMIT);
}

function choices(body: JsonObject): number {
  if (body.n === 0) refuse('n', `must be a whole number from 1 to ${MAX_CHOICES}`);
  return whole(body, 'n', MAX_CHOICES) ?? 1;
}
