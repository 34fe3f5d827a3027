/** Pictures that a vendor has taken on and is asked after (relay.md 5.6, 11.5). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { until } from '../support/until.ts';
import { channel, inline, models } from './image-service-cases.ts';
import { address, picture } from './image-vendors.ts';

interface Context {
  /** One a vendor. */
  upstreams: readonly FakeUpstream[];
  harness: GatewayHarness;
}

const test = suite<Context>('relay: pictures in the making');

const quotaOfOne = 5000;
test.before.each(async (context) => {
  context.upstreams = await Promise.all(orders.map(() => startFakeUpstream()));
  const downloads = { maxBytes: 1_000_000, fetch: () => Promise.resolve({ bytes: picture, contentType: 'image/png' }) };
  const ModelPrice = Object.fromEntries(Object.values(models).map((model) => [model, 0.01]));
  context.harness = await GatewayHarness.start({ channels: [], downloads, options: { ModelPrice, RetryTimes: 1 } });
  serve(context);
});
test.after.each(async ({ harness, upstreams }) => {
  await harness.stop();
  for (const upstream of upstreams) await upstream.close();
});

const prediction = { id: 'p1', status: 'starting', output: null, error: null };
const accepted = { status: 202, headers: { 'nvcf-reqid': 'r1', 'nvcf-status': 'pending-evaluation' } };
/** A picture that is ordered of each vendor, what it says first, and the picture. */
const orders: readonly (readonly [type: number, model: string, first: Answer, made: Answer])[] = [
  [
    channel.replicate,
    models.pro,
    jsonAnswer(prediction, 201),
    jsonAnswer({ ...prediction, status: 'succeeded', output: address }),
  ],
  [
    channel.fireworks,
    models.kontext,
    jsonAnswer({ request_id: 'req-1' }),
    jsonAnswer({ id: 'req-1', status: 'Ready', result: { sample: inline } }),
  ],
  [channel.nvidia, models.dev, accepted, jsonAnswer({ artifacts: [{ base64: picture.toString('base64') }] })],
];

/** Two channels a vendor, so that there is another to turn to. */
function serve({ harness, upstreams }: Context): void {
  const channels = orders.flatMap(([type, model], at) => {
    const offered = { type, baseUrl: upstreams[at]?.url ?? '', models: model, keys: ['sk-upstream'] };
    return [2 * at + 1, 2 * at + 2].map((id) => ({ ...offered, id }));
  });
  harness.setChannels(channels);
}

function order({ harness }: Context, model: string): Promise<Response> {
  if (model !== models.kontext) return harness.post('/v1/images/generations', { prompt: 'a cat', model });
  return harness.post('/v1/images/edits', { prompt: 'green', model, images: [{ image_url: inline }] });
}

test('orders a picture of nobody else where one is being made, though its maker will not tell of it', async (context) => {
  const { harness, upstreams } = context;
  for (const [at, [, , first]] of orders.entries()) {
    const isLook = (url: string) => /p1|get_result|status/.test(url);
    upstreams[at]?.script(({ url }) => (isLook(url) ? jsonAnswer({ detail: 'no such thing' }, 404) : first));
  }
  const responses = await Promise.all(orders.map(([, model]) => order(context, model)));
  for (const [at, response] of responses.entries()) {
    assert.is(response.status, 404, await response.text());
    assert.is(upstreams[at]?.requests.length, 2);
  }
  assert.ok((await harness.rows()).every(({ quota }) => quota === 0));
});

test('asks on after a picture while its maker is too busy to tell, or cannot be reached', async (context) => {
  const { harness, upstreams } = context;
  const vain: readonly Answer[] = [
    jsonAnswer({ detail: 'slow down' }, 429, { 'retry-after': '2' }),
    jsonAnswer({ detail: 'overloaded' }, 503),
    { end: 'reset' },
  ];
  for (const [at, [, , first, made]] of orders.entries()) {
    upstreams[at]?.script((_, index) => [first, vain[at], made][index] ?? jsonAnswer({ detail: 'too often' }, 400));
  }
  const responses = await Promise.all(orders.map(([, model]) => order(context, model)));
  for (const [at, response] of responses.entries()) {
    assert.is(response.status, 200, await response.text());
    assert.is(upstreams[at]?.requests.length, 3);
  }
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    Array(orders.length).fill(quotaOfOne),
  );
});

test('gives a picture up when an answer may take no longer', async (context) => {
  const { upstreams } = context;
  const model = models.pro;
  const config = { timeouts: { connectMs: 5000, headersMs: 0, firstTokenMs: 0, idleMs: 300_000, answerMaxMs: 2000 } };
  const harness = await GatewayHarness.start({ channels: [], options: { ModelPrice: { [model]: 0.01 } }, config });
  serve({ ...context, harness });
  upstreams[0]?.script(jsonAnswer(prediction));
  const response = await order({ ...context, harness }, model);
  assert.is(response.status, 504, await response.text());
  // The order, one look, and that nobody waits for it any longer.
  await until(() => upstreams[0]?.requests.at(-1)?.url.endsWith('/cancel') === true);
  assert.is(upstreams[0]?.requests.length, 3);
  await harness.stop();
});

test.run();
