/** Fireworks AI, which also speaks Responses and Messages. Source: providers/fireworks.md, read 2026-11. */
import { fireworksOperation } from '../../formats/fireworks-images/index.ts';
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { openaiCompatible, openaiFormats, pathOn } from '../openai-compatible.ts';
import { effortUpToHigh } from '../wire-edits.ts';

const ownPath = 'accounts/fireworks/models/';

/** These know more than `high`. */
const thinksHarder = /deepseek-v[4-9]|glm-[5-9]/;

/** A bare name means the vendor's own account; own deployments and plain embedding ids carry a slash or a hash. */
function fitFireworks(body: JsonObject, call: UpstreamCall): void {
  const { model } = body;
  if (typeof model === 'string' && !/[/#]/.test(model)) body.model = ownPath + model;
  if (!thinksHarder.test(call.model)) effortUpToHigh(body);
  // The least of its scale, on which thoughts can also be numbered.
  if (body.reasoning_effort === 'minimal') body.reasoning_effort = 'low';
}

/** The vendor's own name of a model, in a path. */
function pathOfModel(model: string): string {
  const name = /[/#]/.test(model) ? model : ownPath + model;
  return name.split('/').map(encodeURIComponent).join('/');
}

const hosted = /^https:\/\/api\.fireworks\.ai\/inference(?:\/v1)?$/;

/** Sound is heard on a host of its own, by the faster models on another. */
function audioPath({ baseUrl, format, model }: UpstreamCall): string | undefined {
  if (format !== 'openai-transcription' && format !== 'openai-translation') return undefined;
  const task = format === 'openai-translation' ? 'translations' : 'transcriptions';
  if (!hosted.test(baseUrl)) return undefined;
  const host = /turbo/.test(model) ? 'audio-turbo' : 'audio-prod';
  return `https://${host}.api.fireworks.ai/v1/audio/${task}`;
}

/** Image models are asked by workflows of their own; the oldest ones by the interface before them. */
function imagePath({ baseUrl, format, model, operation }: UpstreamCall): string | undefined {
  if (format !== 'fireworks-images') return undefined;
  const step = operation ?? fireworksOperation(model);
  if (step === 'generation') return pathOn(baseUrl, `/v1/image_generation/${pathOfModel(model)}`);
  return pathOn(baseUrl, `/v1/workflows/${pathOfModel(model)}${step === 'edit' ? '' : `/${step}`}`);
}

export const fireworks = openaiCompatible({
  id: 'fireworks',
  owner: 'fireworks',
  label: { en: 'Fireworks', zh: 'Fireworks' },
  channelType: 104,
  baseUrl: 'https://api.fireworks.ai/inference',
  speaks: {
    ...openaiFormats('completions', 'embeddings', 'rerank', 'transcription', 'translation'),
    chat: ['openai-chat', 'openai-responses', 'anthropic-messages'],
    images: ['fireworks-images'],
    'image-edits': ['fireworks-images'],
  },
  paths: { 'anthropic-messages': '/v1/messages' },
  ownPath: (call) => imagePath(call) ?? audioPath(call),
  atOnce: ({ capability }) => (capability === 'images' || capability === 'image-edits' ? 1 : undefined),
  traits: { topK: true },
  failures: [
    { code: 'content_filter', means: 'bad-request' },
    { status: [401, 403], means: 'bad-key' },
    { status: [402, 412], means: 'no-credit' },
    { status: 404, means: 'no-model' },
  ],
  amend: fitFireworks,
  // The models that listen stand in nobody's account.
  amends: ({ format }) => format !== 'openai-transcription' && format !== 'openai-translation',
  models: [
    ...[
      'deepseek-v4-pro',
      'deepseek-v4-flash',
      'deepseek-v3p2',
      'kimi-k3',
      'kimi-k2p7-code',
      'kimi-k2p6',
      'kimi-k2p5',
      'glm-5p2',
      'glm-5p1',
      'glm-4p7',
      'minimax-m3',
      'minimax-m2p7',
      'minimax-m2p5',
      'qwen3p8-max',
      'qwen3p7-plus',
      'qwen3-vl-30b-a3b-thinking',
      'gpt-oss-120b',
      'gpt-oss-20b',
      'llama-v3p3-70b-instruct',
      'qwen3-embedding-8b',
      'qwen3-reranker-8b',
      'flux-1-schnell-fp8',
      'flux-kontext-pro',
    ].map((name) => ownPath + name),
    'whisper-v3',
    'whisper-v3-turbo',
    'nomic-ai/nomic-embed-text-v1.5',
    'thenlper/gte-large',
  ],
});
