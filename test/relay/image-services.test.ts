/** Image models that are run as functions, predictions and workflows (relay.md 5.6, 15.5). */
import OpenAI, { toFile } from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DownloadFailed } from '../../daemon/upstream/media-download.ts';
import {
  type Answer,
  type FakeUpstream,
  jsonAnswer,
  type RecordedRequest,
  startFakeUpstream,
} from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { shadesOf } from '../support/mask-files.ts';
import { recordedAnswer } from '../support/recorded-call.ts';
import { alpha, cases, channel, file, inline, models } from './image-service-cases.ts';
import { address, picture } from './image-vendors.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: image services');

const b64 = picture.toString('base64');
/** 0.01 USD each. */
const quotaOfOne = 5000;
test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  const downloads = {
    maxBytes: 1_000_000,
    fetch: (url: string) =>
      url === address
        ? Promise.resolve({ bytes: picture, contentType: 'image/png' })
        : Promise.reject(new DownloadFailed('the address is not allowed')),
  };
  const ModelPrice = Object.fromEntries(Object.values(models).map((model) => [model, 0.01]));
  context.harness = await GatewayHarness.start({ channels: [], downloads, options: { ModelPrice } });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

/** One channel of the type; Cloudflare's key names the account. */
function serve({ harness, upstream }: Context, type: number, id = 1): void {
  const offered = Object.values(models).join(',');
  harness.setChannels([{ id, type, baseUrl: upstream.url, models: offered, keys: [keyOf(type)] }]);
}

function keyOf(type: number): string {
  return type === channel.cloudflare ? 'account|token' : 'sk-upstream';
}

function make({ harness }: Context, body: Record<string, unknown>): Promise<Response> {
  return harness.post('/v1/images/generations', { prompt: 'a cat', ...body });
}

function edit({ harness }: Context, body: Record<string, unknown>): Promise<Response> {
  return harness.post('/v1/images/edits', { prompt: 'green', images: [{ image_url: inline }], ...body });
}

function sent({ upstream }: Context, index = -1): unknown {
  return JSON.parse(upstream.requests.at(index)?.body.toString() ?? '{}');
}

function formOf(request: RecordedRequest | undefined): Promise<FormData> {
  const headers = { 'content-type': String(request?.headers['content-type']) };
  return new Response(new Uint8Array(request?.body ?? []), { headers }).formData();
}

async function quotas(harness: GatewayHarness): Promise<number[]> {
  return (await harness.rows()).map(({ quota }) => quota);
}

for (const [name, one] of Object.entries(cases)) {
  test(`asks, reads and charges: ${name}`, async (context) => {
    const { harness, upstream } = context;
    serve(context, one.type);
    upstream.script(one.answer);
    const response = await (one.edits ? edit : make)(context, one.asked);
    const body = await response.json();
    assert.is(response.status, 200, JSON.stringify(body));
    assert.equal(body.data, one.data);
    assert.is(upstream.requests[0]?.url, one.path);
    assert.equal(sent(context), one.sent);
    assert.is(upstream.requests[0]?.headers.authorization, `Bearer ${keyOf(one.type).split('|').at(-1)}`);
    assert.equal(await quotas(harness), [quotaOfOne * one.data.length]);
  });
}

test('repeats the call for further images where a model makes one, and charges what came', async (context) => {
  const { harness, upstream } = context;
  serve(context, channel.cloudflare);
  upstream.script(file);
  const body = await (await make(context, { model: models.phoenix, n: 5 })).json();
  assert.is(body.data.length, 5);
  assert.is(upstream.requests.length, 5);
  serve(context, channel.replicate);
  upstream.script(jsonAnswer({ id: 'p', status: 'succeeded', output: address }, 201));
  const three = await (await make(context, { model: models.pro, n: 3 })).json();
  assert.equal(three.data, Array(3).fill({ url: address }));
  // The limit of num_outputs is four.
  upstream.script(({ body: bytes }) => {
    const { input } = JSON.parse(bytes.toString());
    return jsonAnswer({ id: 'p', status: 'succeeded', output: Array(input.num_outputs ?? 1).fill(address) }, 201);
  });
  const before = upstream.requests.length;
  const six = await (await make(context, { model: models.fast, n: 6 })).json();
  assert.is(six.data.length, 6);
  assert.is(upstream.requests.length - before, 2);
  assert.equal(
    await quotas(harness),
    [5, 3, 6].map((count) => count * quotaOfOne),
  );
});

