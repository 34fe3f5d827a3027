/** Zhipu's third generation, kept for what still answers it. Source: providers/zhipu.md (v3), read 2026-11. */
import { readFailure } from '../../failure.ts';
import type { ProviderAdapter } from '../../provider.ts';
import { zhipuFailures } from './failures.ts';

export const zhipu: ProviderAdapter = {
  id: 'zhipu',
  owner: 'zhipu',
  label: { en: 'Zhipu ChatGLM v3', zh: '智谱 ChatGLM v3' },
  channelType: 16,
  baseUrl: 'https://open.bigmodel.cn',
  speaks: { chat: ['zhipu-v3'] },
  streamUsage: false,
  models: ['chatglm_turbo', 'chatglm_pro', 'chatglm_std', 'chatglm_lite'],
  path: ({ model, stream }) =>
    `/api/paas/v3/model-api/${encodeURIComponent(model)}/${stream ? 'sse-invoke' : 'invoke'}`,
  auth: () => ({ kind: 'signed', scheme: 'zhipu-jwt' }),
  readFailure: (reply) => readFailure(reply, 'zhipu', zhipuFailures),
};
