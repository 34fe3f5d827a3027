/** Jina AI: embeddings, and reranking. Source: providers/jina.md, read 2026-11. */
import { asWord } from '../../formats/fields.ts';
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { openaiCompatible } from '../openai-compatible.ts';
import { removeFields, renameField } from '../wire-edits.ts';

function fitJina(body: JsonObject, call: UpstreamCall): void {
  if (call.format !== 'openai-embeddings') return;
  removeFields(body, ['user']);
  if (asWord(body.encoding_format) === undefined) delete body.encoding_format;
  renameField(body, 'encoding_format', 'embedding_type');
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
