/** AI Proxy's knowledge base; its id stands in the channel's `other`. Source: providers/aiproxy-library.md, read 2026-11. */
import { readFailure } from '../../failure.ts';
import { isObject } from '../../json.ts';
import type { ProviderAdapter } from '../../provider.ts';

export const aiproxyLibrary: ProviderAdapter = {
  id: 'aiproxy-library',
  owner: 'aiproxy',
  label: { en: 'AI Proxy knowledge base', zh: '知识库：AI Proxy' },
  channelType: 21,
  baseUrl: 'https://api.aiproxy.io',
  speaks: { chat: ['aiproxy-library'] },
  streamUsage: false,
  models: ['gpt-3.5-turbo', 'gpt-4'],
  otherProblem: ({ other }) => (other === '' ? 'must be the id of a knowledge base' : undefined),
  path: () => '/api/library/ask',
  auth: () => ({ kind: 'bearer' }),
  amendBody: (body, { other }) => (isObject(body) ? { ...body, libraryId: other } : body),
  readFailure: (reply) => readFailure(reply, 'aiproxy-library', [{ status: 401, means: 'bad-key' }]),
};
