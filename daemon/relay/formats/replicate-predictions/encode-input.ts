/**
 * A chat as the inputs of a model on Replicate, each family of models with words of its own. Source:
 * providers/replicate.md and the models' pages on replicate.com, read 2026-11.
 */
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asObjects, asTexts, asWord, inexpressible } from '../fields.ts';
import { textOfContent } from '../vendor-chat.ts';

/** What one vendor's models on this host call things. */
interface Family {
  readonly models: RegExp;
  readonly system: string;
  readonly limit: string;
  /** Where images go, and whether as one or as a list. Undefined: nowhere. */
  readonly images?: { readonly name: string; readonly form: 'one' | 'list' };
  /** The turns may go as they are; then nothing else that is said counts. */
  readonly messages?: true;
  /** Words of the chat wire that these models know and the others do not. */
  readonly knows?: readonly string[];
}

const plain: Omit<Family, 'models'> = { system: 'system_prompt', limit: 'max_tokens' };
const families: readonly Family[] = [
  {
    models: /^openai\/(?!gpt-oss)/,
    system: 'system_prompt',
    limit: 'max_completion_tokens',
    images: { name: 'image_input', form: 'list' },
    messages: true,
    knows: ['reasoning_effort', 'verbosity'],
  },
  { ...plain, models: /^anthropic\//, images: { name: 'image', form: 'one' } },
  {
    models: /^google\/gemini/,
    system: 'system_instruction',
    limit: 'max_output_tokens',
    images: { name: 'images', form: 'list' },
  },
  { ...plain, models: /llava|moondream|vision|-vl\b/, images: { name: 'image', form: 'one' } },
];

const samplers = ['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty'] as const;

/** Fields of the chat wire that some model here has a word for. */
export const taken: readonly string[] = [
  ...samplers,
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'reasoning_effort',
  'verbosity',
];

/** Throws `convert_request_failed` for images that the model cannot be shown. */
export function encode(body: JsonObject, scope: Scope): Json {
  const model = asWord(body.model) ?? '';
  const family: Omit<Family, 'models'> = families.find(({ models }) => models.test(model)) ?? plain;
  const messages = asObjects(body.messages);
  const images = encodeImages(messages, family);
  const isSpoken = family.messages === true && Object.keys(images).length === 0 && messages.length > 1;
  const input: JsonObject = isSpoken
    ? { messages: messages.map(encodeTurn) }
    : { ...encodePrompt(messages, family), ...images };
  for (const field of samplers) {
    const value = body[field];
    if (value !== undefined) input[field] = value;
  }
  for (const field of ['reasoning_effort', 'verbosity']) {
    const value = body[field];
    if (value === undefined) continue;
    if (family.knows?.includes(field)) input[field] = value;
    else scope.lose(field);
  }
  const limit = body.max_tokens ?? body.max_completion_tokens;
  if (limit !== undefined) input[family.limit] = limit;
  const stop = asTexts(body.stop);
  if (stop.length > 0) input.stop_sequences = stop.join(',');
  return { input };
}

function isInstruction({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer';
}

function encodeTurn(message: JsonObject): JsonObject {
  const role = isInstruction(message) ? 'system' : message.role === 'assistant' ? 'assistant' : 'user';
  return { role, content: textOfContent(message.content) };
}

/** The whole conversation as one text, or the bare text of the only message. */
function encodePrompt(messages: readonly JsonObject[], { system: name }: Omit<Family, 'models'>): JsonObject {
  const system = messages.filter(isInstruction).map(({ content }) => textOfContent(content));
  const turns = messages
    .filter((message) => !isInstruction(message))
    .map(({ role, content }) => `${asWord(role) ?? 'user'}: ${textOfContent(content)}`);
  const [only] = turns;
  const prompt =
    turns.length === 1 && only !== undefined ? only.replace(/^user: /, '') : `${turns.join('\n')}\nassistant:`;
  return { prompt, ...(system.length === 0 ? {} : { [name]: system.join('\n') }) };
}

function encodeImages(messages: readonly JsonObject[], { images }: Omit<Family, 'models'>): JsonObject {
  const shown = messages.flatMap(({ content }) => asObjects(content).flatMap(imageOf));
  const [only, another] = shown;
  if (only === undefined) return {};
  if (images === undefined) throw inexpressible('content', 'images cannot be sent to this model');
  if (images.form === 'list') return { [images.name]: shown };
  if (another !== undefined) throw inexpressible('content', 'this model looks at one image');
  return { [images.name]: only };
}

/** The address of an image part, which may be a data URL. */
function imageOf(part: JsonObject): string[] {
  if (part.type !== 'image_url') return [];
  const url = asWord(asObject(part.image_url)?.url);
  return url === undefined ? [] : [url];
}
