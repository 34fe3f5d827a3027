/**
 * GitHub Models, switched off on 2026-07-30. Its rows stay, and nothing is ever sent.
 * Source: providers/github-models.md, read 2026-11.
 */
import { readFailure } from '../../failure.ts';
import type { ProviderAdapter } from '../../provider.ts';

export const githubModels: ProviderAdapter = {
  id: 'github-models',
  owner: 'github',
  label: { en: 'GitHub Models (retired)', zh: 'GitHub Models（已停用）' },
  channelType: 105,
  baseUrl: '',
  speaks: {},
  streamUsage: false,
  retired: { successor: 'Azure AI Foundry (101)' },
  models: [],
  path: () => '/',
  auth: () => ({ kind: 'none' }),
  readFailure: (reply) => readFailure(reply, 'github-models', [{ means: 'no-model' }]),
};
