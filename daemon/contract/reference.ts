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
  page: endpoint({
    method: 'GET',
    path: '/api/reference',
    access: 'optional',
    shape: 'file',
    description: 'The same as a page to read, in the language of the browser.',
  }),
};
