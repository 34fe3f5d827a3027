/** Every endpoint that is served besides plain chat, and the official client against it. */
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { completion, events, streamOf } from './wire.ts';

interface Context {
  a: FakeUpstream;
  b: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: endpoints');
const models = 'gpt-4o,text-embedding-3-small,omni-moderation-latest,gpt-3.5-turbo-instruct';

test.before.each(async (context) => {
  context.a = await startFakeUpstream();
  context.b = await startFakeUpstream();
  context.harness = await GatewayHarness.start({
    channels: [
      { id: 1, baseUrl: context.a.url, models },
      { id: 2, baseUrl: context.b.url, models },
    ],
    options: { RetryTimes: 1 },
  });
});
test.after.each(async ({ harness, a, b }) => {
  await harness.stop();
  await Promise.all([a.close(), b.close()]);
});

const both = ({ a, b }: Context, script: Parameters<FakeUpstream['script']>[0]) => {
  a.script(script);
  b.script(script);
};
const firstRequest = ({ a, b }: Context) => a.requests[0] ?? b.requests[0];

test('embeds, by body and by path, and ignores completion tokens', async (context) => {
  const { harness } = context;
  const answer = {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
    model: 'text-embedding-3-small',
    usage: { prompt_tokens: 3000, completion_tokens: 77, total_tokens: 3000 },
  };
  both(context, jsonAnswer(answer));
  const response = await harness.post('/v1/embeddings', { model: 'text-embedding-3-small', input: ['a', 'b'] });
  assert.equal(await response.json(), answer);
  await harness.post('/v1/engines/text-embedding-3-small/embeddings', { input: 'a' });
  const [row] = await harness.rows();
  assert.equal([row?.quota, row?.completionTokens], [30, 0]);
  assert.is(firstRequest(context)?.url, '/v1/embeddings');
});

test('packs vectors for clients that ask for base64, where the upstream knows nothing of it', async (context) => {
  const { harness } = context;
  const answer = (embedding: unknown) => ({
    object: 'list',
    data: [0, 1].map((index) => ({ object: 'embedding', index, embedding })),
    model: 'upstream-name',
    usage: { prompt_tokens: 2, total_tokens: 2, prompt_ids: 12345678901234567n.toString() },
  });
  const packed = Buffer.from(new Float32Array([0.5, -0.25]).buffer).toString('base64');
  const ask = { model: 'text-embedding-3-small', input: ['a', 'b'] };
  both(context, jsonAnswer(answer([0.5, -0.25])));
  const asked = { ...ask, encoding_format: 'base64' };
  assert.equal(await (await harness.post('/v1/embeddings', asked)).json(), answer(packed));
  assert.equal(await (await harness.post('/v1/embeddings', ask)).json(), answer([0.5, -0.25]));
  // The official client asks so unless it is told otherwise.
  const client = new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const read = async () => (await client.embeddings.create(ask)).data.map(({ embedding }) => [...embedding]);
  const vectors = [
    [0.5, -0.25],
    [0.5, -0.25],
  ];
  assert.equal(await read(), vectors);
  both(context, jsonAnswer(answer(packed)));
  assert.equal(await read(), vectors);
  // What is no vector is left to the client.
  both(context, jsonAnswer(answer([[0.5], [0.25]])));
  assert.equal(await (await harness.post('/v1/embeddings', asked)).json(), answer([[0.5], [0.25]]));
});

test('refuses more than 2048 inputs', async ({ harness }) => {
  const input = Array.from({ length: 2049 }, () => 'x');
  const response = await harness.post('/v1/embeddings', { model: 'text-embedding-3-small', input });
  assert.is(response.status, 400);
});

test('moderates with its default model and keeps the free row', async (context) => {
  const { harness } = context;
  both(context, jsonAnswer({ id: 'modr-1', model: 'omni-moderation-latest', results: [{ flagged: false }] }));
  const response = await harness.post('/v1/moderations', { input: 'is this fine?' });
  assert.is((await response.json()).results[0].flagged, false);
  assert.is(JSON.parse(firstRequest(context)?.body.toString() ?? '{}').model, 'omni-moderation-latest');
  const picture = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
  await harness.post('/v1/moderations', { input: [{ type: 'text', text: 'is this fine?' }, picture] });
  // All text counts, and nothing else.
  const rows = await harness.rows();
  assert.is(rows.length, 2);
  assert.ok((rows[0]?.promptTokens ?? 0) > 0);
  assert.equal([rows[0]?.quota, rows[1]?.quota, rows[1]?.promptTokens], [0, 0, rows[0]?.promptTokens]);
});

test('completes legacy prompts, whole and streamed', async (context) => {
  const { harness } = context;
  const body = { model: 'gpt-3.5-turbo-instruct', prompt: 'once' };
  const answer = { id: 'cmpl-1', object: 'text_completion', created: 1, model: body.model };
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  both(context, jsonAnswer({ ...answer, choices: [{ text: ' upon', index: 0, finish_reason: 'stop' }], usage }));
  assert.is((await (await harness.post('/v1/completions', body)).json()).choices[0].text, ' upon');
  both(
    context,
    sseAnswer([
      { ...answer, choices: [{ text: ' upon', index: 0, finish_reason: null }] },
      { ...answer, choices: [{ text: '', index: 0, finish_reason: 'stop' }] },
      { ...answer, choices: [], usage },
      '[DONE]',
    ]),
  );
  const text = await (await harness.post('/v1/completions', { ...body, stream: true })).text();
  assert.is(events(text).at(-1), '[DONE]');
  const rows = await harness.rows();
  assert.is(rows[0]?.quota, rows[1]?.quota);
});

test('edits texts on the path where forms edit images', async (context) => {
  const { harness } = context;
  const answer = {
    object: 'edit',
    created: 1,
    choices: [{ text: 'mended', index: 0 }],
    usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
  };
  both(context, jsonAnswer(answer));
  const asked = { model: 'gpt-4o', instruction: 'mend', input: 'brokn', temperature: 0 };
  assert.equal(await (await harness.post('/v1/edits', asked)).json(), answer);
  const sent = firstRequest(context);
  assert.equal([sent?.url, JSON.parse(sent?.body.toString() ?? '')], ['/v1/edits', asked]);
  const [row] = await harness.rows();
  assert.equal([row?.promptTokens, row?.completionTokens, row?.quota], [12, 5, 40]);
  for (const [body, field] of [
    [{ model: 'gpt-4o', input: 'a' }, 'instruction'],
    [{ model: 'gpt-4o', instruction: 'mend', input: 5 }, 'input'],
  ] as const) {
    const refused = await harness.post('/v1/edits', body);
    assert.equal([refused.status, (await refused.json()).error.param], [400, field]);
  }
  both(context, jsonAnswer({ created: 1, data: [{ b64_json: 'aGk=' }] }));
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'gpt-4o', prompt: 'mend' })) form.set(name, value);
  form.set('image', new Blob(['png'], { type: 'image/png' }), 'a.png');
  const headers = { authorization: `Bearer sk-${harness.key}` };
  const drawn = await fetch(`${harness.url}/v1/edits`, { method: 'POST', headers, body: form });
  assert.equal((await drawn.json()).data, [{ b64_json: 'aGk=' }]);
  const urls = [...context.a.requests, ...context.b.requests].map(({ url }) => url);
  assert.equal(urls.sort(), ['/v1/edits', '/v1/images/edits']);
  harness.setChannels([{ id: 3, type: 14, baseUrl: context.a.url, models, keys: ['k'] }]);
  const nobody = await harness.post('/v1/edits', asked);
  assert.equal([nobody.status, (await nobody.json()).error.code], [503, 'no_channel_for_model']);
});

