/**
 * What a divided call costs the operator where one of its parts fails, or nobody waits for the rest (REQ-7).
 * Runs once: the costs are summed before any row is written.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import {
  answerLast,
  type FakeUpstream,
  jsonAnswer,
  type RecordedRequest,
  startFakeUpstream,
} from '../support/fake-upstream.ts';
import { someTurns, until, untilThere } from '../support/until.ts';
import { picture } from './image-vendors.ts';

interface World {
  daemon: TestDaemon;
  first: FakeUpstream;
  second: FakeUpstream;
  key: string;
}

const test = suite<World>('relay: costs of divided calls');

const options = {
  RetryTimes: '1',
  // One quota a token, so that quota equals tokens.
  ModelRatio: JSON.stringify({ 'embed-v4.0': 1, 'gemini-embedding-001': 1, 'gemini-3-pro-image': 1 }),
  ModelPrice: JSON.stringify({ 'cogview-4': 0.01, 'embedding-3': 0.002 }),
  ImagePriceTable: JSON.stringify({
    'cogview-4': { standard: { '1024x1024': 0.02, '1024x1792': 0.04 }, hd: { '1024x1024': 0.06, '1024x1792': 0.08 } },
  }),
};

test.before.each(async (world) => {
  world.first = await startFakeUpstream();
  world.second = await startFakeUpstream();
  world.daemon = await startTestDaemon({ options });
  world.key = await world.daemon.addKey();
});
test.after.each(async ({ daemon, first, second }) => {
  await daemon.stop();
  await Promise.all([first.close(), second.close()]);
});

/** Two channels in this order: the first costs half, the second all of the list price. */
async function serve({ daemon, first, second }: World, type: number, models: string): Promise<number[]> {
  const setting = JSON.stringify({ cost_ratio: 0.5 });
  return [
    await daemon.addChannel({ type, base_url: first.url, models, priority: 2, setting }),
    await daemon.addChannel({ type, base_url: second.url, models, priority: 1 }),
  ];
}

