/** Group names (management-api.md 3.16). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

export const groups = {
  list: endpoint({
    method: 'GET',
    path: '/api/group/',
    access: 'admin',
    shape: 'data',
    description: 'Names of all groups, `default` first.',
    output: z.array(z.string()),
  }),
};
