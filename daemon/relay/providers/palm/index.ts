/**
 * Google PaLM 2, switched off on 2024-08-15. Its rows stay, and nothing is ever sent.
 * Source: providers/palm.md, read 2026-11.
 */
import { readFailure } from '../../failure.ts';
import type { ProviderAdapter } from '../../provider.ts';

export const palm: ProviderAdapter = {
  id: 'palm',
  owner: 'google palm',
  label: { en: 'Google PaLM 2 (retired)', zh: 'Google PaLM 2（已停用）' },
  channelType: 11,
  baseUrl: '',
  speaks: {},
  streamUsage: false,
  retired: { successor: 'Google Gemini (24)' },
  models: ['PaLM-2'],
  path: () => '/',
  auth: () => ({ kind: 'none' }),
  readFailure: (reply) => readFailure(reply, 'palm', [{ means: 'no-model' }]),
};
