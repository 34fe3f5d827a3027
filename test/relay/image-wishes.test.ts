/** What clients say of the images that they want, to vendors with words of their own (relay.md 5.6, 13.1). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { picture } from './image-vendors.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: image wishes');

const gemini = 24;
const models = 'gemini-3-pro-image';
const b64 = picture.toString('base64');
const made = { inlineData: { mimeType: 'image/png', data: b64 } };

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream(jsonAnswer({ candidates: [{ content: { parts: [made] } }] }));
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

test.run();
