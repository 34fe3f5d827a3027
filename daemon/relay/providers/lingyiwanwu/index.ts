/** 01.AI (Yi), in maintenance mode since 2025: models may be missing. Knows only its own dialect. */
import { openaiCompatible, openaiFormats } from '../openai-compatible.ts';
import { removeFields } from '../wire-edits.ts';

const refusedFields = ['n', 'logit_bias', 'logprobs', 'top_logprobs', 'response_format', 'stream_options'];

export const lingyiwanwu = openaiCompatible({
  id: 'lingyiwanwu',
  owner: '01.ai',
  label: { en: '01.AI (Yi)', zh: '零一万物' },
  channelType: 31,
  baseUrl: 'https://api.lingyiwanwu.com',
  speaks: openaiFormats(),
  streamUsage: false,
  failures: [
    { status: 401, means: 'bad-key' },
    { status: 404, means: 'no-model' },
    { status: 429, text: /balance|quota/i, means: 'no-credit' },
  ],
  amend: (body) => removeFields(body, refusedFields),
  models: ['yi-lightning', 'yi-vision-v2'],
});
