/**
 * Upstreams that tell what was used as one sum, without saying how much of it was the answer: nothing is charged beside
 * the sum. Runs once: it looks at the wire and at one row.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonAnswer, sseAnswer } from '../support/fake-upstream.ts';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';

const test = suite<HarnessStarts>('relay: usage told as a sum');

startsHarnesses(test);

const words = 'a longer answer that a workflow gave';
const ask = { messages: [{ role: 'user', content: 'hi' }] };

for (const stream of [false, true]) {
  test(`a workflow's total is all that is told and charged (${stream ? 'stream' : 'whole'})`, async (context) => {
    const { start, upstream } = context;
    const model = 'flow';
    const channel = { id: 1, type: 37, other: 'workflow', baseUrl: upstream.url, models: model };
    const prices = { ModelRatio: { [model]: 1 }, CompletionRatio: { [model]: 1 } };
    const harness = await start({ channels: [channel], options: prices });
    const data = { status: 'succeeded', outputs: { text: words }, total_tokens: 3562 };
    upstream.script(sseAnswer([{ event: 'workflow_finished', workflow_run_id: 'w', data }]));
    const streamed = stream ? { stream, stream_options: { include_usage: true } } : {};
    const answer = await harness.post('/v1/chat/completions', { model, ...ask, ...streamed });
    const told = await answer.text();
    assert.match(told, words);
    const [, prompt, completion] = /"prompt_tokens":(\d+),"completion_tokens":(\d+)/.exec(told) ?? [];
    const [row] = await harness.rows();
    assert.equal([row?.promptTokens, row?.completionTokens], [Number(prompt), Number(completion)]);
    assert.ok((row?.completionTokens ?? 0) > 0);
    assert.is((row?.promptTokens ?? 0) + (row?.completionTokens ?? 0), 3562);
    assert.is(row?.quota, 3562);
  });
}

test('so is the total of a compatible server, whose answer goes on as it came', async ({ start, upstream }) => {
  const model = 'gpt-4o';
  const prices = { ModelRatio: { [model]: 1 }, CompletionRatio: { [model]: 1 } };
  const harness = await start({ channels: [{ id: 1, baseUrl: upstream.url, models: model }], options: prices });
  const choice = { index: 0, message: { role: 'assistant', content: words }, finish_reason: 'stop' };
  const body = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [choice],
    usage: { total_tokens: 50 },
  };
  upstream.script(jsonAnswer(body));
  const answer = await harness.post('/v1/chat/completions', { model, ...ask });
  assert.equal(await answer.json(), body);
  const [row] = await harness.rows();
  assert.is(row?.quota, 50);
});

test.run();
