/** Texts that the operator writes for the site's pages (management-api.md 3.2); Markdown, HTML or an address. */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

const content = {
  method: 'GET',
  access: 'public',
  shape: 'data',
  output: z.string(),
} as const;

export const pageContent = {
  notice: endpoint({ ...content, path: '/api/notice', description: 'The current notice; empty when there is none.' }),
  about: endpoint({ ...content, path: '/api/about', description: 'Content of the about page.' }),
  home: endpoint({ ...content, path: '/api/home_page_content', description: 'Content of the home page.' }),
};
