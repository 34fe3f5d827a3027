/** Masks of edits for vendors that read black and white: painted once, refused with the remedy (relay.md 5.6). */
import OpenAI, { toFile } from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DownloadFailed } from '../../daemon/upstream/media-download.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { alphaPng, png, shadesOf } from '../support/mask-files.ts';
import { address, picture } from './image-vendors.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: painted masks');

const qianfan = { id: 1, type: 46, models: 'irag-edit', keys: ['sk-upstream'] };
const inline = dataUrl(picture);
/** Two pixels, of which the first may change. */
const mask = alphaPng({ width: 2, opacity: [0, 255] });
const elsewhere = 'https://files.example/mask.png';
const black = 'https://files.example/black.png';

function dataUrl(file: Buffer): string {
  return `data:image/png;base64,${file.toString('base64')}`;
}

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.upstream.script(jsonAnswer({ created: 5, data: [{ url: address }] }));
  const files = new Map([
    [elsewhere, mask],
    [black, png({ width: 1, height: 1, color: 0 }, Buffer.from([0, 0]))],
  ]);
  const downloads = {
    maxBytes: 1_000_000,
    fetch: (url: string) => {
      const bytes = files.get(url);
      if (bytes === undefined) return Promise.reject(new DownloadFailed('the address is not allowed'));
      return Promise.resolve({ bytes, contentType: 'image/png' });
    },
  };
  const ModelPrice = { 'irag-edit': 0.01, 'wanx2.1-imageedit': 0.01 };
  context.harness = await GatewayHarness.start({ channels: [], downloads, options: { ModelPrice, RetryTimes: 2 } });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

function edit({ harness }: Context, body: Record<string, unknown>): Promise<Response> {
  return harness.post('/v1/images/edits', { model: 'irag-edit', prompt: 'green', image: inline, ...body });
}

/** What the vendor was sent last. */
function sent({ upstream }: Context, index = -1): Record<string, unknown> {
  return JSON.parse(upstream.requests.at(index)?.body.toString() ?? '{}');
}

function shadesIn(value: unknown): number[] {
  return shadesOf(Buffer.from(String(value).slice('data:image/png;base64,'.length), 'base64'));
}

test('refuses a mask that it cannot paint, and names the field and the remedy', async (context) => {
  const { harness, upstream } = context;
  harness.setChannels([{ ...qianfan, baseUrl: upstream.url }]);
  for (const [file, text] of [
    [png({ width: 5000, height: 4000, color: 6 }, Buffer.alloc(1)), /mask: 5000x4000 .* send image and mask smaller/],
    [mask.subarray(0, 70), /mask: the file is broken: save it anew, as a PNG file/],
  ] as const) {
    const response = await edit(context, { mask: dataUrl(file) });
    const { error } = await response.json();
    assert.equal([response.status, error.code, error.param], [400, 'convert_request_failed', 'mask']);
    assert.match(error.message, text);
  }
  assert.is(upstream.requests.length, 0);
});

test('leaves a mask that it cannot paint to a channel that reads it as it is', async (context) => {
  const { harness, upstream } = context;
  const large = dataUrl(png({ width: 5000, height: 4000, color: 6 }, Buffer.alloc(1)));
  harness.setChannels([
    { ...qianfan, baseUrl: upstream.url, priority: 9 },
    { id: 2, type: 1, baseUrl: upstream.url, models: 'irag-edit', keys: ['sk-second'] },
  ]);
  assert.is((await edit(context, { mask: large })).status, 200);
  assert.is(upstream.requests.length, 1);
  assert.is(sent(context).mask, large);
});

test('paints masks of forms, for every attempt alike', async (context) => {
  const { harness, upstream } = context;
  const channel = { ...qianfan, baseUrl: upstream.url };
  harness.setChannels([channel, { ...channel, id: 2, keys: ['sk-second'] }]);
  upstream.script((_, index) => (index === 0 ? { status: 503 } : jsonAnswer({ data: [{ url: address }] })));
  const client = new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const type = 'image/png';
  const made = await client.images.edit({
    model: 'irag-edit',
    prompt: 'green',
    image: await toFile(picture, 'a.png', { type }),
    mask: await toFile(mask, 'mask.png', { type }),
  });
  assert.is(made.data?.[0]?.url, address);
  assert.is(upstream.requests.length, 2);
  for (const index of [0, 1]) assert.equal(shadesIn(sent(context, index).mask), [255, 0]);
});

test('fetches a mask that is named by its address, and leaves it there where nothing is to be painted', async (context) => {
  const { harness, upstream } = context;
  harness.setChannels([{ ...qianfan, baseUrl: upstream.url }]);
  assert.is((await edit(context, { mask: elsewhere })).status, 200);
  assert.equal(shadesIn(sent(context).mask), [255, 0]);
  assert.is((await edit(context, { mask: { image_url: black } })).status, 200);
  assert.is(sent(context).mask, black);
  const refused = await edit(context, { mask: 'https://files.example/nothing.png' });
  assert.is(refused.status, 400);
  assert.match((await refused.json()).error.message, /could not load image 1: the address is not allowed/);
});

test('paints masks for Wanx', async (context) => {
  const { harness, upstream } = context;
  const model = 'wanx2.1-imageedit';
  harness.setChannels([{ id: 1, type: 17, baseUrl: upstream.url, models: model, keys: ['sk-upstream'] }]);
  upstream.script(jsonAnswer({ output: { task_status: 'SUCCEEDED', task_id: 't', results: [{ url: address }] } }));
  assert.is((await edit(context, { model, mask: dataUrl(mask) })).status, 200);
  const { input } = sent(context, 0);
  const { mask_image_url: painted, ...said } = Object(input);
  assert.equal(said, { function: 'description_edit_with_mask', prompt: 'green', base_image_url: inline });
  assert.equal(shadesIn(painted), [255, 0]);
});

test.run();
