/** Jina AI: embeddings, and reranking. Source: providers/jina.md, read 2026-11. */
import { asObject, asObjects, asWord } from '../../formats/fields.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { openaiCompatible } from '../openai-compatible.ts';
import { removeFields, renameField } from '../wire-edits.ts';

function fitJina(body: JsonObject, call: UpstreamCall): void {
  if (call.format !== 'openai-embeddings') return;
  removeFields(body, ['user']);
  if (asWord(body.encoding_format) === undefined) delete body.encoding_format;
  renameField(body, 'encoding_format', 'embedding_type');
  const { input } = body;
  if (Array.isArray(input) && asObjects(input).length > 0) body.input = input.map(fitInput);
}

/** What else is embedded than texts, in Jina's words: each entry has a vector of its own. */
function fitInput(entry: Json): Json {
  if (typeof entry === 'string') return { text: entry };
  const part = asObject(entry);
  if (part === undefined) return entry;
  if (part.type === 'text') return { text: part.text ?? '' };
  const image = part.type === 'image_url' ? (asWord(asObject(part.image_url)?.url) ?? part.image_url) : part.image;
  if (typeof image === 'string') return { image: bare(image) };
  return typeof part.pdf === 'string' ? { ...part, pdf: bare(part.pdf) } : part;
}

/** An address, or base64 without a word before it. */
function bare(url: string): string {
  return url.startsWith('data:') ? url.slice(url.indexOf(',') + 1) : url;
}

export const jina = openaiCompatible({
  id: 'jina',
  owner: 'jina',
  label: { en: 'Jina', zh: 'Jina' },
  channelType: 38,
  baseUrl: 'https://api.jina.ai',
  speaks: { embeddings: ['openai-embeddings'], rerank: ['rerank'] },
  failures: [
    { status: [401, 403], means: 'bad-key' },
    { status: 402, means: 'no-credit' },
    { status: 404, means: 'no-model' },
    { status: 422, param: 'model', means: 'no-model' },
    { status: 422, text: /\bmodel\b/i, means: 'no-model' },
  ],
  amend: fitJina,
  models: [
    'jina-embeddings-v3',
    'jina-embeddings-v4',
    'jina-embeddings-v5-text-small',
    'jina-embeddings-v5-text-nano',
    'jina-code-embeddings-1.5b',
    'jina-code-embeddings-0.5b',
    'jina-clip-v2',
    'jina-clip-v1',
    'jina-embeddings-v2-base-en',
    'jina-embeddings-v2-base-zh',
    'jina-embeddings-v2-base-de',
    'jina-embeddings-v2-base-es',
    'jina-embeddings-v2-base-code',
    'jina-reranker-v3',
    'jina-reranker-m0',
    'jina-reranker-v2-base-multilingual',
    'jina-colbert-v2',
  ],
});
