/** Group names (management-api.md 3.16). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

export const groups = {
  list: endpoint({
    method: 'GET',
    path: '/api/group/',
    access: 'admin',
    scope: 'any',
    shape: 'data',
    description: { en: 'Names of all groups, `default` first.', zh: '全部分组名称，`default` 在最前。' },
    output: z.array(z.string()),
  }),
};
