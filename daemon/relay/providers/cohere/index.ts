/** Cohere, by its own second version, or the first where the channel says so. Source: providers/cohere.md, read 2026-11. */
import type { FormatId } from '../../format.ts';
import { asObject, asObjects, asWord } from '../../formats/fields.ts';
import { isObject, type Json } from '../../json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { pageAfter } from '../list-pages.ts';
import { openaiCompatible, pathBeside } from '../openai-compatible.ts';

function readNames(body: Json): string[] | undefined {
  if (!isObject(body) || !Array.isArray(body.models)) return undefined;
  return asObjects(body.models).flatMap((entry) => asWord(entry.name) ?? []);
}

const speaks = {
  chat: ['cohere-chat', 'cohere-v1-chat'],
  embeddings: ['cohere-embeddings'],
  rerank: ['cohere-rerank'],
  transcription: ['openai-transcription'],
} as const satisfies ProviderAdapter['speaks'];

/** The chat's version is the channel's choice (`api_version`); everything else has one. */
function formatsFor(
  _: unknown,
  _model: string,
  { api_version: version }: UpstreamCall['setting'],
): readonly FormatId[] {
  const all: readonly FormatId[] = Object.values<readonly FormatId[]>(speaks).flat();
  const other: FormatId = version === 'v1' ? 'cohere-chat' : 'cohere-v1-chat';
  return all.filter((format) => format !== other);
}

const paths: Partial<Record<FormatId, string>> = {
  'cohere-chat': '/v2/chat',
  'cohere-v1-chat': '/v1/chat',
  'cohere-embeddings': '/v2/embed',
  'cohere-rerank': '/v2/rerank',
  'openai-transcription': '/v2/audio/transcriptions',
};

/** Each path has a version of its own; the interface that imitates OpenAI stands beside them. */
const pasted = /(?:\/compatibility)?\/v[12]$/;

export const cohere = openaiCompatible({
  id: 'cohere',
  owner: 'cohere',
  label: { en: 'Cohere', zh: 'Cohere' },
  channelType: 34,
  baseUrl: 'https://api.cohere.com',
  speaks,
  formatsFor,
  traits: { topK: true, replayReasoning: true },
  atOnce: ({ capability }) => (capability === 'embeddings' ? 96 : undefined),
  path: ({ baseUrl, format }) => pathBeside(baseUrl, pasted, paths[format] ?? '/v2/chat'),
  headers: () => ({ 'x-client-name': 'tollgate' }),
  listModels: ({ baseUrl }) => {
    const path = pathBeside(baseUrl, pasted, '/v1/models?page_size=1000');
    const next = (body: Json) => pageAfter(path, 'page_token', asObject(body)?.next_page_token);
    return { method: 'GET', path, auth: { kind: 'bearer' }, read: readNames, next };
  },
  failures: [
    { status: [401, 403, 498], means: 'bad-key' },
    { status: 402, means: 'no-credit' },
    { status: 404, means: 'no-model' },
    { status: 429, text: /\/ month/i, means: 'rate-limit', exhausts: 'key' },
    { status: 501, means: 'bad-request' },
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
    'embed-v5.0-pro',
    'embed-v5.0-fast',
    'embed-v4.0',
    'embed-english-v3.0',
    'embed-multilingual-v3.0',
    'embed-english-light-v3.0',
    'embed-multilingual-light-v3.0',
    'rerank-v5.0-pro',
    'rerank-v5.0-fast',
    'rerank-v4.0-pro',
    'rerank-v4.0-fast',
    'rerank-v3.5',
    'rerank-english-v3.0',
    'rerank-multilingual-v3.0',
    'cohere-transcribe-03-2026',
  ],
});
