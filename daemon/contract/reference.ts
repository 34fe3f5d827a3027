/** The description of the API itself. */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

export const reference = {
  openapi: endpoint({
    method: 'GET',
    path: '/api/openapi.json',
    access: 'optional',
    shape: 'bare',
    description: 'This document: public endpoints for everybody, the others as far as the role of the caller reaches.',
    output: z.record(z.string(), z.unknown()),
  }),
};
