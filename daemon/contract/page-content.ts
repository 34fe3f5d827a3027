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
  notice: endpoint({
    ...content,
    path: '/api/notice',
    description: { en: 'The current notice; empty when there is none.', zh: '当前公告；没有时为空。' },
  }),
  about: endpoint({
    ...content,
    path: '/api/about',
    description: { en: 'Content of the about page.', zh: '关于页面的内容。' },
  }),
  home: endpoint({
    ...content,
    path: '/api/home_page_content',
    description: { en: 'Content of the home page.', zh: '首页的内容。' },
  }),
};
