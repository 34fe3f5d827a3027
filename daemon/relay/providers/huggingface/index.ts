/** Hugging Face Inference Providers. Knows only its own dialect. Source: providers/huggingface.md, read 2026-11. */
import { openaiCompatible, openaiFormats } from '../openai-compatible.ts';

export const huggingface = openaiCompatible({
  id: 'huggingface',
  owner: 'huggingface',
  label: { en: 'Hugging Face', zh: 'Hugging Face' },
  channelType: 107,
  baseUrl: 'https://router.huggingface.co',
  speaks: { ...openaiFormats(), chat: ['openai-chat', 'openai-responses'] },
  // `other` names the organisation that pays.
  headers: ({ other }) => (other === '' ? {} : { 'x-hf-bill-to': other }),
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
