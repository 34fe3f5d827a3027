/** Hugging Face Inference Providers; images, embeddings and transcripts at its own one, `hf-inference`. Source: providers/huggingface.md, read 2026-11. */
import type { FormatId } from '../../format.ts';
import type { UpstreamCall } from '../../provider.ts';
import { openaiCompatible } from '../openai-compatible.ts';

const tasks: ReadonlySet<FormatId> = new Set([
  'huggingface-images',
  'huggingface-embeddings',
  'huggingface-transcription',
]);

/** Tasks that are no conversation, beside the interface that imitates OpenAI. */
function taskPath({ baseUrl, format, model }: UpstreamCall): string | undefined {
  if (!tasks.has(format)) return undefined;
  const name = model
    .replace(/:hf-inference$/, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  const task = format === 'huggingface-embeddings' ? '/pipeline/feature-extraction' : '';
  return `${baseUrl.replace(/\/v1$/, '')}/hf-inference/models/${name}${task}`;
}

export const huggingface = openaiCompatible({
  id: 'huggingface',
  owner: 'huggingface',
  label: { en: 'Hugging Face', zh: 'Hugging Face' },
  channelType: 107,
  baseUrl: 'https://router.huggingface.co',
  speaks: {
    chat: ['openai-chat', 'openai-responses'],
    embeddings: ['huggingface-embeddings'],
    images: ['huggingface-images'],
    'image-edits': ['huggingface-images'],
    transcription: ['huggingface-transcription'],
  },
  ownPath: taskPath,
  atOnce: ({ capability }) => (capability === 'images' || capability === 'image-edits' ? 1 : undefined),
  // `other` names the organisation that pays.
  headers: ({ other, format }) => ({
    ...(other === '' ? {} : { 'x-hf-bill-to': other }),
    // The image itself is the answer.
    ...(format === 'huggingface-images' ? { accept: 'image/png' } : {}),
  }),
  failures: [
    { status: 401, means: 'bad-key' },
    { status: 402, means: 'no-credit' },
    { status: 403, means: 'bad-key' },
    { status: 400, code: 'model_not_supported', means: 'no-model' },
    { status: 404, means: 'no-model' },
  ],
  models: [
    'openai/gpt-oss-120b',
    'openai/gpt-oss-20b',
    'deepseek-ai/DeepSeek-V4-Pro',
    'moonshotai/Kimi-K2.6',
    'zai-org/GLM-5.2',
    'MiniMaxAI/MiniMax-M3',
    'Qwen/Qwen3.6-27B',
    'meta-llama/Llama-3.3-70B-Instruct',
  ],
});
