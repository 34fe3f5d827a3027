/** How GLM's chat, images and speech differ from OpenAI's. Source: providers/zhipu.md, and docs.bigmodel.cn for speech, read 2026-11. */
import { asList, asObject, asTexts } from '../../formats/fields.ts';
import { isForeignVoice } from '../../formats/foreign-voices.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import {
  changeMessages,
  clampField,
  developerToSystem,
  removeFields,
  renameField,
  schemaAsInstruction,
} from '../wire-edits.ts';

/** These take `reasoning_effort` as it is. */
const knowsEffort = /^glm-(?:5\.[2-9]|[6-9])/;
/** These can be told whether to think. */
const thinks = /^glm-(?:4\.[5-9]|[5-9])/;

const unknown = [
  'n',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'parallel_tool_calls',
  'stream_options',
];

export function fitGlm(body: JsonObject, { format, model }: UpstreamCall): void {
  if (typeof body.model === 'string') body.model = body.model.toLowerCase();
  if (format === 'openai-embeddings') removeFields(body, ['encoding_format', 'user']);
  if (format === 'openai-images') fitImages(body);
  if (format === 'openai-speech') fitSpeech(body);
  if (format !== 'openai-chat') return;
  developerToSystem(body);
  removeFields(body, unknown);
  renameField(body, 'max_completion_tokens', 'max_tokens');
  fitSampling(body, thinks.test(model.toLowerCase()) ? 1 : 0.99);
  nameUser(body);
  if (body.tool_choice === 'none') removeFields(body, ['tools', 'tool_choice']);
  else if (body.tool_choice !== undefined) body.tool_choice = 'auto';
  schemaAsInstruction(body);
  if (wantsBareImages.test(model)) bareImages(body);
  fitThinking(body, model.toLowerCase());
}

/** Names of other lengths are refused. */
function nameUser(body: JsonObject): void {
  const { user } = body;
  delete body.user;
  if (typeof user === 'string' && user.length >= 6 && user.length <= 128) body.user_id ??= user;
}

/** One image a call, named by its address: who wants it inline gets it fetched. */
function fitImages(body: JsonObject): void {
  removeFields(body, ['n', 'response_format', 'style', 'background', 'stream', 'partial_images']);
  nameUser(body);
  // Words of newer models of OpenAI's, which these refuse.
  if (body.quality !== 'hd' && body.quality !== 'standard') delete body.quality;
  if (body.size === 'auto') delete body.size;
}

/** It speaks in two forms, and sends bare samples unless it is told: who wants a file, of whatever kind, gets WAV. */
function fitSpeech(body: JsonObject): void {
  if (body.response_format !== 'pcm') body.response_format = 'wav';
  if (typeof body.voice !== 'string' || isForeignVoice(body.voice)) body.voice = 'tongtong';
  clampField(body, 'speed', { min: 0.5, max: 2 });
  removeFields(body, ['instructions', 'stream_format']);
}

/** The first models that see take images by address, or as base64 without a word before it. */
const wantsBareImages = /^glm-4v/i;

function bareImages(body: JsonObject): void {
  changeMessages(body, (message) => {
    if (!Array.isArray(message.content)) return message;
    const content = message.content.map((entry): Json => {
      const image = asObject(asObject(entry)?.image_url);
      const url = image?.url;
      if (typeof url !== 'string' || !url.startsWith('data:')) return entry;
      return { ...asObject(entry), image_url: { ...image, url: url.slice(url.indexOf(',') + 1) } };
    });
    return content.every((part, at) => part === asList(message.content)[at]) ? message : { ...message, content };
  });
}

/** @param mostTopP 1 is refused by the models before those that think */
function fitSampling(body: JsonObject, mostTopP: number): void {
  const { temperature, top_p: topP } = body;
  if (typeof temperature === 'number' && temperature > 1) body.temperature = 1;
  if (typeof temperature === 'number' && temperature <= 0) {
    delete body.temperature;
    body.do_sample = false;
  }
  if (typeof topP === 'number') body.top_p = Math.min(mostTopP, Math.max(0.01, topP));
  // A list is wanted, and its first entry is all that counts.
  const [stop] = asTexts(body.stop);
  if (stop === undefined) delete body.stop;
  else if (asList(body.stop).length !== 1) body.stop = [stop];
}

function fitThinking(body: JsonObject, model: string): void {
  if (asObject(body.thinking)?.type === 'adaptive') body.thinking = { type: 'enabled' };
  const effort = body.reasoning_effort;
  if (typeof effort !== 'string' || knowsEffort.test(model)) return;
  delete body.reasoning_effort;
  if (thinks.test(model)) body.thinking ??= { type: effort === 'none' ? 'disabled' : 'enabled' };
}
