/**
 * Images on Amazon Bedrock through a whole daemon: Amazon's and Stability's bodies, signed one by one (relay.md 5.6,
 * 15.5).
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import OpenAI, { toFile } from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bedrockSignature } from '../support/bedrock-signature.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { type Answer, jsonAnswer, type RecordedRequest, startFakeUpstream } from '../support/fake-upstream.ts';
import { logRowOf } from '../support/log-row.ts';
import { shadesOf } from '../support/mask-files.ts';
import { postJson, type RelayWorld, tidyBetween } from '../support/relay-world.ts';
import { type BedrockImageCase, edits, generations, inline, models } from './bedrock-image-cases.ts';
import { picture } from './image-vendors.ts';

const test = suite<RelayWorld>('relay: images on Bedrock');
const signing = { credentials: 'AKIAIOSFODNN7EXAMPLE|secret-of-the-key|us-west-2', region: 'us-west-2' };
const b64 = picture.toString('base64');
/** 0.01 USD each. */
const quotaOfOne = 5000;

/** Stability's answer, which Amazon's readers take, too: both have `images`. */
const made = (count = 1) =>
  jsonAnswer({ images: Array(count).fill(b64), seeds: [7], finish_reasons: [null], error: null });

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  const names = Object.values(models);
  world.daemon = await startTestDaemon({
    options: { ModelPrice: JSON.stringify(Object.fromEntries(names.map((name) => [name, 0.01]))) },
  });
  await world.daemon.addChannel({
    type: 33,
    key: signing.credentials,
    base_url: world.upstream.url,
    models: names.join(','),
  });
  world.key = await world.daemon.addKey();
});
tidyBetween(test);

/** The body that was sent, with `painted` in place of a mask of these shades. */
function sentBody(request: RecordedRequest | undefined, mask: BedrockImageCase['mask']): unknown {
  return JSON.parse(request?.body.toString() ?? '', (name, value) => {
    if (mask === undefined || name !== mask[0]) return value;
    assert.equal(shadesOf(Buffer.from(value, 'base64')), mask[1]);
    return 'painted';
  });
}

for (const [kind, table] of [
  ['generations', generations],
  ['edits', edits],
] as const) {
  for (const [name, one] of Object.entries(table)) {
    test(`asks, signs and charges: ${name}`, async (world) => {
      const count = Number(one.asked.n ?? 1);
      world.upstream.script(made(count));
      const told = await postJson(world, `/v1/images/${kind}`, {
        prompt: kind === 'edits' ? 'green' : 'a cat',
        ...one.asked,
      });
      assert.is(told.status, 200, JSON.stringify(told.body));
      assert.equal(told.body.data, Array(count).fill({ b64_json: b64 }));
      assert.is(world.upstream.requests.length, 1);
      const [request] = world.upstream.requests;
      assert.ok(request);
      assert.is(request.url, `/model/${encodeURIComponent(one.id)}/invoke`);
      assert.equal(sentBody(request, one.mask), one.sent);
      assert.is(request.headers.authorization, await bedrockSignature(world.upstream, request, signing));
      const row = await logRowOf(world.daemon, told.answer);
      assert.is(row.quota, count * quotaOfOne);
      assert.equal(row.facts.dropped_fields ?? [], one.lost ?? []);
    });
  }
}

test('divides what a model does not make at once, each part signed', async (world) => {
  world.upstream.script(({ body }) => made(JSON.parse(body.toString()).imageGenerationConfig?.numberOfImages ?? 1));
  const seven = await postJson(world, '/v1/images/generations', { model: models.canvas, prompt: 'a cat', n: 7 });
  assert.equal(seven.body.data, Array(7).fill({ b64_json: b64 }));
  const counts = world.upstream.requests.map(({ body }) => JSON.parse(body.toString()).imageGenerationConfig);
  assert.equal(counts.map(({ numberOfImages }) => numberOfImages).sort(), [2, 5]);
  const two = await postJson(world, '/v1/images/generations', { model: models.core, prompt: 'a cat', n: 2 });
  assert.equal(two.body.data, Array(2).fill({ b64_json: b64 }));
  assert.is(world.upstream.requests.length, 4);
  for (const request of world.upstream.requests) {
    assert.is(request.headers.authorization, await bedrockSignature(world.upstream, request, signing));
  }
  assert.equal(
    [(await logRowOf(world.daemon, seven.answer)).quota, (await logRowOf(world.daemon, two.answer)).quota],
    [7 * quotaOfOne, 2 * quotaOfOne],
  );
});