test('sends a form, files and all, to the models that take nothing else', async (context) => {
  const { harness, upstream } = context;
  serve(context, channel.cloudflare);
  upstream.script(jsonAnswer({ result: { image: b64 }, success: true, errors: [], messages: [] }));
  const client = new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const made = await client.images.edit({
    model: models.klein,
    prompt: 'green',
    size: '1024x1024',
    image: [
      await toFile(picture, 'a.png', { type: 'image/png' }),
      await toFile(picture, 'b.png', { type: 'image/png' }),
    ],
  });
  assert.is(made.data?.[0]?.b64_json, b64);
  const [request] = upstream.requests;
  assert.is(Number(request?.headers['content-length']), request?.body.length);
  const form = await formOf(request);
  assert.equal([...form.keys()], ['prompt', 'width', 'height', 'input_image_0', 'input_image_1']);
  assert.equal([form.get('prompt'), form.get('width')], ['green', '1024']);
  const second = form.get('input_image_1');
  assert.ok(second instanceof File);
  assert.equal([second.name, second.type, second.size], ['input_image_1.png', 'image/png', picture.length]);
  // Every part of a divided call has a form of its own.
  const two = await make(context, { model: models.klein, n: 2 });
  assert.is((await two.json()).data.length, 2);
  assert.match(String(upstream.requests[2]?.headers['content-type']), /^multipart\/form-data; boundary=/);
  assert.equal(await quotas(harness), [quotaOfOne, 2 * quotaOfOne]);
});

test('reads numbers out of a form for vendors that take JSON', async (context) => {
  const { harness, upstream } = context;
  serve(context, channel.huggingface);
  upstream.script(file);
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: models.refiner, prompt: '7', seed: '7', negative_prompt: '8' })) {
    form.set(name, value);
  }
  form.set('image', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'a.png');
  const headers = { authorization: `Bearer sk-${harness.key}` };
  const response = await fetch(`${harness.url}/v1/images/edits`, { method: 'POST', headers, body: form });
  assert.is(response.status, 200, await response.text());
  assert.equal(sent(context), { inputs: b64, parameters: { seed: 7, negative_prompt: '8', prompt: '7' } });
});

test('asks an Xinference server for a variation, or to paint where the mask is', async (context) => {
  const { harness, upstream } = context;
  serve(context, channel.xinference);
  upstream.script(jsonAnswer({ created: 5, data: [{ url: null, b64_json: b64 }] }));
  for (const [mask, path, names] of [
    [{}, '/v1/images/variations', ['model', 'prompt', 'n', 'size', 'image', 'response_format']],
    [{ mask: alpha }, '/v1/images/inpainting', ['model', 'prompt', 'n', 'image', 'mask_image', 'response_format']],
  ] as const) {
    const size = 'mask' in mask ? {} : { size: '512x512' };
    const response = await edit(context, { model: models.local, ...size, ...mask });
    assert.equal((await response.json()).data, [{ b64_json: b64 }]);
    const request = upstream.requests.at(-1);
    assert.is(request?.url, path);
    const form = await formOf(request);
    assert.equal([...form.keys()], names);
    assert.equal([form.get('model'), form.get('response_format')], [models.local, 'b64_json']);
    assert.ok(form.get('image') instanceof File);
    const painted = form.get('mask_image');
    if (painted instanceof File) assert.equal(shadesOf(Buffer.from(await painted.arrayBuffer())), [255, 0]);
    assert.is(painted instanceof File, 'mask' in mask);
  }
  upstream.script(jsonAnswer({ detail: '[address=0.0.0.0] Model not found in the model list, uid: sd-turbo' }, 400));
  assert.is((await edit(context, { model: models.local })).status, 404);
  assert.equal(await quotas(harness), [quotaOfOne, quotaOfOne, 0]);
});

