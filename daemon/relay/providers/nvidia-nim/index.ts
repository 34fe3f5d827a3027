/** NVIDIA NIM: the hosted catalogue and self-hosted containers. Source: providers/nvidia-nim.md, read 2026-11. */
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { openaiCompatible, openaiFormats, pathOn } from '../openai-compatible.ts';
import { removeFields, renameField } from '../wire-edits.ts';
import { pendingOf } from './pending.ts';

function fitNim(body: JsonObject, { format, model }: UpstreamCall): void {
  if (format === 'openai-embeddings') {
    // Retrieval models want to know which side of the search a text stands on.
    const suffix = /-(query|passage)$/.exec(model)?.[1];
    body.input_type ??= suffix ?? 'passage';
    if (suffix !== undefined) body.model = model.slice(0, -suffix.length - 1);
    return;
  }
  renameField(body, 'max_completion_tokens', 'max_tokens');
  removeFields(body, ['parallel_tool_calls', 'store', 'metadata', 'user']);
}

const hosted = /^https:\/\/integrate\.api\.nvidia\.com(?:\/v1)?$/;
/** Where the catalogue's functions for retrieval and media stand. */
const functions = 'https://ai.api.nvidia.com/v1';

function segments(model: string): string {
  return model.split('/').map(encodeURIComponent).join('/');
}

/** Containers have one path for each kind of function; the catalogue has one for each function, on another host. */
function ownPath({ baseUrl, format, model }: UpstreamCall): string | undefined {
  if (format === 'nvidia-rerank') {
    if (!hosted.test(baseUrl)) return pathOn(baseUrl, '/v1/ranking');
    return `${functions}/retrieval/${segments(model.replaceAll('.', '_'))}/reranking`;
  }
  if (format !== 'nvidia-images') return undefined;
  return hosted.test(baseUrl) ? `${functions}/genai/${segments(model)}` : pathOn(baseUrl, '/v1/infer');
}

export const nvidiaNim = openaiCompatible({
  id: 'nvidia-nim',
  owner: 'nvidia',
  label: { en: 'NVIDIA NIM', zh: 'NVIDIA NIM' },
  channelType: 108,
  baseUrl: 'https://integrate.api.nvidia.com',
  speaks: {
    ...openaiFormats('completions', 'embeddings'),
    images: ['nvidia-images'],
    'image-edits': ['nvidia-images'],
    rerank: ['nvidia-rerank'],
  },
  ownPath,
  pending: pendingOf,
  atOnce: ({ capability }) => (capability === 'images' || capability === 'image-edits' ? 1 : undefined),
  traits: { topK: true },
  failures: [
    { code: 'content_filter', means: 'bad-request' },
    { status: [401, 403], means: 'bad-key' },
    { status: 402, means: 'no-credit' },
    { status: [404, 410], means: 'no-model' },
  ],
  amend: fitNim,
  models: [
    'nvidia/nemotron-3-ultra-550b-a55b',
    'nvidia/nemotron-3-super-120b-a12b',
    'nvidia/nemotron-3-nano-30b-a3b',
    'nvidia/llama-3.3-nemotron-super-49b-v1.5',
    'deepseek-ai/deepseek-v4-pro',
    'deepseek-ai/deepseek-v4-flash',
    'moonshotai/kimi-k2.6',
    'z-ai/glm-5.2',
    'minimaxai/minimax-m3',
    'qwen/qwen3.5-397b-a17b',
    'openai/gpt-oss-120b',
    'openai/gpt-oss-20b',
    'meta/llama-3.3-70b-instruct',
    'meta/llama-4-maverick-17b-128e-instruct',
    'mistralai/mistral-large-3-675b-instruct-2512',
    'google/gemma-4-31b-it',
    'microsoft/phi-4-mini-instruct',
    'nvidia/llama-3.2-nv-embedqa-1b-v2',
    'nvidia/llama-3.2-nv-rerankqa-1b-v2',
    'black-forest-labs/flux.1-dev',
    'black-forest-labs/flux.1-schnell',
  ],
});
