/** Xinference, a self-hosted server; a request's model is the uid of a running one. */
import { openaiCompatible, openaiFormats } from '../openai-compatible.ts';

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
  models: ['bge-reranker-v2-m3', 'jina-reranker-v2'],
});
