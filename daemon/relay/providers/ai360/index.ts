/** 360 Zhinao. Knows only its own dialect. Source: providers/ai360.md, read 2026-11. */
import type { JsonObject } from '../../json.ts';
import { openaiCompatible, openaiFormats } from '../openai-compatible.ts';
import { clampField, developerToSystem, removeFields } from '../wire-edits.ts';

function fit360(body: JsonObject): void {
  developerToSystem(body);
  clampField(body, 'temperature', { min: 0, max: 1 });
  removeFields(body, ['reasoning_effort', 'stream_options', 'logit_bias', 'logprobs', 'top_logprobs', 'n']);
}

export const ai360 = openaiCompatible({
  id: 'ai360',
  owner: '360',
  label: { en: '360 Zhinao', zh: '360 智脑' },
  channelType: 19,
  baseUrl: 'https://api.360.cn',
  speaks: openaiFormats('embeddings'),
  streamUsage: false,
  traits: { topK: true },
  failures: [
    { status: 401, means: 'bad-key' },
    { status: 402, means: 'no-credit' },
    { code: '1004', means: 'no-credit' },
    { status: 404, means: 'no-model' },
  ],
  amend: fit360,
  // Chunks before the last one end with an empty word, which clients take for the end.
  foreignAnswers: () => true,
  models: [
    '360gpt2-pro',
    '360gpt-pro',
    '360gpt-turbo',
    '360gpt-turbo-responsibility-8k',
    '360zhinao2-o1',
    '360GPT_S2_V9',
    'embedding-bert-512-v1',
    'embedding_s1_v1',
    'semantic_similarity_s1_v1',
  ],
});
