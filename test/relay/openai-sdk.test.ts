/**
 * The official `openai` package, unmodified, as a client of a whole daemon.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { resolvesWithin } from '../support/until.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  openai: OpenAI;
  channel: number;
}

const sdk = suite<World>('official openai package');

const chunk = (delta: unknown, finish: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
});
const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
const usageChunk = { ...chunk({}), choices: [], usage };
const answer = (message: unknown, finish = 'stop') => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
  usage,
});
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hi' }];
const model = 'gpt-4o-mini';

sdk.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.daemon = await startTestDaemon();
  world.channel = await world.daemon.addChannel({
    base_url: world.upstream.url,
    models: 'gpt-4o-mini,text-embedding-3-small,omni-moderation-latest',
  });
  const apiKey = await world.daemon.addKey();
  world.openai = new OpenAI({ baseURL: `${world.daemon.url}/v1`, apiKey, maxRetries: 0 });
});

sdk.after(async (world) => {
  await world.daemon.stop();
  await world.upstream.close();
});

sdk('answers a chat call with text and usage', async ({ openai, upstream }) => {
  upstream.script(jsonAnswer(answer({ role: 'assistant', content: 'hello', refusal: null })));
  const completion = await openai.chat.completions.create({ model, messages });
  assert.is(completion.choices[0]?.message.content, 'hello');
  assert.is(completion.usage?.total_tokens, 14);
});

sdk('streams text and shows usage only to who asked for it', async ({ openai, upstream }) => {
  upstream.script(
    sseAnswer([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
      usageChunk,
      '[DONE]',
    ]),
  );
  const silent = await openai.chat.completions.create({ model, messages, stream: true });
  let text = '';
  for await (const part of silent) {
    text += part.choices[0]?.delta.content ?? '';
    assert.not.ok(part.usage, 'nobody asked for usage');
  }
  assert.is(text, 'hello');
  const asked = await openai.chat.completions.create({
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  const usages: unknown[] = [];
  for await (const part of asked) if (part.usage) usages.push(part.usage);
  assert.equal(usages, [usage]);
});

const weather = (id: string, index: number, city: string) => ({
  index,
  id,
  type: 'function',
  function: { name: 'weather', arguments: `{"city":"${city}"}` },
});

sdk('calls parallel tools, whole and streamed', async ({ openai, upstream }) => {
  const tools: OpenAI.ChatCompletionTool[] = [
    {
      type: 'function',
      function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    },
  ];
  const calls = [weather('call_1', 0, 'Rome'), weather('call_2', 1, 'Oslo')];
  upstream.script(jsonAnswer(answer({ role: 'assistant', content: null, tool_calls: calls }, 'tool_calls')));
  const whole = await openai.chat.completions.create({ model, messages, tools });
  assert.equal(
    whole.choices[0]?.message.tool_calls?.map((call) => call.id),
    ['call_1', 'call_2'],
  );
  upstream.script(
    sseAnswer([
      chunk({ role: 'assistant', content: null }),
      ...calls.map((call) => chunk({ tool_calls: [call] })),
      chunk({}, 'tool_calls'),
      usageChunk,
      '[DONE]',
    ]),
  );
  const finished = await openai.chat.completions.stream({ model, messages, tools }).finalChatCompletion();
  const streamed = finished.choices[0]?.message.tool_calls ?? [];
  assert.equal(
    streamed.map((call) => call.type === 'function' && call.function.arguments),
    ['{"city":"Rome"}', '{"city":"Oslo"}'],
  );
});

sdk('embeds and moderates', async ({ openai, upstream }) => {
  upstream.script(
    jsonAnswer({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, -0.25] }],
      model: 'text-embedding-3-small',
      usage: { prompt_tokens: 3, total_tokens: 3 },
    }),
  );
  const embedded = await openai.embeddings.create({
    model: 'text-embedding-3-small',
    input: 'hi',
    encoding_format: 'float',
  });
  assert.equal(embedded.data[0]?.embedding, [0.5, -0.25]);
  upstream.script(
    jsonAnswer({
      id: 'modr-1',
      model: 'omni-moderation-latest',
      results: [{ flagged: false, categories: {}, category_scores: {} }],
    }),
  );
  const moderated = await openai.moderations.create({ input: 'hi' });
  assert.is(moderated.results[0]?.flagged, false);
});

sdk('lists the models of the key and names an unknown one', async ({ openai }) => {
  const listed = await openai.models.list();
  assert.equal(listed.data.map((entry) => entry.id).sort(), [
    'gpt-4o-mini',
    'omni-moderation-latest',
    'text-embedding-3-small',
  ]);
  assert.is((await openai.models.retrieve(model)).id, model);
  await assertError(openai.models.retrieve('nope'), OpenAI.NotFoundError, 'model_not_found');
});

async function assertError(
  call: Promise<unknown>,
  type: new (...args: never[]) => Error,
  code: string | undefined,
): Promise<void> {
  try {
    await call;
  } catch (error) {
    assert.instance(error, type);
    if (error instanceof OpenAI.APIError && code !== undefined) assert.is(error.code, code);
    return;
  }
  assert.unreachable('the call was answered');
}

sdk('raises the class of each error', async ({ openai, upstream, daemon }) => {
  const call = (client = openai, asked = model) => client.chat.completions.create({ model: asked, messages });
  const stranger = new OpenAI({ baseURL: `${daemon.url}/v1`, apiKey: `sk-${'x'.repeat(48)}`, maxRetries: 0 });
  await assertError(call(stranger), OpenAI.AuthenticationError, 'access_denied');
  await assertError(call(openai, 'unknown-model'), OpenAI.NotFoundError, 'model_not_found');
  const poor = await daemon.addKey({ unlimited_quota: false, remain_quota: 1 });
  await assertError(
    call(new OpenAI({ baseURL: `${daemon.url}/v1`, apiKey: poor, maxRetries: 0 })),
    OpenAI.PermissionDeniedError,
    'insufficient_token_quota',
  );
  upstream.script(
    jsonAnswer(
      { error: { message: 'bad temperature', type: 'invalid_request_error', param: 'temperature', code: null } },
      400,
    ),
  );
  await assertError(call(), OpenAI.BadRequestError, undefined);
  upstream.script(
    jsonAnswer(
      { error: { message: 'no such path', type: 'invalid_request_error', code: 'context_length_exceeded' } },
      422,
    ),
  );
  await assertError(call(), OpenAI.UnprocessableEntityError, 'context_length_exceeded');
  upstream.script(jsonAnswer({ error: { message: 'boom', type: 'server_error' } }, 500));
  await assertError(call(), OpenAI.InternalServerError, undefined);
  upstream.script(jsonAnswer({ error: { message: 'slow down', type: 'requests' } }, 429, { 'retry-after': '1' }));
  await assertError(call(), OpenAI.RateLimitError, undefined);
});

sdk('ends the upstream call within a second when the client aborts', async ({ openai, upstream, daemon, channel }) => {
  // It was told to slow down in the test before.
  await daemon.root.channels.clearCooling({ id: channel });
  upstream.script({
    headers: { 'content-type': 'text/event-stream' },
    chunks: [`data: ${JSON.stringify(chunk({ content: 'a' }))}\n\n`],
    end: 'hang',
  });
  const stream = await openai.chat.completions.create({ model, messages, stream: true });
  const first = await stream[Symbol.asyncIterator]().next();
  assert.is(first.value?.choices[0]?.delta.content, 'a');
  stream.controller.abort();
  await resolvesWithin(1000, upstream.requests.at(-1)?.aborted);
});

sdk.run();
