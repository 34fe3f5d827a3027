/**
 * Perplexity's Agent API, a dialect of OpenAI's Responses; its chat completions ended on 2026-09-27.
 * Source: providers/perplexity.md, read 2026-11.
 */
import { openaiCompatible } from '../openai-compatible.ts';
import { fitAgent } from './quirks.ts';

export const perplexity = openaiCompatible({
  id: 'perplexity',
  owner: 'perplexity',
  label: { en: 'Perplexity', zh: 'Perplexity' },
  channelType: 27,
  baseUrl: 'https://api.perplexity.ai',
  speaks: { chat: ['openai-responses'] },
  paths: { 'openai-responses': '/v1/agent' },
  failures: [
    // Also what an account without credits is told.
    { status: 401, means: 'bad-key' },
  ],
  amend: fitAgent,
  models: ['perplexity/sonar', 'sonar', 'sonar-pro', 'sonar-reasoning-pro', 'sonar-reasoning', 'sonar-deep-research'],
});
