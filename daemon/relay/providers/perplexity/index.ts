/**
 * Perplexity's Agent API, a dialect of OpenAI's Responses; its chat completions ended on 2026-09-27. Compatible hosts
 * that still have them are asked in them where the channel says so (`responses_native` off). Source: providers/perplexity.md, read 2026-11.
 */
import type { FormatId } from '../../format.ts';
import type { UpstreamCall } from '../../provider.ts';
import { openaiCompatible } from '../openai-compatible.ts';
import { chatWords, fitAgent } from './quirks.ts';

function formatsFor(_: unknown, _model: string, setting: UpstreamCall['setting']): readonly FormatId[] {
  return [setting.responses_native === false ? 'openai-chat' : 'openai-responses', 'perplexity-embeddings'];
}

export const perplexity = openaiCompatible({
  id: 'perplexity',
  owner: 'perplexity',
  label: { en: 'Perplexity', zh: 'Perplexity' },
  channelType: 27,
  baseUrl: 'https://api.perplexity.ai',
  speaks: { chat: ['openai-responses', 'openai-chat'], embeddings: ['perplexity-embeddings'] },
  formatsFor,
  paths: {
    'openai-responses': '/v1/agent',
    'openai-chat': '/chat/completions',
    'perplexity-embeddings': '/v1/embeddings',
  },
  failures: [
    // Also what an account without credits is told.
    { status: 401, means: 'bad-key' },
    { status: 404, means: 'no-model' },
  ],
  traits: { chatWords },
  amend: fitAgent,
  amends: ({ format }) => format === 'openai-responses',
  models: [
    'perplexity/sonar',
    'sonar',
    'sonar-pro',
    'sonar-reasoning-pro',
    'sonar-reasoning',
    'sonar-deep-research',
    'pplx-embed-v1-0.6b',
    'pplx-embed-v1-4b',
  ],
});
