/** Cohere, by its own second version. Source: providers/cohere.md, read 2026-11. */
import { asObjects, asWord } from '../../formats/fields.ts';
import { isObject, type Json } from '../../json.ts';
import { openaiCompatible } from '../openai-compatible.ts';

function readNames(body: Json): string[] | undefined {
  if (!isObject(body) || !Array.isArray(body.models)) return undefined;
  return asObjects(body.models).flatMap((entry) => asWord(entry.name) ?? []);
}

export const cohere = openaiCompatible({
  id: 'cohere',
  owner: 'cohere',
  label: { en: 'Cohere', zh: 'Cohere' },
  channelType: 34,
  baseUrl: 'https://api.cohere.com',
  speaks: {
    chat: ['cohere-chat'],
    embeddings: ['cohere-embeddings'],
    rerank: ['cohere-rerank'],
    transcription: ['openai-transcription'],
  },
  traits: { topK: true },
  atOnce: ({ capability }) => (capability === 'embeddings' ? 96 : undefined),
  paths: {
    'cohere-chat': '/v2/chat',
    'cohere-embeddings': '/v2/embed',
    'cohere-rerank': '/v2/rerank',
    'openai-transcription': '/v2/audio/transcriptions',
  },
  headers: () => ({ 'x-client-name': 'tollgate' }),
  listModels: () => ({
    method: 'GET',
    path: '/v1/models?page_size=1000',
    auth: { kind: 'bearer' },
    read: readNames,
  }),
  failures: [
    { status: [401, 403, 498], means: 'bad-key' },
    { status: 402, means: 'no-credit' },
    { status: 404, means: 'no-model' },
    // No code for it: only the words tell.
    { status: 400, text: /^model .* not found/i, means: 'no-model' },
  ],
  models: [
    'command-a-plus-05-2026',
    'command-a-03-2025',
    'command-a-reasoning-08-2025',
    'command-a-vision-07-2025',
    'command-a-translate-08-2025',
    'command-r7b-12-2024',
    'command-r-08-2024',
    'command-r-plus-08-2024',
    'c4ai-aya-expanse-32b',
    'c4ai-aya-vision-32b',
    'tiny-aya-global',
  ],
});
