/**
 * Answers for which the vendor summed up the conversation first: what that took is charged, though the counts of the
 * whole leave it out. Runs once: it looks at one row of each call.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonAnswer, sseAnswer } from '../support/fake-upstream.ts';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';

const test = suite<HarnessStarts>('relay: compacted messages');

startsHarnesses(test);

const model = 'claude-opus-4-6';
const usage = {
  input_tokens: 23_000,
  output_tokens: 1000,
  iterations: [
    { type: 'compaction', input_tokens: 180_000, output_tokens: 3500 },
    { type: 'message', input_tokens: 23_000, output_tokens: 1000 },
  ],
};
const content = [{ type: 'text', text: 'Done.' }];
const whole = { id: 'msg_1', type: 'message', role: 'assistant', model, content, stop_reason: 'end_turn', usage };
const stream = [
  { type: 'message_start', message: { ...whole, content: [], usage: { input_tokens: 23_000, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Done.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
  { type: 'message_stop' },
];

for (const path of ['/v1/messages', '/v1/chat/completions']) {
  for (const streamed of [false, true]) {
    test(`are charged with their summaries (${path}, ${streamed ? 'stream' : 'whole'})`, async ({
      start,
      upstream,
    }) => {
      const prices = { ModelRatio: { [model]: 1 }, CompletionRatio: { [model]: 1 } };
      const channel = { id: 1, type: 14, baseUrl: upstream.url, models: model };
      const harness = await start({ channels: [channel], options: prices });
      upstream.script(streamed ? sseAnswer(stream) : jsonAnswer(whole));
      const messages = [{ role: 'user', content: 'hi' }];
      const answer = await harness.post(path, { model, messages, max_tokens: 5000, stream: streamed });
      assert.match(await answer.text(), 'Done.');
      const [row] = await harness.rows();
      assert.equal([row?.promptTokens, row?.completionTokens, row?.quota], [203_000, 4500, 207_500]);
    });
  }
}

test.run();
