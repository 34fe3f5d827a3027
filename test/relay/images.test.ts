/** Images, new and edited, at every vendor that makes them: what is asked, answered and charged (relay.md 5.6, 15.5). */
import OpenAI, { toFile } from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { recordedAnswer } from '../support/recorded-call.ts';
import { address, imageVendors, picture } from './image-vendors.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: images');

const models =
  'dall-e-2,dall-e-3,gpt-image-1,gpt-image-1-mini,gemini-3-pro-image,imagen-4.0-generate-001,wanx-v1,qwen-image,' +
  'image-01,grok-imagine-image,grok-imagine-image-2.0,Qwen/Qwen-Image,doubao-seedream-4-0,cogview-4,irag-1.0,' +
  'black-forest-labs/FLUX.2-pro';
const siliconflow = { 'Qwen/Qwen-Image': 0.01, 'black-forest-labs/FLUX.2-pro': 0.01 };
const flat = { 'image-01': 0.01, ...siliconflow, 'doubao-seedream-4-0': 0.01, 'irag-1.0': 0.01 };
const b64 = picture.toString('base64');
/** A file server at every address. */
const downloads = {
  maxBytes: 1_000_000,
  fetch: () => Promise.resolve({ bytes: picture, contentType: 'image/png' }),
};

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({ channels: [], downloads, options: { ModelPrice: await prices() } });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

/** The shipped prices and those of models that have none. */
async function prices(): Promise<Record<string, number>> {
  const { shippedOptionDefaults } = await import('../../daemon/domain/options.ts');
  return { ...shippedOptionDefaults().ModelPrice, ...flat };
}

function serve({ harness, upstream }: Context, type: number): void {
  harness.setChannels([{ id: 1, type, baseUrl: upstream.url, models, keys: ['sk-upstream'] }]);
}

function sdk(harness: GatewayHarness): OpenAI {
  return new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
}

function sent({ upstream }: Context, index = 0): Record<string, unknown> {
  return JSON.parse(upstream.requests[index]?.body.toString() ?? '{}');
}

const urls = (count: number) =>
  jsonAnswer({ created: 1, data: Array.from({ length: count }, () => ({ url: address })) });

test('charges the images that came, by size and quality, and gives back what was held for more', async (context) => {
  const { harness, upstream } = context;
  serve(context, 1);
  upstream.script(urls(2));
  const client = sdk(harness);
  const made = await client.images.generate({
    model: 'dall-e-3',
    prompt: 'a cat',
    n: 2,
    quality: 'hd',
    size: '1792x1024',
  });
  assert.is(made.data?.length, 2);
  upstream.script(urls(1));
  const before = await harness.database.stores.users.find(1);
  await harness.post('/v1/images/generations', { model: 'dall-e-3', prompt: 'a cat', n: 3 });
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ quota }) => quota),
    [120_000, 20_000],
  );
  assert.is(before && before.quota - ((await harness.database.stores.users.find(1))?.quota ?? 0) >= 0, true);
  assert.equal([rows[0]?.facts.images, rows[0]?.facts.size, rows[0]?.facts.quality], [2, '1792x1024', 'hd']);
  assert.match(rows[0]?.content ?? '', '1792x1024');
  const held = await harness.database.stores.reservations.find(rows[1]?.requestId ?? '');
  assert.is(held?.amount, 60_000);
});

test('charges tokens of gpt-image as reported, also when it streams', async (context) => {
  const { harness, upstream } = context;
  serve(context, 1);
  const usage = {
    total_tokens: 4510,
    input_tokens: 350,
    output_tokens: 4160,
    input_tokens_details: { text_tokens: 50, image_tokens: 300 },
  };
  const done = { type: 'image_generation.completed', b64_json: 'aGk=', size: '1024x1024', quality: 'high', usage };
  const partial = { type: 'image_generation.partial_image', b64_json: 'aA==', partial_image_index: 0 };
  upstream.script(jsonAnswer({ created: 1, data: [{ b64_json: 'aGk=' }], usage }));
  const client = sdk(harness);
  const whole = await client.images.generate({ model: 'gpt-image-1', prompt: 'a cat' });
  assert.is(whole.usage?.output_tokens, 4160);
  upstream.script({
    headers: { 'content-type': 'text/event-stream' },
    chunks: [partial, done].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  });
  const stream = await client.images.generate({
    model: 'gpt-image-1',
    prompt: 'a cat',
    stream: true,
    partial_images: 1,
  });
  const seen: string[] = [];
  for await (const event of stream) seen.push(event.type);
  assert.equal(seen, ['image_generation.partial_image', 'image_generation.completed']);
  // relay.md 19.1, 17
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ quota, isStream }) => [quota, isStream]),
    [
      [84_825, false],
      [84_825, true],
    ],
  );
});