test('waits for a prediction that is still being made, with the key of the first question', async (context) => {
  const { harness, upstream } = context;
  serve(context, channel.replicate);
  const recorded = recordedAnswer('replicate/replicate-predictions--replicate-image-generation-predictions-legacy-2');
  const done = { id: 'to5tvnrbh43inejuzpcz27oqse', status: 'succeeded', output: [address], error: null };
  upstream.script((_, index) => (index === 0 ? recorded : jsonAnswer(done)));
  const body = await (await make(context, { model: models.version, response_format: 'b64_json' })).json();
  assert.equal(body.data, [{ b64_json: b64 }]);
  const [submit, poll] = upstream.requests;
  assert.is(submit?.headers.prefer, 'wait=10');
  assert.equal([poll?.method, poll?.url], ['GET', '/v1/predictions/to5tvnrbh43inejuzpcz27oqse']);
  assert.is(poll?.headers.authorization, 'Bearer sk-upstream');
  assert.equal(await quotas(harness), [quotaOfOne]);
});

test('asks Fireworks for the result of an edit, by the id that it gave', async (context) => {
  const { harness, upstream } = context;
  serve(context, channel.fireworks);
  const states = [
    { request_id: 'req-1' },
    { id: 'req-1', status: 'Pending', result: null },
    { id: 'req-1', status: 'Ready', result: { sample: address } },
  ];
  upstream.script((_, index) => jsonAnswer(states[index]));
  const body = await (await edit(context, { model: models.kontext, response_format: 'b64_json' })).json();
  assert.equal(body.data, [{ b64_json: b64 }]);
  const [submit, ...polls] = upstream.requests;
  assert.is(submit?.url, '/v1/workflows/accounts/fireworks/models/flux-kontext-pro');
  assert.equal(sent(context, 0), { prompt: 'green', input_image: inline });
  assert.is(polls.length, 2);
  for (const poll of polls) {
    const path = '/v1/workflows/accounts/fireworks/models/flux-kontext-pro/get_result';
    assert.equal([poll.method, poll.url, poll.body.toString()], ['POST', path, '{"id":"req-1"}']);
    assert.is(poll.headers.authorization, 'Bearer sk-upstream');
  }
  assert.equal(await quotas(harness), [quotaOfOne]);
});

test('asks NVIDIA again for a call that was only accepted', async (context) => {
  const { harness, upstream } = context;
  serve(context, channel.nvidia);
  const accepted = { status: 202, headers: { 'nvcf-reqid': 'a/b', 'nvcf-status': 'pending-evaluation' } };
  const done = jsonAnswer({ artifacts: [{ base64: b64, finishReason: 'SUCCESS', seed: 0 }] }, 200, {
    'nvcf-reqid': 'a/b',
    'nvcf-status': 'fulfilled',
  });
  upstream.script((_, index) => (index < 2 ? accepted : done));
  const body = await (await make(context, { model: models.dev })).json();
  assert.equal(body.data, [{ b64_json: b64 }]);
  assert.equal(
    upstream.requests.slice(1).map(({ method, url }) => [method, url]),
    Array(2).fill(['GET', '/v1/status/a%2Fb']),
  );
  assert.equal(await quotas(harness), [quotaOfOne]);
});

