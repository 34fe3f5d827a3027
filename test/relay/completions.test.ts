/** Legacy completions where no channel completes: asked as a conversation, answered in the old shape (relay.md 5.4). */
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: completions');
const model = 'claude-sonnet-4-5';

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  const channels = [{ id: 1, type: 14, baseUrl: context.upstream.url, models: model, keys: ['k'] }];
  context.harness = await GatewayHarness.start({
    channels,
    options: { ModelRatio: { [model]: 1 }, CompletionRatio: { [model]: 1 } },
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content: [{ type: 'text', text: 'and they lived' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 9, output_tokens: 4 },
};

test('asks for an answer to the prompt and puts it into the old shape', async ({ harness, upstream }) => {
  upstream.script(jsonAnswer(message));
  const client = new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const answer = await client.completions.create({ model, prompt: ['Once upon a time'], max_tokens: 50, stop: ['.'] });
  assert.is(answer.object, 'text_completion');
  assert.equal(answer.choices, [{ text: 'and they lived', index: 0, logprobs: null, finish_reason: 'stop' }]);
  assert.is(answer.usage?.total_tokens, 13);
  const [request] = upstream.requests;
  assert.is(request?.url, '/v1/messages');
  const sent = JSON.parse(request?.body.toString() ?? '');
  assert.equal([sent.max_tokens, sent.stop_sequences], [50, ['.']]);
  assert.match(JSON.stringify(sent.messages), 'Once upon a time');
  const [row] = await harness.rows();
  assert.is(row?.quota, 13);
  assert.equal(row?.facts.request_conversion, ['openai-completions', 'anthropic-messages']);
});

test('streams in the old shape, with usage where it is asked for', async ({ harness, upstream }) => {
  const started = { ...message, content: [], stop_reason: null, usage: { input_tokens: 9, output_tokens: 1 } };
  const events = [
    { type: 'message_start', message: started },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'and they ' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lived' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
    { type: 'message_stop' },
  ];
  upstream.script(sseAnswer(events));
  const client = new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const stream = await client.completions.create({
    model,
    prompt: 'Once',
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = '';
  let total = 0;
  const finishes: (string | null)[] = [];
  for await (const chunk of stream) {
    assert.is(chunk.object, 'text_completion');
    for (const choice of chunk.choices) {
      text += choice.text;
      if (choice.finish_reason !== null) finishes.push(choice.finish_reason);
    }
    total += chunk.usage?.total_tokens ?? 0;
  }
  assert.equal([text, finishes, total], ['and they lived', ['stop'], 13]);
  assert.is((await harness.rows())[0]?.quota, 13);
});

test('refuses what no conversation can say', async ({ harness, upstream }) => {
  for (const body of [
    { prompt: [1, 2, 3] },
    { prompt: ['a', 'b'] },
    { prompt: 'a', suffix: 'z' },
    { prompt: 'a', echo: true },
    { prompt: 'a', best_of: 3 },
    { prompt: 'a', logprobs: 1 },
  ]) {
    const response = await harness.post('/v1/completions', { model, ...body });
    assert.is(response.status, 400, JSON.stringify(body));
    assert.is((await response.json()).error.code, 'convert_request_failed');
  }
  assert.is(upstream.requests.length, 0);
  assert.is((await harness.rows()).length, 0);
});

test('carries what vendors add to a prompt, and notes what the chosen one does not know', async ({
  harness,
  upstream,
}) => {
  upstream.script(jsonAnswer(message));
  const response = await harness.post('/v1/completions', { model, prompt: 'a', best_of: 1, top_k: 3, min_p: 0.1 });
  assert.is(response.status, 200, await response.text());
  assert.is(JSON.parse(upstream.requests[0]?.body.toString() ?? '').top_k, 3);
  const [row] = await harness.rows();
  assert.equal(row?.facts.dropped_fields, ['min_p']);
});

test('a number before many prompts does not hide them from what is held and from the limit', async (context) => {
  const { harness, upstream } = context;
  harness.setChannels([{ id: 1, type: 1, baseUrl: upstream.url, models: model, keys: ['k'] }]);
  for (const [prompt, field] of [
    [[1, ...Array.from({ length: 3000 }, () => 'a')], 'prompt.0'],
    [['a', 1], 'prompt.1'],
    [Array.from({ length: 3000 }, () => 'a'), 'prompt'],
  ] as const) {
    const refused = await harness.post('/v1/completions', { model, prompt, max_tokens: 5 });
    assert.equal([refused.status, (await refused.json()).error.param], [400, field]);
  }
  assert.is(upstream.requests.length, 0);
  assert.equal(await harness.rows(), []);
});

test('holds an answer for each prompt, and as many as are made to choose from', async ({ harness, upstream }) => {
  harness.setChannels([{ id: 1, baseUrl: upstream.url, models: model }]);
  const balance = async () => (await harness.database.stores.users.find(1))?.quota ?? 0;
  const held: number[] = [];
  for (const wish of [{ prompt: 'a' }, { prompt: ['a', 'b', 'c'] }, { prompt: ['a', 'b', 'c'], best_of: 2 }]) {
    const before = await balance();
    upstream.script(async () => {
      held.push(before - (await balance()));
      return jsonAnswer({ error: { message: 'no' } }, 400);
    });
    const refused = await harness.post('/v1/completions', { model, max_tokens: 1000, ...wish });
    assert.is(refused.status, 400);
    await harness.settled();
  }
  const [one = 0, ...more] = held;
  assert.equal(more, [one + 2000, one + 5000]);
});

test.run();
