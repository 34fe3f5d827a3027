/** Built-in model lists (management-api.md 3.16). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

export const models = {
  byChannelType: endpoint({
    method: 'GET',
    path: '/api/models',
    access: 'user',
    shape: 'data',
    description: 'Built-in model names by channel type, for the channel editor.',
    output: z.record(z.string(), z.array(z.string())),
  }),
};
