/** What clients say of the images that they want, to vendors with words of their own (relay.md 5.6, 13.1). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { address, picture } from './image-vendors.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: image wishes');

const gemini = 24;
const xai = 48;
/** Vendors that are told pixels or proportions, with a model each. */
const vendors: Readonly<Record<number, readonly string[]>> = {
  [gemini]: ['gemini-3-pro-image', 'gemini-2.5-flash-image', 'imagen-4.0-generate-001'],
  35: ['image-01'],
  39: ['@cf/black-forest-labs/flux-1-schnell'],
  40: ['Qwen/Qwen-Image'],
};
const others = ['grok-imagine-image', 'doubao-seedream-4-0-250828', 'cogview-4'];
const models = [...Object.values(vendors).flat(), ...others].join(',');
const b64 = picture.toString('base64');
const made = { inlineData: { mimeType: 'image/png', data: b64 } };

/** One answer that is each vendor's. */
const answers = {
  candidates: [{ content: { parts: [made] } }],
  predictions: [{ bytesBase64Encoded: b64 }],
  data: { image_base64: [b64] },
  images: [{ b64_json: b64 }],
  result: { image: b64 },
};

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream(jsonAnswer(answers));
  const ModelPrice = Object.fromEntries(models.split(',').map((model) => [model, 0.01]));
  context.harness = await GatewayHarness.start({ channels: [], options: { ModelPrice } });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

function serve({ harness, upstream }: Context, type: number): void {
  harness.setChannels([{ id: 1, type, baseUrl: upstream.url, models, keys: ['sk-upstream'] }]);
}

function sent({ upstream }: Context): Record<string, unknown> {
  return JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '{}');
}

test('an image inside the request is one however its data URL is written', async (context) => {
  serve(context, gemini);
  for (const head of [
    'data:image/png;base64',
    'data:image/png;name=a.png;base64',
    'DATA:image/png;BASE64',
    // By its bytes.
    'data:;base64',
    'data:application/octet-stream;base64',
  ]) {
    const body = { model: 'gemini-3-pro-image', prompt: 'green', images: [{ image_url: `${head},${b64}` }] };
    const response = await context.harness.post('/v1/images/edits', body);
    assert.is(response.status, 200, `${head}: ${await response.text()}`);
    assert.equal(sent(context).contents, [{ role: 'user', parts: [made, { text: 'green' }] }], head);
  }
});

test('a size that is a word is told to the vendor, or told back as dropped', async (context) => {
  const { harness } = context;
  const sizes = ['2K', 'auto'];
  const expected: unknown[] = [];
  for (const [type, offered] of Object.entries(vendors)) {
    serve(context, Number(type));
    for (const model of offered) {
      for (const size of sizes) {
        const response = await harness.post('/v1/images/generations', { model, prompt: 'a cat', size });
        assert.is(response.status, 200, `${model}: ${await response.text()}`);
        const isTold = size === 'auto' || model.startsWith('gemini-3');
        expected.push([model, isTold ? undefined : ['size']]);
      }
    }
  }
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ modelName, facts }) => [modelName, facts.dropped_fields]),
    expected,
  );
});

test('the caller’s own user is told to vendors that take one, and noted elsewhere', async (context) => {
  const { harness } = context;
  for (const [type, model] of [
    [xai, 'grok-imagine-image'],
    [40, 'Qwen/Qwen-Image'],
  ] as const) {
    serve(context, type);
    context.upstream.script(jsonAnswer({ data: [{ url: address }], images: [{ url: address }] }));
    const response = await harness.post('/v1/images/generations', { model, prompt: 'a cat', user: 'me' });
    assert.is(response.status, 200, await response.text());
    assert.is(sent(context).user, type === xai ? 'me' : undefined);
  }
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ facts }) => facts.dropped_fields),
    [undefined, ['user']],
  );
});

test('images on the way are noted where the vendor makes whole ones alone', async (context) => {
  const { harness } = context;
  context.upstream.script(jsonAnswer({ data: [{ b64_json: b64 }], images: [{ url: address }] }));
  for (const [type, model, n] of [
    [40, 'Qwen/Qwen-Image', 1],
    [45, 'doubao-seedream-4-0-250828', 1],
    // Makes one at a time, so that the request is divided.
    [26, 'cogview-4', 2],
  ] as const) {
    serve(context, type);
    for (const partial_images of [0, 2]) {
      const asked = { model, prompt: 'a cat', n, stream: true, partial_images };
      const response = await harness.post('/v1/images/generations', asked);
      assert.is(response.status, 200, await response.text());
      assert.is(sent(context).partial_images, undefined);
    }
  }
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ facts }) => facts.dropped_fields),
    rows.map((_, index) => (index % 2 === 0 ? undefined : ['partial_images'])),
  );
});

test('Gemini is asked for an image that is no smaller than the one that is wanted', async (context) => {
  serve(context, gemini);
  const asked = { model: 'gemini-3-pro-image', prompt: 'a cat' };
  for (const [size, imageSize] of [
    ['1024x1024', '1K'],
    ['1024x1536', '2K'],
    ['2048x1152', '2K'],
    ['2049x1152', '4K'],
    ['1K', '1K'],
  ] as const) {
    assert.is((await context.harness.post('/v1/images/generations', { ...asked, size })).status, 200);
    assert.match(JSON.stringify(sent(context)), `"imageSize":"${imageSize}"`, size);
  }
});

test.run();