test('ends a stream of images that breaks with an error event, and charges no image that did not come', async (context) => {
  const { harness, upstream } = context;
  serve(context, 1);
  const partial =
    'event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","b64_json":"aA=="}\n\n';
  const half = 'event: image_generation.completed\ndata: {"type":"image_generation.completed","b64_json":"aA';
  for (const [chunks, end] of [
    [[partial], 'reset'],
    [[partial, half], 'clean'],
  ] as const) {
    upstream.script({ headers: { 'content-type': 'text/event-stream' }, chunks, end });
    const response = await harness.post('/v1/images/generations', { model: 'gpt-image-1', prompt: 'a', stream: true });
    const text = await response.text();
    assert.match(text, /event: error\ndata: \{"type":"error","error":\{/);
    assert.not.match(text, /completed/);
    const row = (await harness.rows()).at(-1);
    assert.is(row?.facts.settle_reason, 'upstream_eof');
    assert.ok((row?.quota ?? 0) < 10, String(row?.quota));
  }
});

test('streams an edit’s form on with names, types and order kept, and the mapped model in it', async (context) => {
  const { harness, upstream } = context;
  const modelMapping = JSON.stringify({ 'gpt-image-1': 'gpt-image-1-mini' });
  harness.setChannels([{ id: 1, type: 1, baseUrl: upstream.url, models, modelMapping, keys: ['sk-upstream'] }]);
  upstream.script(recordedAnswer('openai/oa-images-edits--openai-image-edit'));
  // Larger than what stays in memory.
  const large = Buffer.alloc(1_500_000, 7);
  const made = await sdk(harness).images.edit({
    model: 'gpt-image-1',
    prompt: 'a "hat"',
    image: [
      await toFile(large, 'first.png', { type: 'image/png' }),
      await toFile(picture, 'zwei ü.png', { type: 'image/png' }),
    ],
  });
  assert.is(made.data?.length, 1);
  const [request] = upstream.requests;
  assert.is(request?.url, '/v1/images/edits');
  assert.is(Number(request?.headers['content-length']), request?.body.length);
  const form = await new Response(new Uint8Array(request?.body ?? []), {
    headers: { 'content-type': String(request?.headers['content-type']) },
  }).formData();
  assert.equal([...form.keys()].sort(), ['image[]', 'image[]', 'model', 'prompt']);
  assert.is(form.get('model'), 'gpt-image-1-mini');
  assert.is(form.get('prompt'), 'a "hat"');
  const files = form.getAll('image[]').filter((entry) => entry instanceof File);
  assert.equal(
    files.map(({ name, type, size }) => [name, type, size]),
    [
      ['first.png', 'image/png', 1_500_000],
      ['zwei ü.png', 'image/png', picture.length],
    ],
  );
  // Reported as high, 1024x1024: by the table of the alias that has a price of its own.
  assert.is((await harness.rows())[0]?.facts.quality, 'high');
});

test('asks each vendor in its own words, gets inline what the client wants inline, and charges by the piece', async (context) => {
  const { harness, upstream } = context;
  for (const [index, vendor] of imageVendors.entries()) {
    serve(context, vendor.type);
    upstream.script(jsonAnswer(vendor.answer));
    const response = await harness.post('/v1/images/generations', {
      model: vendor.model,
      prompt: 'a cat',
      ...vendor.asked,
    });
    const body = await response.json();
    assert.is(response.status, 200, `${vendor.model}: ${JSON.stringify(body)}`);
    assert.is(upstream.requests[index]?.url, vendor.path, vendor.model);
    assert.equal(sent(context, index), vendor.sent, vendor.model);
    assert.ok(body.created > 0, vendor.model);
    const [first] = body.data;
    if (vendor.asked.response_format === 'b64_json') assert.equal(first, { b64_json: b64 }, vendor.model);
    else assert.ok(first.url === address || first.b64_json === b64, vendor.model);
  }
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ quota }, index) => [imageVendors[index]?.model, quota]),
    imageVendors.map(({ model, quota }) => [model, quota]),
  );
});