test('takes the official SDK’s forms, with numbers that only a form writes as texts', async (world) => {
  world.upstream.script(made());
  const client = new OpenAI({ apiKey: world.key, baseURL: `${world.daemon.url}/v1`, maxRetries: 0 });
  const image = await toFile(picture, 'a.png', { type: 'image/png' });
  const own = { left: 512, up: '7', creativity: 0.3 };
  const edited = await client.images.edit({ model: models.outpaint, prompt: '7', image, ...own });
  assert.is(edited.data?.[0]?.b64_json, b64);
  const { left, up, creativity, prompt } = JSON.parse(world.upstream.requests[0]?.body.toString() ?? '');
  assert.equal([left, up, creativity, prompt], [512, 7, 0.3, '7']);
});

test('gives the host the bytes of an image that the client names by address', async (world) => {
  world.upstream.script(({ url }) =>
    url === '/cat.png' ? { headers: { 'content-type': 'image/png' }, chunks: [picture] } : made(),
  );
  const images = [{ image_url: `${world.upstream.url}/cat.png` }];
  const told = await postJson(world, '/v1/images/edits', { model: models.fast, prompt: 'larger', images });
  assert.is(told.status, 200, JSON.stringify(told.body));
  assert.equal(
    world.upstream.requests.map(({ url }) => url),
    ['/cat.png', '/model/us.stability.stable-fast-upscale-v1%3A0/invoke'],
  );
  assert.equal(sentBody(world.upstream.requests[1], undefined), { image: b64 });
});

test('says what a model cannot do before it is asked', async (world) => {
  const images = [{ image_url: inline }];
  const tryOn = { taskType: 'VIRTUAL_TRY_ON', garmentClass: 'UPPER_BODY' };
  const refused: readonly (readonly [kind: 'generations' | 'edits', body: Record<string, unknown>, code: string])[] = [
    ['edits', { model: models.core, images }, 'convert_request_failed'],
    ['edits', { model: models.cutout, images, mask: inline }, 'convert_request_failed'],
    ['edits', { model: models.transfer, images }, 'convert_request_failed'],
    ['edits', { model: models.canvas, images: [...images, ...images], mask: inline }, 'convert_request_failed'],
    ['edits', { model: models.canvas, images, taskType: 'BACKGROUND_REMOVAL', mask: inline }, 'convert_request_failed'],
    ['edits', { model: models.canvas, images, taskType: 'constructor' }, 'invalid_request'],
    ['edits', { model: models.canvas, images, ...tryOn }, 'convert_request_failed'],
    ['edits', { model: models.canvas, images: [...images, ...images, ...images], ...tryOn }, 'convert_request_failed'],
    ['edits', { model: models.canvas, images: [...images, ...images], taskType: 'VIRTUAL_TRY_ON' }, 'invalid_request'],
    ['edits', { model: models.canvas, images: [...images, ...images], ...tryOn, maskType: 'X' }, 'invalid_request'],
    ['edits', { model: models.titan, images: [...images, ...images], ...tryOn }, 'invalid_request'],
    ['edits', { model: models.canvas, images, taskType: 7 }, 'invalid_request'],
    ['edits', { model: models.titan, images: [{ file_id: 'file-1' }] }, 'convert_request_failed'],
    ['generations', { model: models.inpaint }, 'convert_request_failed'],
  ];
  for (const [kind, body, code] of refused) {
    const told = await postJson(world, `/v1/images/${kind}`, { prompt: 'x', ...body });
    assert.equal([told.status, told.body.error.code], [400, code], JSON.stringify(body));
  }
  assert.is(world.upstream.requests.length, 0);
});

test('takes each refusal for what it is, and charges nothing for it', async (world) => {
  const kinds = { 'x-amzn-errortype': 'ValidationException:http://internal.amazon.com/' };
  const refusals: readonly (readonly [model: string, answer: Answer, status: number, text: RegExp])[] = [
    [models.core, jsonAnswer({ finish_reasons: ['Filter reason: prompt'] }), 400, /Filter reason: prompt/],
    [models.core, jsonAnswer({ images: [b64], finish_reasons: ['Filter reason: output image'] }), 400, /output image/],
    [models.canvas, jsonAnswer({ images: [], error: 'blocked by our content filters' }), 400, /content filters/],
    [models.canvas, jsonAnswer({ message: 'Malformed input request' }, 400, kinds), 400, /Malformed/],
    [models.core, jsonAnswer({ finish_reasons: ['Inference error'], images: [] }), 502, /Inference error/],
  ];
  for (const [model, answer, status, text] of refusals) {
    world.upstream.script(answer);
    const told = await postJson(world, '/v1/images/generations', { model, prompt: 'a cat' });
    assert.is(told.status, status, JSON.stringify(told.body));
    assert.match(told.body.error.message, text);
    assert.is((await logRowOf(world.daemon, told.answer)).quota, 0);
  }
});

test.run();
