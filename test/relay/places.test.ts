/**
 * Places among the calls that may run at once, and room for their bodies: taken at the start, free again when the answer
 * is out. Runs once: nothing of it is the database's.
 */
import { type ClientRequest, request } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MediaDownloadPort } from '../../daemon/gateway/request-media.ts';
import { DownloadFailed } from '../../daemon/upstream/media-download.ts';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness, hashOf, testKey } from '../support/gateway-harness.ts';
import { until } from '../support/until.ts';
import { completion } from './wire.ts';

const test = suite('relay: places');
const model = 'gpt-4o';

/** An image server that keeps everybody waiting until told. */
class SlowImages implements MediaDownloadPort {
  readonly maxBytes = 1024;
  asked = 0;
  answer: () => void = () => undefined;
  readonly #answered = new Promise<void>((resolve) => {
    this.answer = resolve;
  });

  async fetch(): Promise<never> {
    this.asked += 1;
    await this.#answered;
    throw new DownloadFailed('the address cannot be reached');
  }
}

/** In the client's own dialect, with when to come again. */
async function expectRefused(harness: GatewayHarness, body: string, status: number): Promise<void> {
  const answers = [
    ['/v1/chat/completions', 'error'],
    ['/v1/messages', 'type'],
  ] as const;
  for (const [path, member] of answers) {
    const refused = await harness.post(path, body);
    const told = await refused.json();
    assert.is(refused.status, status, path);
    assert.is(refused.headers.get('retry-after'), '1');
    assert.ok(member in told, JSON.stringify(told));
  }
}

