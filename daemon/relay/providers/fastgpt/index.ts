/** FastGPT: an application behind a chat endpoint; the key chooses it. Source: providers/fastgpt.md, read 2026-11. */
import type { JsonObject } from '../../json.ts';
import { openaiCompatible, openaiFormats } from '../openai-compatible.ts';

function fitFastGpt(body: JsonObject): void {
  // With `detail` the stream consists of events of its own instead of chunks.
  body.detail = false;
  delete body.stream_options;
  // The application gives one answer, whatever is asked.
  delete body.n;
}

export const fastgpt = openaiCompatible({
  id: 'fastgpt',
  owner: 'fastgpt',
  label: { en: 'FastGPT', zh: '知识库：FastGPT' },
  channelType: 22,
  baseUrl: 'https://fastgpt.run/api/openapi',
  speaks: openaiFormats(),
  // Its usage is a constant, so tokens are counted here.
  streamUsage: false,
  failures: [
    { code: 'unAuthApiKey', means: 'bad-key' },
    { code: 'aiPointsNotEnough', means: 'no-credit' },
    // Some versions have the code where others have words.
    { text: /unAuthApiKey/, means: 'bad-key' },
    { text: /aiPointsNotEnough/, means: 'no-credit' },
    { status: [401, 403], means: 'bad-key' },
  ],
  amend: fitFastGpt,
  // Names, dates and ids of its answers are empty.
  foreignAnswers: () => true,
  models: ['gpt-3.5-turbo', 'gpt-4'],
});
