/** Variations of images. Runs once: it looks at what goes over the wire and is charged, by rules that hold for all images. */
import OpenAI, { toFile } from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, type RecordedRequest, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { address, picture } from './image-vendors.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: variations of images');

const openai = 1;
/** Has new images and edits alone. Source: learn.microsoft.com, answers 1818475 and the images quickstart, read 2026-11. */
const azure = 3;
const gemini = 24;
const xinference = 47;
const b64 = picture.toString('base64');
const file = new Blob([new Uint8Array(picture)], { type: 'image/png' });
/** A file server at every address. */
const downloads = {
  maxBytes: 1_000_000,
  fetch: () => Promise.resolve({ bytes: picture, contentType: 'image/png' }),
};

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  const { shippedOptionDefaults } = await import('../../daemon/domain/options.ts');
  const ModelPrice = { ...shippedOptionDefaults().ModelPrice, 'sd-turbo': 0.01 };
  context.harness = await GatewayHarness.start({ channels: [], downloads, options: { ModelPrice } });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

function serve({ harness, upstream }: Context, type: number): void {
  harness.setChannels([{ id: 1, type, baseUrl: upstream.url, models: 'dall-e-2,sd-turbo', keys: ['sk-upstream'] }]);
}

function vary({ harness }: Context, members: readonly (readonly [string, string | Blob])[]): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of members) form.append(name, value);
  const headers = { authorization: `Bearer sk-${harness.key}` };
  return fetch(`${harness.url}/v1/images/variations`, { method: 'POST', headers, body: form });
}

function formOf({ body, headers }: RecordedRequest): Promise<FormData> {
  const contentType = String(headers['content-type']);
  return new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
}

test('are charged as the images that came, and handed over as the client wants them', async (context) => {
  const { harness, upstream } = context;
  serve(context, openai);
  upstream.script(jsonAnswer({ created: 1, data: [{ url: address }, { url: address }] }));
  const client = new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const image = await toFile(picture, 'a.png', { type: 'image/png' });
  const made = await client.images.createVariation({ image, n: 2, size: '256x256', response_format: 'b64_json' });
  assert.equal(
    made.data?.map((one) => one.b64_json),
    [b64, b64],
  );
  const [request] = upstream.requests;
  assert.is(request?.url, '/v1/images/variations');
  const form = request && (await formOf(request));
  assert.equal([...(form?.keys() ?? [])].sort(), ['image', 'model', 'n', 'response_format', 'size']);
  assert.is(form?.get('model'), 'dall-e-2');
  const [row] = await harness.rows();
  // Two of 0.016 USD.
  assert.equal([row?.quota, row?.facts.images, row?.facts.size], [16_000, 2, '256x256']);
});

test('are asked of an Xinference server without a prompt', async (context) => {
  const { harness, upstream } = context;
  serve(context, xinference);
  upstream.script(jsonAnswer({ created: 5, data: [{ url: null, b64_json: b64 }] }));
  const answer = await vary(context, [
    ['model', 'sd-turbo'],
    ['image', file],
  ]);
  assert.equal((await answer.json()).data, [{ b64_json: b64 }]);
  const [request] = upstream.requests;
  assert.is(request?.url, '/v1/images/variations');
  const form = request && (await formOf(request));
  assert.equal([...(form?.keys() ?? [])], ['model', 'n', 'image', 'response_format']);
  assert.is((await harness.rows())[0]?.quota, 5000);
});

const refused: Readonly<Record<string, readonly (readonly [string, string | Blob])[]>> = {
  'no image': [['model', 'dall-e-2']],
  'two images': [
    ['image', file],
    ['image', file],
  ],
  'too many': [
    ['image', file],
    ['n', '11'],
  ],
  'a size of no such model': [
    ['image', file],
    ['model', 'dall-e-2'],
    ['size', '99x99'],
  ],
};

test('are refused without one image in a form, and where nobody can make them', async (context) => {
  const { harness, upstream } = context;
  serve(context, openai);
  for (const [what, members] of Object.entries(refused)) assert.is((await vary(context, members)).status, 400, what);
  const plain = await harness.post('/v1/images/variations', { image: address });
  assert.equal([plain.status, (await plain.json()).error.param], [400, 'image']);
  for (const type of [gemini, azure]) {
    serve(context, type);
    const unable = await vary(context, [['image', file]]);
    const { error } = await unable.json();
    assert.equal([unable.status, error.code, error.param], [501, 'api_not_implemented', 'model']);
    assert.match(error.message, /^API not implemented: no channel of model dall-e-2 makes .+ \/v1\/images\/edits/);
  }
  assert.equal([upstream.requests.length, (await harness.rows()).length], [0, 0]);
});

test.run();
