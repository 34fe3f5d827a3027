/** The description of the API itself. */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

export const reference = {
  openapi: endpoint({
    method: 'GET',
    path: '/api/openapi.json',
    access: 'optional',
    scope: 'any',
    shape: 'bare',
    description: {
      en: 'This document: public endpoints for everybody, the others as far as the role of the caller reaches.',
      zh: '本文档：公开接口对所有人可见，其余接口按调用者的角色显示。',
    },
    output: z.record(z.string(), z.unknown()),
  }),
  page: endpoint({
    method: 'GET',
    path: '/api/reference',
    access: 'optional',
    scope: 'any',
    shape: 'file',
    fileFormat: 'html',
    description: {
      en: 'The same as a page to read, in the language of the browser.',
      zh: '以网页形式显示的接口文档，语言跟随浏览器。',
    },
  }),
};
