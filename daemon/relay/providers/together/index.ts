/** Together AI. Source: providers/together.md, read 2026-11. */
import type { JsonObject } from '../../json.ts';
import { openaiCompatible, openaiFormats } from '../openai-compatible.ts';
import { developerToSystem, removeFields, renameField } from '../wire-edits.ts';

function fitTogether(body: JsonObject): void {
  renameField(body, 'max_completion_tokens', 'max_tokens');
  developerToSystem(body);
  removeFields(body, ['user']);
  // A number of alternatives here, a switch everywhere else.
  if (typeof body.logprobs === 'boolean') body.logprobs = body.logprobs ? 1 : 0;
}

export const together = openaiCompatible({
  id: 'together',
  owner: 'together',
  label: { en: 'Together', zh: 'Together' },
  channelType: 110,
  baseUrl: 'https://api.together.xyz',
  speaks: {
    ...openaiFormats('completions', 'embeddings', 'rerank', 'speech', 'transcription', 'translation'),
    images: ['together-images'],
    'image-edits': ['together-images'],
  },
  paths: { 'together-images': '/v1/images/generations' },
  traits: { topK: true },
  endWords: { eos: 'stop' },
  failures: [
    { status: 401, means: 'bad-key' },
    { status: 402, means: 'no-credit' },
    { status: 403, means: 'bad-request' },
    { status: 404, means: 'no-model' },
  ],
  amend: fitTogether,
  models: [
    'deepseek-ai/DeepSeek-V4-Pro',
    'deepseek-ai/DeepSeek-V3.1',
    'moonshotai/Kimi-K2.6',
    'moonshotai/Kimi-K2.7-Code',
    'zai-org/GLM-5.2',
    'zai-org/GLM-5.1',
    'MiniMaxAI/MiniMax-M3',
    'Qwen/Qwen3.7-Max',
    'Qwen/Qwen3.7-Plus',
    'Qwen/Qwen3.5-397B-A17B',
    'Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8',
    'openai/gpt-oss-120b',
    'openai/gpt-oss-20b',
    'meta-llama/Llama-3.3-70B-Instruct-Turbo',
    'google/gemma-4-31B-it',
    'intfloat/multilingual-e5-large-instruct',
    'black-forest-labs/FLUX.2-pro',
    'black-forest-labs/FLUX.1-schnell',
    'Qwen/Qwen-Image-2.0',
    'ByteDance-Seed/Seedream-4.0',
    'openai/whisper-large-v3',
    'cartesia/sonic-3',
    'hexgrad/Kokoro-82M',
  ],
});