const response = {
  id: 'resp_stored',
  object: 'response',
  status: 'completed',
  model: 'gpt-4o',
  output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] }],
  usage: { input_tokens: 12, output_tokens: 5, total_tokens: 17 },
};

test('answers Responses calls natively and asks the upstream to keep nothing', async (context) => {
  const { harness } = context;
  both(context, jsonAnswer(response));
  const answer = await harness.post('/v1/responses', { model: 'gpt-4o', input: 'hi', store: true });
  assert.equal(await answer.json(), response);
  assert.is(JSON.parse(firstRequest(context)?.body.toString() ?? '{}').store, false);
  assert.is((await harness.rows())[0]?.quota, 40);
});

test('returns to the channel that knows a stored response, and to no other', async (context) => {
  const { a, b, harness } = context;
  both(context, jsonAnswer(response));
  await harness.post('/v1/responses', { model: 'gpt-4o', input: 'hi' });
  const [home, other] = a.requests.length === 1 ? [a, b] : [b, a];
  for (let turn = 0; turn < 6; turn += 1) {
    await harness.post('/v1/responses', { model: 'gpt-4o', input: 'on', previous_response_id: 'resp_stored' });
  }
  assert.equal([home?.requests.length, other?.requests.length], [7, 0]);
  home?.script(jsonAnswer({ error: { message: 'down' } }, 500));
  const failed = await harness.post('/v1/responses', {
    model: 'gpt-4o',
    input: 'on',
    previous_response_id: 'resp_stored',
  });
  assert.is(failed.status, 500);
  assert.is(other?.requests.length, 0);
});

test('serves the official client: answers, streams, tools, embeddings, lists, errors and abort', async (context) => {
  const { harness } = context;
  const client = new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  both(context, jsonAnswer(completion()));
  const ask = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'hi' }] };
  const whole = await client.chat.completions.create(ask);
  assert.is(whole.choices[0]?.message.content, 'Hello there');
  both(context, sseAnswer(streamOf(['Hel', 'lo'])));
  let said = '';
  for await (const part of await client.chat.completions.create({ ...ask, stream: true })) {
    said += part.choices[0]?.delta.content ?? '';
  }
  assert.is(said, 'Hello');
  const withUsage = await client.chat.completions.create({
    ...ask,
    stream: true,
    stream_options: { include_usage: true },
  });
  let tokens = 0;
  for await (const part of withUsage) tokens += part.usage?.total_tokens ?? 0;
  assert.is(tokens, 17);
  assert.equal((await client.models.list()).data.map((model) => model.id).sort(), models.split(',').sort());
  await assertRejects(client.chat.completions.create({ ...ask, model: 'nobody' }), OpenAI.NotFoundError);
  both(context, jsonAnswer({ error: { message: 'slow down', type: 'rate_limit' } }, 429));
  await assertRejects(client.chat.completions.create(ask), OpenAI.RateLimitError);
  const stranger = new OpenAI({ apiKey: 'sk-none', baseURL: `${harness.url}/v1`, maxRetries: 0 });
  await assertRejects(stranger.chat.completions.create(ask), OpenAI.AuthenticationError);
});

async function assertRejects(call: Promise<unknown>, kind: new (...args: never[]) => Error): Promise<void> {
  try {
    await call;
  } catch (error) {
    assert.instance(error, kind);
    return;
  }
  assert.unreachable();
}

test('fails the official client when a stream breaks', async (context) => {
  const { harness } = context;
  const client = new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  both(context, sseAnswer(streamOf(['Hel', 'lo']).slice(0, 2), { end: 'reset' }));
  const stream = await client.chat.completions.create({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
  });
  await assertRejects(
    (async () => {
      for await (const _part of stream);
    })(),
    OpenAI.APIError,
  );
});

test.run();
