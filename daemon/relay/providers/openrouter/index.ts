/** OpenRouter: many vendors behind one address. Knows only its own dialect. */
import { asNumber, asObject } from '../../formats/fields.ts';
import type { Json } from '../../json.ts';
import { openaiCompatible, openaiFormats, pathOn } from '../openai-compatible.ts';

function readCredits(body: Json): number | undefined {
  const data = asObject(asObject(body)?.data);
  const total = asNumber(data?.total_credits);
  const used = asNumber(data?.total_usage);
  return total === undefined || used === undefined ? undefined : total - used;
}

export const openrouter = openaiCompatible({
  id: 'openrouter',
  owner: 'openrouter',
  label: { en: 'OpenRouter', zh: 'OpenRouter' },
  channelType: 20,
  baseUrl: 'https://openrouter.ai/api',
  speaks: {
    ...openaiFormats('completions', 'embeddings', 'rerank', 'speech', 'transcription'),
    chat: ['openai-chat', 'openai-responses', 'anthropic-messages'],
    images: ['openrouter-images'],
    'image-edits': ['openrouter-images'],
  },
  traits: { topK: true, cacheMarks: true },
  paths: { 'anthropic-messages': '/v1/messages', 'openrouter-images': '/v1/images' },
  // Many of the vendors behind it refuse to make several images at once.
  atOnce: ({ capability }) => (capability === 'images' || capability === 'image-edits' ? 1 : undefined),
  headers: () => ({ 'X-Title': 'Tollgate' }),
  failures: [
    { status: 401, means: 'bad-key' },
    { status: 402, means: 'no-credit' },
    { status: 403, text: /key limit/i, means: 'no-credit' },
    { status: 403, means: 'bad-request' },
    { status: 404, means: 'no-model' },
    // The vendor gives no code of its own for an unknown model.
    { status: 400, text: /not a valid model/i, means: 'no-model' },
  ],
  balance: ({ baseUrl }) => [
    { method: 'GET', path: pathOn(baseUrl, '/v1/credits'), auth: { kind: 'bearer' }, read: readCredits },
  ],
  models: [],
});
