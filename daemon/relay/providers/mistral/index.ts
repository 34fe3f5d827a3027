/** Mistral AI, which refuses every field it does not know. Knows only its own dialect. */
import { openaiCompatible, openaiFormats } from '../openai-compatible.ts';
import { fitMistral } from './quirks.ts';

export const mistral = openaiCompatible({
  id: 'mistral',
  owner: 'mistralai',
  label: { en: 'Mistral', zh: 'Mistral' },
  channelType: 42,
  baseUrl: 'https://api.mistral.ai',
  speaks: {
    ...openaiFormats('completions', 'embeddings', 'moderations', 'transcription'),
    speech: ['mistral-speech'],
  },
  paths: { 'openai-completions': '/v1/fim/completions', 'mistral-speech': '/v1/audio/speech' },
  // Usage is always in the last chunk; the field that asks for it is an unknown one.
  streamUsage: false,
  failures: [
    { code: ['1500', 'invalid_model'], means: 'no-model' },
    { status: 401, means: 'bad-key' },
    { status: 402, means: 'no-credit' },
    { status: 403, text: /guardrail/i, means: 'bad-request' },
    { status: 403, text: /subscription/i, means: 'no-credit' },
    { status: 404, means: 'no-model' },
    { status: 429, text: /month/i, means: 'rate-limit', exhausts: 'key' },
    { code: ['1300', '3505'], means: 'rate-limit' },
  ],
  amend: fitMistral,
  // Those that think answer in parts, calls may bring objects, and a full context has a word of its own (`model_length`).
  foreignAnswers: () => true,
  models: [
    'mistral-large-latest',
    'mistral-large-2512',
    'mistral-medium-latest',
    'mistral-medium-3-5',
    'mistral-medium-2604',
    'mistral-small-latest',
    'mistral-small-2603',
    'ministral-3b-2512',
    'ministral-8b-2512',
    'ministral-14b-2512',
    'magistral-medium-latest',
    'magistral-small-latest',
    'codestral-latest',
    'codestral-2508',
    'devstral-medium-latest',
    'devstral-small-latest',
    'devstral-2512',
    'open-mistral-nemo',
    'pixtral-large-latest',
    'mistral-embed',
    'codestral-embed-2505',
    'mistral-moderation-latest',
    'mistral-ocr-latest',
    'voxtral-small-2507',
    'voxtral-mini-transcribe-2602',
    'voxtral-tts-2603',
  ],
});
