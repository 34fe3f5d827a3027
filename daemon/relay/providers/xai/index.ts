/** xAI (Grok). Source: providers/xai.md and the vendor's page on agents, read 2026-11. */
import type { FormatId } from '../../format.ts';
import { openaiCompatible } from '../openai-compatible.ts';
import { fitGrok } from './quirks.ts';

const beyondSpeech: readonly FormatId[] = ['openai-chat', 'openai-responses', 'openai-realtime', 'xai-images'];

/** Its speech has no model: whatever is named must be what its price is for. Several agents at once answer in Responses alone. */
function formatsOf(model: string): readonly FormatId[] {
  if (/tts/.test(model)) return ['xai-speech'];
  return /multi-agent/.test(model) ? ['openai-responses'] : beyondSpeech;
}

export const xai = openaiCompatible({
  id: 'xai',
  owner: 'xai',
  label: { en: 'xAI (Grok)', zh: 'xAI (Grok)' },
  channelType: 48,
  baseUrl: 'https://api.x.ai',
  speaks: {
    chat: ['openai-chat', 'openai-responses'],
    realtime: ['openai-realtime'],
    images: ['xai-images'],
    'image-edits': ['xai-images'],
    speech: ['xai-speech'],
  },
  formatsFor: (_, model) => formatsOf(model),
  paths: { 'xai-images': '/v1/images/generations', 'xai-speech': '/v1/tts' },
  // Sound is the answer itself.
  headers: ({ format }): Record<string, string> => (format === 'xai-speech' ? { accept: '*/*' } : {}),
  operations: { edits: '/v1/images/edits' },
  // The vendor answers a wrong key with 400 and writes no codes: its texts are all there is.
  failures: [
    { status: 400, text: /incorrect api key/i, means: 'bad-key' },
    { status: 401, means: 'bad-key' },
    { status: [403, 429], text: /used all available credits|monthly spending limit/i, means: 'no-credit' },
    { status: 403, text: /SAFETY_CHECK|violates usage guidelines/i, means: 'bad-request' },
    { status: 403, text: /blocked|disabled/i, means: 'bad-key' },
    { status: 400, text: /^Model not found/i, means: 'no-model' },
    { status: 404, means: 'no-model' },
    { status: [410, 415], means: 'bad-request' },
  ],
  amend: fitGrok,
  models: [
    'grok-4.7',
    'grok-4.6',
    'grok-4.5',
    'grok-4.3',
    'grok-4.20-0309-reasoning',
    'grok-4.20-0309-non-reasoning',
    'grok-4.20-multi-agent-0309',
    'grok-build-0.1',
    'grok-imagine-image',
    'grok-imagine-image-2.0',
    'grok-imagine-video',
    'grok-imagine-video-1.5',
    'grok-tts',
  ],
});
