/** Xinference, a self-hosted server; a request's model is the uid of a running one. */
import { documentText } from '../../formats/rerank/index.ts';
import type { JsonObject } from '../../json.ts';
import { openaiCompatible, openaiFormats } from '../openai-compatible.ts';

/** Documents are texts here and nothing else. */
function fitDocuments(body: JsonObject): void {
  if (Array.isArray(body.documents)) body.documents = body.documents.map(documentText);
}

export const xinference = openaiCompatible({
  id: 'xinference',
  owner: 'xinference',
  label: { en: 'Xinference', zh: 'Xinference' },
  channelType: 47,
  baseUrl: '',
  speaks: {
    ...openaiFormats('completions', 'embeddings', 'rerank', 'images', 'speech', 'transcription', 'translation'),
    'image-edits': ['xinference-images'],
    'image-variations': ['xinference-images'],
  },
  paths: { 'xinference-images': '/v1/images/variations' },
  operations: { inpainting: '/v1/images/inpainting' },
  traits: { topK: true },
  failures: [
    { status: [401, 403], means: 'bad-key' },
    // The server has no codes: its errors are `detail` texts.
    { status: 400, text: /model not found/i, means: 'no-model' },
    { status: 404, means: 'no-model' },
  ],
  amend: fitDocuments,
  amends: ({ format }) => format === 'rerank',
  models: ['bge-reranker-v2-m3', 'jina-reranker-v2'],
});