function ask({ daemon, key }: World, path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${daemon.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Rows of the report by channel: requests, cost and revenue. */
async function byChannel({ daemon }: World, channels: readonly number[]): Promise<unknown> {
  const items = await untilThere(async () => {
    const report = await daemon.root.usageReports.report({ by: 'channel' });
    return report.items.length >= channels.length ? report.items : undefined;
  });
  const figures = items
    .filter(({ channel }) => channel !== 0)
    .map(({ channel, requests, cost, quota }) => [channels.indexOf(channel), requests, cost, quota]);
  return figures.sort();
}

function bodyOf({ body }: Pick<RecordedRequest, 'body'>): Record<string, unknown> {
  return JSON.parse(body.toString());
}

const texts = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);

/** Cohere's answer: each text is a token. */
function embedded(request: Pick<RecordedRequest, 'body'>) {
  const { texts: asked } = bodyOf(request);
  const list = Array.isArray(asked) ? asked.map((_, index) => [index]) : [];
  return jsonAnswer({ id: 'x', embeddings: { float: list }, meta: { billed_units: { input_tokens: list.length } } });
}

/** One of three parts fails, when the others have been answered. */
const late = ({ first }: World, status: number) => answerLast(first, 3, jsonAnswer({ message: 'no' }, status));

test('of embeddings: what was answered before a part failed stands under the channel that did it', async (world) => {
  const channels = await serve(world, 34, 'embed-v4.0');
  const isShort = (request: RecordedRequest) => {
    const { texts: asked } = bodyOf(request);
    return Array.isArray(asked) && asked.length < 96;
  };
  world.first.script((request) => (isShort(request) ? late(world, 429) : embedded(request)));
  world.second.script(embedded);
  const response = await ask(world, '/v1/embeddings', { model: 'embed-v4.0', input: texts(200) });
  assert.is(response.status, 200, await response.text());
  assert.equal(await byChannel(world, channels), [
    [0, 0, 96, 0],
    [1, 1, 200, 200],
  ]);
  const { items } = await world.daemon.root.logs.list({ type: 2 });
  const rows = items.map(({ channel, cost, quota, other }) => [
    channels.indexOf(channel),
    cost,
    quota,
    JSON.parse(other),
  ]);
  const [[, , , facts] = []] = rows.filter(([channel]) => channel === 0);
  assert.equal([facts.attempt.status, facts.attempt.parts, facts.attempt.usage.prompt], [429, 2, 192]);
  const [[, , , answered] = []] = rows.filter(([channel]) => channel === 1);
  const tried = answered.admin_info.attempts.map(({ parts, cost }: Record<string, unknown>) => [parts, cost]);
  assert.equal(tried, [
    [2, 96],
    [undefined, 200],
  ]);
});

test('of embeddings whose vendor counts nothing: the parts’ share of the estimate', async (world) => {
  const channels = await serve(world, 24, 'gemini-embedding-001');
  const vectors = (request: RecordedRequest) => {
    const { requests } = bodyOf(request);
    const list = Array.isArray(requests) ? requests : [];
    return jsonAnswer({ embeddings: list.map((_, index) => ({ values: [index] })) });
  };
  world.first.script((request) => {
    const { requests } = bodyOf(request);
    return Array.isArray(requests) && requests.length < 100 ? late(world, 429) : vectors(request);
  });
  world.second.script(vectors);
  const response = await ask(world, '/v1/embeddings', { model: 'gemini-embedding-001', input: texts(200 + 50) });
  assert.is(response.status, 200, await response.text());
  const [first, second] = Object(await byChannel(world, channels));
  assert.equal([first[0], first[1], first[3], second[0], second[1]], [0, 0, 0, 1, 1]);
  // Four fifths of the whole at half the price; the bill is counted, the failure is estimated.
  const expected = (second[2] * 0.8) / 2;
  assert.ok(Math.abs(first[2] - expected) < expected * 0.3, `${first[2]} for ${expected}`);
});

test('of embeddings by call: once, as the answer would have been', async (world) => {
  const channels = await serve(world, 26, 'embedding-3');
  const vectors = (request: RecordedRequest) => {
    const { input } = bodyOf(request);
    const data = (Array.isArray(input) ? input : []).map((_, index) => ({
      object: 'embedding',
      index,
      embedding: [1],
    }));
    return jsonAnswer({ object: 'list', data, model: 'embedding-3', usage: { prompt_tokens: 7, total_tokens: 7 } });
  };
  world.first.script((request, index) => (index === 2 ? late(world, 503) : vectors(request)));
  world.second.script(vectors);
  assert.is((await ask(world, '/v1/embeddings', { model: 'embedding-3', input: texts(130) })).status, 200);
  assert.equal(await byChannel(world, channels), [
    [0, 0, 500, 0],
    [1, 1, 1000, 1000],
  ]);
});

for (const [size, quality, price] of [
  ['1024x1792', 'hd', 40_000],
  ['1024x1792', 'standard', 20_000],
  ['1024x1024', 'hd', 30_000],
] as const) {
  test(`of images in ${size}, ${quality}: those that were made, at what such images cost`, async (world) => {
    const channels = await serve(world, 26, 'cogview-4');
    const made = jsonAnswer({ created: 5, data: [{ url: 'https://files.example/1.png' }] });
    world.first.script((_, index) => (index === 2 ? late(world, 503) : made));
    world.second.script(made);
    const asked = { model: 'cogview-4', prompt: 'a cat', n: 3, size, quality };
    const response = await ask(world, '/v1/images/generations', asked);
    assert.is(response.status, 200, await response.text());
    assert.equal(await byChannel(world, channels), [
      [0, 0, price, 0],
      [1, 1, 3 * price, 3 * price],
    ]);
  });
}

test('of images by tokens: also what the part took that answered in words alone', async (world) => {
  const channels = (await serve(world, 24, 'gemini-3-pro-image')).slice(0, 1);
  const data = picture.toString('base64');
  const said = (parts: readonly object[], candidatesTokenCount: number) =>
    jsonAnswer({ candidates: [{ content: { parts } }], usageMetadata: { promptTokenCount: 10, candidatesTokenCount } });
  const made = said([{ inlineData: { mimeType: 'image/png', data } }], 100);
  const refused = said([{ text: 'I cannot draw that' }], 30);
  world.first.script((_, index) => (index === 1 ? answerLast(world.first, 2, refused) : made));
  const asked = { model: 'gemini-3-pro-image', prompt: 'a cat', n: 2 };
  const response = await ask(world, '/v1/images/generations', asked);
  assert.is(response.status, 502);
  assert.match(await response.text(), /I cannot draw that/);
  // The shipped ratio of output is 6.
  assert.equal(await byChannel(world, channels), [[0, 0, (20 + 6 * 130) / 2, 0]]);
});

test('of a client that left: what had been made by then, though nothing is charged for it', async (world) => {
  const channels = (await serve(world, 26, 'cogview-4')).slice(0, 1);
  const made = jsonAnswer({ created: 5, data: [{ url: 'https://files.example/1.png' }] });
  world.first.script((_, index) => (index === 2 ? { headersAfterMs: 20_000 } : made));
  const leaving = new AbortController();
  const asked = { model: 'cogview-4', prompt: 'a cat', n: 3, size: '1024x1792', quality: 'hd' };
  const call = ask(world, '/v1/images/generations', asked, leaving.signal).catch((error: unknown) => error);
  await until(() => world.first.requests.length === 3 && world.first.open() === 1);
  // What was answered must have been read.
  await someTurns();
  leaving.abort();
  await call;
  assert.equal(await byChannel(world, channels), [[0, 1, 40_000, 0]]);
});

test.run();