test('streams a complete image to a client that asked for a stream of a vendor that has none', async (context) => {
  const { harness, upstream } = context;
  serve(context, 48);
  upstream.script(jsonAnswer({ data: [{ b64_json: b64 }, { b64_json: b64 }] }));
  const model = 'grok-imagine-image';
  const stream = await sdk(harness).images.generate({ model, prompt: 'a', n: 2, stream: true });
  const seen: unknown[] = [];
  for await (const event of stream) seen.push([event.type, event.b64_json]);
  assert.equal(seen, Array(2).fill(['image_generation.completed', b64]));
  assert.is(sent(context).stream, undefined);
  assert.is((await harness.rows())[0]?.quota, 20_000);
});

test('waits for a task where the vendor gives one out, and passes its failure on', async (context) => {
  const { harness, upstream } = context;
  // As operators like to paste it.
  const baseUrl = `${upstream.url}/compatible-mode/v1`;
  harness.setChannels([{ id: 1, type: 17, baseUrl, models, keys: ['sk-upstream'] }]);
  const pending = { request_id: 'r', output: { task_id: 'task/1', task_status: 'RUNNING' } };
  const done = {
    output: { task_id: 'task/1', task_status: 'SUCCEEDED', results: [{ url: address, actual_prompt: 'a nice cat' }] },
    usage: { image_count: 1 },
  };
  upstream.script((_, index) =>
    index === 0
      ? recordedAnswer('ali/dashscope-text2image--image-synthesis-async-call-basic')
      : jsonAnswer(index === 1 ? pending : done),
  );
  const response = await harness.post('/v1/images/generations', {
    model: 'wanx-v1',
    prompt: 'a cat',
    size: '1024x1024',
    negative_prompt: 'dogs',
  });
  assert.equal((await response.json()).data, [{ url: address, revised_prompt: 'a nice cat' }]);
  const [submit, poll, last] = upstream.requests;
  const input = { prompt: 'a cat', negative_prompt: 'dogs' };
  assert.equal(sent(context), { model: 'wanx-v1', input, parameters: { size: '1024*1024', n: 1 } });
  assert.is(submit?.headers['x-dashscope-async'], 'enable');
  assert.is(submit?.url, '/api/v1/services/aigc/text2image/image-synthesis');
  assert.is(poll?.method, 'GET');
  assert.is(poll?.url, '/api/v1/tasks/2d6b14cd-956b-47e8-b0b3-0afeb580f5dc');
  assert.is(poll?.headers.authorization, 'Bearer sk-upstream');
  assert.is(last?.url, '/api/v1/tasks/task%2F1');
  upstream.script(
    jsonAnswer({ output: { task_id: 't', task_status: 'FAILED', code: 'DataInspectionFailed', message: 'not this' } }),
  );
  const failed = await harness.post('/v1/images/generations', { model: 'wanx-v1', prompt: 'a cat' });
  assert.is(failed.status, 400);
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    [10_000, 0],
  );
});

test('turns an edit’s form into the JSON that a vendor wants, files and all', async (context) => {
  const { harness, upstream } = context;
  serve(context, 48);
  upstream.script(recordedAnswer('xai/oa-images-edits--image-edit-functionality-with-xai-reference-images-xai-g'));
  await sdk(harness).images.edit({
    model: 'grok-imagine-image',
    prompt: 'green',
    image: await toFile(picture, 'a.png', { type: 'image/png' }),
  });
  assert.is(upstream.requests[0]?.url, '/v1/images/edits');
  assert.equal(sent(context), {
    model: 'grok-imagine-image',
    prompt: 'green',
    image: { type: 'image_url', url: `data:image/png;base64,${b64}` },
  });
  serve(context, 24);
  upstream.script(
    jsonAnswer({ candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: b64 } }] } }] }),
  );
  const body = {
    model: 'gemini-3-pro-image',
    prompt: 'green',
    images: [{ image_url: `data:image/png;base64,${b64}` }],
  };
  assert.is((await harness.post('/v1/images/edits', body)).status, 200);
  const contents = [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: b64 } }, { text: 'green' }] }];
  assert.equal(sent(context, 1).contents, contents);
  assert.equal((await harness.rows()).length, 2);
});

test('says whether an image that did not come may be ordered again', async (context) => {
  const { harness, upstream } = context;
  const withoutAny = (finishReason: string) => ({ candidates: [{ content: {}, finishReason }] });
  for (const [type, model, answer, status, code] of [
    [24, 'gemini-3-pro-image', withoutAny('IMAGE_SAFETY'), 400, 'content_filter'],
    [24, 'gemini-3-pro-image', withoutAny('PROHIBITED_CONTENT'), 400, 'content_filter'],
    [24, 'gemini-3-pro-image', withoutAny('NO_IMAGE'), 502, 'empty_response'],
    [48, 'grok-imagine-image', { data: [{ url: '', respect_moderation: false }] }, 400, 'content_filter'],
    [48, 'grok-imagine-image', { data: [] }, 502, 'empty_response'],
    [17, 'wanx-v1', { output: { task_status: 'FAILED', code: 'Throttling.RateQuota' } }, 429, 'Throttling.RateQuota'],
  ] as const) {
    serve(context, type);
    upstream.script(jsonAnswer(answer));
    const response = await harness.post('/v1/images/generations', { model, prompt: 'a' });
    const { error } = await response.json();
    assert.is(response.status, status, JSON.stringify(error));
    assert.is(error.code, code);
  }
});

