/** Doubao's images and bots, by what Volcengine's sheet says of them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonAnswer, sseAnswer } from '../support/fake-upstream.ts';
import type { GatewayHarness } from '../support/gateway-harness.ts';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';

const test = suite<HarnessStarts>('relay: Doubao');

startsHarnesses(test);

const volcengine = 45;
const siliconFlow = 40;

function serving({ start, upstream }: HarnessStarts, type = volcengine): Promise<GatewayHarness> {
  const ones = { 'bot-2024': 1 };
  return start({
    channels: [{ id: 1, type, baseUrl: upstream.url, models: 'seedream,bot-2024', keys: ['sk-upstream'] }],
    options: { ModelPrice: { seedream: 0.01 }, ModelRatio: ones, CompletionRatio: ones },
  });
}

test('whoever asks for a stream of images gets whole ones as events, of vendors that are asked for no stream', async (context) => {
  const { upstream } = context;
  for (const type of [volcengine, siliconFlow]) {
    const harness = await serving(context, type);
    upstream.script(jsonAnswer({ created: 1, data: [{ b64_json: 'aGk=' }], usage: { generated_images: 1 } }));
    const body = { model: 'seedream', prompt: 'a cat', stream: true, partial_images: 2 };
    const response = await harness.post('/v1/images/generations', body);
    const text = await response.text();
    assert.is(response.status, 200, text);
    assert.match(text, /^event: image_generation\.completed\n.*"b64_json":"aGk="/);
    const asked: unknown = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '');
    assert.not.match(JSON.stringify(asked), /stream|partial_images/);
  }
});

test('images that all offend are refused as the client’s own fault, once', async (context) => {
  const { upstream } = context;
  const harness = await serving(context);
  const error = { code: 'OutputImageSensitiveContentDetected', message: 'it may contain sensitive information' };
  upstream.script(jsonAnswer({ created: 1, data: [{ error }, { error }], usage: { generated_images: 0 } }));
  const response = await harness.post('/v1/images/generations', { model: 'seedream', prompt: 'a cat', n: 2 });
  const text = await response.text();
  assert.is(response.status, 400, text);
  assert.match(text, 'it may contain sensitive information');
  assert.is(upstream.requests.length, 1);
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    [0],
  );
});

const used = {
  model_usage: [
    { name: 'a', prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    { name: 'b', prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
  ],
};
const references = [{ url: 'https://a.example', title: 'A' }];

test('a bot’s client sees what all its models used, and what it read', async (context) => {
  const { upstream } = context;
  const harness = await serving(context);
  const messages = [{ role: 'user', content: 'hi' }];
  const known = { id: 'b', created: 1, model: 'bot-2024' };
  const message = { role: 'assistant', content: 'hi' };
  const none = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  upstream.script(
    jsonAnswer({
      ...known,
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'stop', message }],
      references,
      usage: none,
      bot_usage: used,
    }),
  );
  const whole = await (await harness.post('/v1/chat/completions', { model: 'bot-2024', messages })).json();
  const { prompt_tokens: prompt, completion_tokens: completion } = whole.usage;
  assert.equal([prompt, completion], [15, 5]);
  assert.is(whole.choices[0].message.annotations[0].url_citation.url, 'https://a.example');
  const chunk = (delta: object, finish: string | null = null) => ({
    ...known,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const last = { ...known, object: 'chat.completion.chunk', choices: [], bot_usage: used };
  upstream.script(sseAnswer([chunk(message), chunk({}, 'stop'), last, '[DONE]']));
  const asked = { model: 'bot-2024', messages, stream: true, stream_options: { include_usage: true } };
  const streamed = await (await harness.post('/v1/chat/completions', asked)).text();
  assert.match(streamed, /"usage":\{"prompt_tokens":15,"completion_tokens":5,/);
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    [20, 20],
  );
});

test.run();
