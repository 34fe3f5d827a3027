/** Fireworks AI, which also speaks Responses and Messages. Source: providers/fireworks.md, read 2026-11. */
import type { JsonObject } from '../../json.ts';
import { openaiCompatible, openaiFormats } from '../openai-compatible.ts';

const ownPath = 'accounts/fireworks/models/';

/** A bare name means the vendor's own account; own deployments and plain embedding ids carry a slash or a hash. */
function fitFireworks(body: JsonObject): void {
  const { model } = body;
  if (typeof model === 'string' && !/[/#]/.test(model)) body.model = ownPath + model;
}

export const fireworks = openaiCompatible({
  id: 'fireworks',
  owner: 'fireworks',
  label: { en: 'Fireworks', zh: 'Fireworks' },
  channelType: 104,
  baseUrl: 'https://api.fireworks.ai/inference',
  speaks: {
    ...openaiFormats('completions', 'embeddings', 'rerank'),
    chat: ['openai-chat', 'openai-responses', 'anthropic-messages'],
  },
  paths: { 'anthropic-messages': '/v1/messages' },
  traits: { topK: true },
  failures: [
    { status: [401, 403], means: 'bad-key' },
    { status: [402, 412], means: 'no-credit' },
    { status: 404, means: 'no-model' },
  ],
  amend: fitFireworks,
  models: [
    ...[
      'deepseek-v4-pro',
      'deepseek-v4-flash',
      'deepseek-v3p2',
      'kimi-k3',
      'kimi-k2p7-code',
      'kimi-k2p6',
      'kimi-k2p5',
      'glm-5p2',
      'glm-5p1',
      'glm-4p7',
      'minimax-m3',
      'minimax-m2p7',
      'minimax-m2p5',
      'qwen3p8-max',
      'qwen3p7-plus',
      'qwen3-vl-30b-a3b-thinking',
      'gpt-oss-120b',
      'gpt-oss-20b',
      'llama-v3p3-70b-instruct',
      'qwen3-embedding-8b',
      'qwen3-reranker-8b',
      'flux-1-schnell-fp8',
      'flux-kontext-pro',
    ].map((name) => ownPath + name),
    'nomic-ai/nomic-embed-text-v1.5',
    'thenlper/gte-large',
  ],
});