test('refuses what breaks the limits before anything is held, and never asks twice', async (context) => {
  const { harness, upstream } = context;
  serve(context, 1);
  harness.setOptions({ RetryTimes: 3 });
  const model = 'dall-e-3';
  const prompt = 'a';
  for (const body of [
    { model },
    { model, prompt: ' ' },
    { model, prompt, n: 11 },
    { model, prompt, n: -1 },
    { model, prompt, n: 2 ** 53 },
    { model, prompt, n: '2' },
    { model, prompt, size: '1024×1024' },
    { model, prompt, size: '256x256' },
    { model, prompt, response_format: 'png' },
    { model, prompt, partial_images: 9 },
  ]) {
    const response = await harness.post('/v1/images/generations', body);
    assert.is(response.status, 400, JSON.stringify(body));
    assert.is((await response.json()).error.code, 'invalid_request');
  }
  assert.is(upstream.requests.length, 0);
  // The vendor may have made an image before it failed: nobody else is asked.
  upstream.script(jsonAnswer({ error: { message: 'later' } }, 500));
  const failed = await harness.post('/v1/images/generations', { model, prompt });
  assert.is(failed.status, 500);
  assert.is(upstream.requests.length, 1);
  assert.is((await harness.rows())[0]?.quota, 0);
});

test('takes the model that is offered where the client names none', async (context) => {
  const { harness, upstream } = context;
  harness.setChannels([{ id: 1, type: 1, baseUrl: upstream.url, models: 'gpt-image-1', keys: ['k'] }]);
  upstream.script(urls(1));
  assert.is((await harness.post('/v1/images/generations', { prompt: 'a' })).status, 200);
  assert.is(sent(context).model, 'gpt-image-1');
  // What only another group offers is none of the caller's.
  const other = { id: 2, type: 1, baseUrl: upstream.url, models: 'dall-e-2', group: 'vip', keys: ['k'] };
  const own = { id: 1, type: 1, baseUrl: upstream.url, models: 'gpt-image-1', keys: ['k'] };
  harness.setChannels([own, other]);
  assert.is((await harness.post('/v1/images/generations', { prompt: 'a' })).status, 200);
  harness.setChannels([{ ...own, models: 'dall-e-2,gpt-image-1' }]);
  assert.is((await harness.post('/v1/images/generations', { prompt: 'a' })).status, 200);
  assert.equal(
    upstream.requests.map((_, index) => sent(context, index).model),
    ['gpt-image-1', 'gpt-image-1', 'dall-e-2'],
  );
});

test('refuses forms that are too large, cut short or no forms at all', async ({ harness, upstream }) => {
  harness.setChannels([{ id: 1, type: 1, baseUrl: upstream.url, models, keys: ['k'] }]);
  const form = (bytes: number) => {
    const made = new FormData();
    made.append('model', 'gpt-image-1');
    made.append('prompt', 'a');
    made.append('image', new Blob([Buffer.alloc(bytes)]), 'a.png');
    return made;
  };
  const post = (body: FormData | string, type?: string) =>
    fetch(`${harness.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${harness.key}`, ...(type === undefined ? {} : { 'content-type': type }) },
      body,
    });
  const large = await post(form(5 * 1024 * 1024));
  assert.is(large.status, 413);
  assert.is((await large.json()).error.code, 'read_request_body_failed');
  const broken = await post(
    '--x\r\nContent-Disposition: form-data; name="prompt"\r\n\r\nhalf',
    'multipart/form-data; boundary=x',
  );
  assert.is(broken.status, 400);
  assert.is((await post('nothing', 'multipart/form-data')).status, 400);
  assert.is((await post(new FormData())).status, 400);
  // Two models: the price of one, the image of the other.
  const twofold = form(10);
  twofold.append('model', 'dall-e-2');
  assert.is((await post(twofold)).status, 400);
  assert.is(upstream.requests.length, 0);
  assert.is((await harness.rows()).length, 0);
});

test.run();
