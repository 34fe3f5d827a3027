/** Baidu's Wenxin workshop, the first generation. Source: providers/baidu.md (V1), read 2026-11. */
import { readFailure } from '../../failure.ts';
import type { ProviderAdapter } from '../../provider.ts';
import { endpoints } from './endpoints.ts';
import { wenxinFailures } from './failures.ts';

const root = '/rpc/2.0/ai_custom/v1/wenxinworkshop';

export const baidu: ProviderAdapter = {
  id: 'baidu',
  owner: 'baidu',
  label: { en: 'Baidu Wenxin', zh: '百度文心千帆' },
  channelType: 15,
  baseUrl: 'https://aip.baidubce.com',
  speaks: { chat: ['baidu-wenxin'] },
  streamUsage: false,
  models: Object.keys(endpoints),
  path: ({ model }) => `${root}/chat/${encodeURIComponent(endpoints[model] ?? model.toLowerCase())}`,
  auth: () => ({ kind: 'signed', scheme: 'baidu-oauth' }),
  readFailure: (reply) => readFailure(reply, 'baidu', wenxinFailures),
};
