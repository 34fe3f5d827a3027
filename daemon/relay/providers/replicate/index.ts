/** Replicate's models for texts and images, by predictions that are awaited. Source: providers/replicate.md, read 2026-11. */
import { readFailure } from '../../failure.ts';
import { imagesAtOnce } from '../../formats/replicate-images/index.ts';
import { isObject, type Json } from '../../json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { pathOn } from '../openai-compatible.ts';

/** A version of a community model, by its hash. */
const isVersion = /(?:^|:)[0-9a-f]{64}$/;

/** Somebody's own deployment of a model, named as its path is. */
const isDeployment = /^deployments\/[^/]+\/[^/]+$/;

function pathOf({ baseUrl, model }: UpstreamCall): string {
  if (isVersion.test(model)) return pathOn(baseUrl, '/v1/predictions');
  const name = isDeployment.test(model) ? model : `models/${model}`;
  return pathOn(baseUrl, `/v1/${name.split('/').map(encodeURIComponent).join('/')}/predictions`);
}

function amendBody(body: Json, { model }: UpstreamCall): Json {
  return isObject(body) && isVersion.test(model) ? { ...body, version: model } : body;
}

export const replicate: ProviderAdapter = {
  id: 'replicate',
  owner: 'replicate',
  label: { en: 'Replicate', zh: 'Replicate' },
  channelType: 109,
  baseUrl: 'https://api.replicate.com',
  speaks: {
    chat: ['replicate-predictions'],
    images: ['replicate-images'],
    'image-edits': ['replicate-images'],
  },
  atOnce: ({ capability, model }) =>
    capability === 'images' || capability === 'image-edits' ? imagesAtOnce(model) : undefined,
  streamUsage: false,
  traits: { topK: true },
  // Events stand at an address that only the first answer names.
  answersOnly: () => 'whole',
  models: [
    'openai/gpt-oss-120b',
    'deepseek-ai/deepseek-v3.1',
    'meta/meta-llama-3-70b-instruct',
    'black-forest-labs/flux-schnell',
    'black-forest-labs/flux-1.1-pro',
    'black-forest-labs/flux-2-pro',
    'google/nano-banana',
    'bytedance/seedream-4.5',
    'ideogram-ai/ideogram-v3-turbo',
  ],
  path: pathOf,
  auth: () => ({ kind: 'bearer' }),
  headers: () => ({ prefer: 'wait=60' }),
  amendBody,
  readFailure: (reply) =>
    readFailure(reply, 'replicate', [
      { status: 401, means: 'bad-key' },
      { status: 402, means: 'no-credit' },
      { status: 404, means: 'no-model' },
      { code: 'content_filter', means: 'bad-request' },
      { status: 422, means: 'bad-request' },
    ]),
};