test('takes each vendor’s refusal for what it is, and charges nothing for it', async (context) => {
  const { harness, upstream } = context;
  const cloudflareError = (code: number, message: string) => ({
    success: false,
    errors: [{ code, message }],
    result: null,
  });
  const qianfanError = (code: string, type: string) => ({
    error: { code, type, message: 'no such image' },
    id: 'as-1',
  });
  const refusals: readonly (readonly [type: number, model: string, answer: Answer, status: number, text: RegExp])[] = [
    [channel.replicate, models.pro, jsonAnswer({ id: 'p', status: 'failed', error: 'NSFW content' }, 201), 400, /NSFW/],
    [
      channel.replicate,
      models.pro,
      jsonAnswer({ id: 'p', status: 'failed', error: 'The input or output was flagged as sensitive. (E005)' }, 201),
      400,
      /flagged as sensitive/,
    ],
    [channel.replicate, models.pro, jsonAnswer({ id: 'p', status: 'failed', error: 'boom' }, 201), 502, /boom/],
    [channel.replicate, models.pro, jsonAnswer({ title: 'Unauthorized', detail: 'no', status: 401 }, 401), 502, /./],
    [channel.replicate, models.pro, jsonAnswer({ detail: 'Insufficient credit', status: 402 }, 402), 502, /./],
    [
      channel.fireworks,
      models.schnell,
      jsonAnswer({ finishReason: 'CONTENT_FILTERED', base64: [b64] }),
      400,
      /filtered/,
    ],
    [channel.fireworks, models.kontext, jsonAnswer({ id: 'x', status: 'Content Moderated' }), 400, /Moderated/],
    [channel.fireworks, models.kontext, jsonAnswer({ id: 'x', status: 'Task not found' }), 502, /not found/],
    [channel.nvidia, models.dev, jsonAnswer({ artifacts: [{ finishReason: 'CONTENT_FILTERED' }] }), 400, /filtered/],
    [channel.nvidia, models.dev, jsonAnswer({ detail: 'Not found for account' }, 404), 404, /./],
    [channel.cloudflare, models.flux, jsonAnswer(cloudflareError(3036, 'used up')), 429, /./],
    [channel.cloudflare, models.flux, jsonAnswer(cloudflareError(5006, 'bad prompt'), 400), 400, /bad prompt/],
    [channel.qianfan, models.qwen, jsonAnswer(qianfanError('image_url_unsafe', 'unsafe_request'), 400), 400, /no such/],
    [channel.huggingface, models.space, jsonAnswer({ error: 'loading', estimated_time: 20 }, 503), 503, /./],
  ];
  for (const [index, [type, model, answer, status, text]] of refusals.entries()) {
    // A channel of its own each: some of these cool.
    serve(context, type, index + 1);
    upstream.script(answer);
    const response = await make(context, { model });
    const { error } = await response.json();
    assert.is(response.status, status, `${model} ${JSON.stringify(error)}`);
    assert.match(error.message, text, model);
  }
  assert.ok((await quotas(harness)).every((quota) => quota === 0));
});

test('gives vendors that want bytes the images that a client names by address', async (context) => {
  const { harness, upstream } = context;
  const images = [{ image_url: address }];
  for (const [type, model, answer] of [
    [channel.cloudflare, models.phoenix, file],
    [channel.fireworks, models.kontext, jsonAnswer({ id: 'x', status: 'Ready', result: { sample: address } })],
    [channel.nvidia, models.edits, jsonAnswer({ artifacts: [{ base64: b64 }] })],
    [channel.huggingface, models.refiner, file],
  ] as const) {
    serve(context, type);
    upstream.script(answer);
    const response = await edit(context, { model, images });
    assert.is(response.status, 200, await response.text());
    assert.match(upstream.requests.at(-1)?.body.toString() ?? '', b64);
  }
  assert.equal(await quotas(harness), Array(4).fill(quotaOfOne));
  // What cannot be had is said before anybody is asked.
  const before = upstream.requests.length;
  const none = await edit(context, { model: models.dev, images: [{ image_url: 'gopher://x' }] });
  assert.is(none.status, 400);
  assert.is(upstream.requests.length, before);
});

test('says what a model cannot do before it is asked', async (context) => {
  const { harness, upstream } = context;
  for (const [type, body] of [
    [channel.cloudflare, { model: models.phoenix, images: [{ file_id: 'file-1' }] }],
    [channel.cloudflare, { model: models.phoenix, images: [{ image_url: inline }, { image_url: inline }] }],
    [channel.cloudflare, { model: models.klein, mask: inline }],
    [channel.fireworks, { model: models.schnell }],
    [channel.nvidia, { model: models.dev, mask: inline }],
    [channel.replicate, { model: models.pro, images: [{ file_id: 'file-1' }] }],
    [channel.huggingface, { model: models.refiner, mask: inline }],
    [channel.qianfan, { model: models.qwen, mask: inline }],
    [channel.qianfan, { model: models.irag, images: [{ image_url: inline }, { image_url: inline }] }],
    [channel.qianfan, { model: models.qwen, images: [{ file_id: 'file-1' }] }],
    [channel.huggingface, { model: models.refiner, images: [{ image_url: inline }, { image_url: inline }] }],
  ] as const) {
    serve(context, type);
    const response = await edit(context, body);
    assert.is(response.status, 400, JSON.stringify(body));
    assert.is((await response.json()).error.code, 'convert_request_failed');
  }
  serve(context, channel.huggingface);
  assert.is((await make(context, { model: models.foreign })).status, 400);
  assert.is(upstream.requests.length, 0);
  assert.equal(await quotas(harness), []);
});

test.run();
