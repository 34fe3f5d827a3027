/** Built-in model lists (management-api.md 3.16). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

export const models = {
  byChannelType: endpoint({
    method: 'GET',
    path: '/api/models',
    access: 'user',
    scope: 'any',
    shape: 'data',
    description: {
      en: 'Built-in model names by channel type, for the channel editor.',
      zh: '按渠道类型列出内置模型名称，供编辑渠道时使用。',
    },
    output: z.record(z.string(), z.array(z.string())),
  }),
};