test('are free while the bill of an answered call waits for its count, and a stop waits for that bill', async () => {
  const upstream = await startFakeUpstream(() => jsonAnswer(completion({ usage: undefined })));
  const downloads = new SlowImages();
  const harness = await GatewayHarness.start({
    channels: [{ id: 1, type: 1, baseUrl: upstream.url, models: model, keys: ['k'] }],
    config: { maxConcurrent: 1, maxConcurrentPerUser: 1, countsMedia: { streamed: true, whole: true } },
    downloads,
  });
  try {
    const content = [{ type: 'image_url', image_url: { url: 'https://example.org/cat.png' } }];
    for (const calls of [1, 2, 3]) {
      const answer = await harness.post('/v1/chat/completions', { model, messages: [{ role: 'user', content }] });
      assert.is(answer.status, 200, JSON.stringify(answer));
      await until(() => downloads.asked >= calls);
    }
    assert.is(harness.gateway.running, 3);
    let stopped = false;
    const drained = harness.gateway.drain().then(() => {
      stopped = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.is(stopped, false);
    downloads.answer();
    await drained;
    const rows = await harness.rows();
    assert.equal(
      rows.map(({ facts }) => facts.usage_estimated),
      [true, true, true],
    );
  } finally {
    downloads.answer();
    await harness.stop();
    await upstream.close();
  }
});

/** A chat request with so much text in it. */
const bodyOf = (bytes: number) =>
  JSON.stringify({ model, max_tokens: 9, messages: [{ role: 'user', content: 'x'.repeat(bytes) }] });

/** Sends a body, all but its last byte. */
function hanging(harness: GatewayHarness, body: string, key = harness.key): ClientRequest {
  const headers = { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' };
  const sent = request(`${harness.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...headers, 'content-length': body.length },
  });
  sent.on('error', () => undefined);
  sent.write(body.slice(0, -1));
  return sent;
}

test('bodies that come to more than there is memory for are refused, small ones never', async () => {
  const upstream = await startFakeUpstream(() => jsonAnswer(completion()));
  const harness = await GatewayHarness.start({
    channels: [{ id: 1, type: 1, baseUrl: upstream.url, models: `${model},whisper-1,gpt-image-1`, keys: ['k'] }],
    config: { maxHeldBytes: 300_000 },
  });
  const large = bodyOf(200_000);
  const first = hanging(harness, large);
  try {
    await until(() => harness.gateway.heldBytes >= large.length - 1);
    await expectRefused(harness, large, 503);
    // It announces no length, and is refused when it has grown too large.
    const growing = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(16_384).fill(0x20)),
    });
    const headers = { authorization: `Bearer sk-${harness.key}`, 'content-type': 'application/json' };
    const endless = { method: 'POST', headers, body: growing, duplex: 'half' } as const;
    const told = await fetch(`${harness.url}/v1/chat/completions`, endless).then(
      ({ status }) => status,
      // The connection may be gone before its answer is read.
      () => 503,
    );
    assert.is(told, 503);
    const form = new FormData();
    form.append('model', 'gpt-image-1');
    form.append('prompt', 'a cat');
    form.append('image', new Blob([new Uint8Array(200_000)]), 'a.png');
    const formed = await fetch(`${harness.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${harness.key}` },
      body: form,
    });
    assert.is(formed.status, 503);
    assert.is((await harness.post('/v1/chat/completions', bodyOf(10))).status, 200);
    await until(() => harness.gateway.running === 1);
    assert.is(harness.gateway.heldBytes, large.length - 1, 'what was refused or is done takes no room');
    first.end(large.slice(-1));
    await until(() => harness.gateway.running === 0);
    assert.is(harness.gateway.heldBytes, 0);
    assert.is((await harness.post('/v1/chat/completions', large)).status, 200);
  } finally {
    first.destroy();
    await harness.stop();
    await upstream.close();
  }
});

/** Somebody else, with a key of their own. */
async function secondUser({ database }: GatewayHarness): Promise<string> {
  const key = testKey('second');
  await database.transaction(async (stores) => {
    await stores.users.insert({ username: 'other', createdAt: 0, status: 1, role: 1, group: 'default' });
    const token = { keySealed: '', keyHint: 'test', name: 'test', createdTime: 0, expiredTime: -1, group: '' };
    const open = { unlimitedQuota: true, modelLimitsEnabled: false, modelLimits: '', allowIps: '' };
    await stores.tokens.insert({ userId: 2, keyHash: hashOf(key), ...token, ...open });
    await stores.ledger.debitUsers([{ id: 2, amount: -100_000_000 }]);
  });
  return key;
}

test('large bodies of one user take no more than their part, and leave the rest to others', async () => {
  const upstream = await startFakeUpstream(() => jsonAnswer(completion()));
  const harness = await GatewayHarness.start({
    channels: [{ id: 1, type: 1, baseUrl: upstream.url, models: `${model},gpt-image-1`, keys: ['k'] }],
    config: { maxHeldBytes: 2_000_000, maxHeldBytesPerUser: 500_000 },
  });
  const large = bodyOf(300_000);
  const first = hanging(harness, large);
  let others: ClientRequest | undefined;
  try {
    const other = await secondUser(harness);
    await until(() => harness.gateway.heldBytes >= large.length - 1);
    await expectRefused(harness, large, 429);
    const form = new FormData();
    form.append('model', 'gpt-image-1');
    form.append('prompt', 'a cat');
    form.append('image', new Blob([new Uint8Array(300_000)]), 'a.png');
    const headers = { authorization: `Bearer sk-${harness.key}` };
    const formed = await fetch(`${harness.url}/v1/images/edits`, { method: 'POST', headers, body: form });
    assert.equal([formed.status, (await formed.json()).error.code], [429, 'rate_limited:held_bodies']);
    assert.is((await harness.post('/v1/chat/completions', bodyOf(60_000))).status, 200, 'small ones are always taken');
    others = hanging(harness, large, other);
    await until(() => harness.gateway.heldBytes >= 2 * (large.length - 1));
    others.end(large.slice(-1));
    first.end(large.slice(-1));
    await until(() => harness.gateway.running === 0);
    assert.is((await harness.post('/v1/chat/completions', large)).status, 200, 'what has left takes no part');
    await until(() => harness.gateway.running === 0);
    assert.is((await harness.post('/v1/chat/completions', large)).status, 200);
  } finally {
    first.destroy();
    others?.destroy();
    await harness.stop();
    await upstream.close();
  }
});

test('an answer that drips has an end where the operator set one, also when it comes as a whole', async () => {
  const drops = JSON.stringify(completion()).split('');
  const upstream = await startFakeUpstream({
    headers: { 'content-type': 'application/json' },
    chunks: drops.slice(0, 40),
    pauseMs: 20,
  });
  const timeouts = { connectMs: 5000, headersMs: 0, firstTokenMs: 0, idleMs: 300_000, answerMaxMs: 150 };
  const harness = await GatewayHarness.start({
    channels: [{ id: 1, type: 1, baseUrl: upstream.url, models: model, keys: ['k'] }],
    config: { timeouts },
  });
  try {
    const answer = await harness.post('/v1/chat/completions', bodyOf(1));
    assert.equal([answer.status, (await answer.json()).error.code], [504, 'upstream_timeout']);
  } finally {
    await harness.stop();
    await upstream.close();
  }
});

test.run();
