/** Bytes under pressure: slow clients, huge events, silence, parallel calls, stopping. */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { resolvesWithin, until } from '../support/until.ts';
import { chatRequest, chunk, completion, events, finishChunk, roleChunk, saidIn, streamOf } from './wire.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: flow');
const megabyte = 1024 * 1024;

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream(jsonAnswer(completion()));
  context.harness = await GatewayHarness.start({
    channels: [{ baseUrl: context.upstream.url, models: 'gpt-4o' }],
    config: { streamWriteTimeoutMs: 600 },
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

const streamed = { ...chatRequest, stream: true };

test('passes one event of 40 MiB, and every byte of it', async ({ upstream }) => {
  // On a busy machine the client, which shares this process, reads nothing for longer than the others may.
  const harness = await GatewayHarness.start({ channels: [{ baseUrl: upstream.url, models: 'gpt-4o' }] });
  const content = 'a'.repeat(40 * megabyte);
  upstream.script(sseAnswer([chunk({ content }), finishChunk, '[DONE]']));
  const before = process.memoryUsage().rss;
  const response = await harness.post('/v1/chat/completions', streamed);
  let length = 0;
  for await (const piece of response.body ?? []) length += piece.length;
  assert.ok(length > 40 * megabyte);
  // Upstream, gateway and client share this process: each holds the event about once.
  assert.ok(process.memoryUsage().rss - before < 400 * megabyte);
  await harness.stop();
});

test('lists the events of a stream whose client wants an array, those of several lines as well', async (world) => {
  const { harness, upstream } = world;
  harness.setChannels([{ type: 24, baseUrl: upstream.url, models: 'gpt-4o' }]);
  const said = (text: string) => `{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"${text}"}]}}`;
  const end = '{"candidates":[{"index":0,"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":3}}';
  const sent = `data: ${said('ö')}]}\n\ndata:${said('two')}\ndata: ]}\n\nevent: x\ndata: ${end}\n\n`;
  upstream.script({ headers: { 'content-type': 'text/event-stream' }, chunks: [sent] });
  const path = '/v1beta/models/gpt-4o:streamGenerateContent';
  const answer = await harness.post(path, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] });
  assert.is(await answer.text(), `[${said('ö')}]},\r\n${said('two')}\n]},\r\n${end}]`);
});

/** A client that reads nothing until it is told to. */
function slowClient(harness: GatewayHarness, body: string) {
  const { hostname, port } = new URL(harness.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${harness.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  socket.pause();
  return socket;
}

/** An upstream that sends as much as it is allowed to. */
async function firehose() {
  let sent = 0;
  const piece = `data: ${JSON.stringify(chunk({ content: 'x'.repeat(megabyte / 4) }))}\n\n`;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const pour = () => {
      while (!response.destroyed && sent < 256 * megabyte) {
        sent += piece.length;
        if (!response.write(piece)) break;
      }
    };
    response.on('drain', pour);
    pour();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, sent: () => sent, close };
}

test('stops reading the upstream while the client does not read', async ({ harness }) => {
  const upstream = await firehose();
  harness.setChannels([{ baseUrl: upstream.url, models: 'gpt-4o' }]);
  const client = slowClient(harness, JSON.stringify(streamed));
  await until(() => upstream.sent() > 0);
  await sleep(500);
  assert.ok(
    upstream.sent() < 24 * megabyte,
    `${Math.round(upstream.sent() / megabyte)} MiB were taken from the upstream`,
  );
  client.destroy();
  upstream.close();
});

test('gives up on a client that does not read, and frees the upstream', async ({ harness, upstream }) => {
  upstream.script(sseAnswer(Array.from({ length: 64 }, () => chunk({ content: 'x'.repeat(megabyte / 2) }))));
  const client = slowClient(harness, JSON.stringify(streamed));
  await until(() => upstream.requests.length > 0);
  await resolvesWithin(3000, upstream.requests[0]?.aborted);
  const [row] = await harness.rows();
  assert.is(row?.facts.settle_reason, 'client_gone');
  client.destroy();
});

test('frees the connection of a paused answer whose client is gone', async ({ harness, upstream }) => {
  upstream.script(sseAnswer(Array.from({ length: 64 }, () => chunk({ content: 'x'.repeat(megabyte / 2) }))));
  for (let round = 1; round <= 20; round += 1) {
    const client = slowClient(harness, JSON.stringify(streamed));
    await until(() => upstream.requests.length === round);
    await sleep(20);
    client.destroy();
  }
  await harness.settled();
  await until(() => upstream.open() === 0);
});

test('answers a hundred calls at once on one key', async ({ harness }) => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => harness.post('/v1/chat/completions', chatRequest)),
  );
  assert.ok(answers.every((answer) => answer.status === 200));
  assert.is((await harness.rows()).length, 100);
});

test('runs two hundred streams at once for one user', async ({ harness, upstream }) => {
  upstream.script(sseAnswer(streamOf(Array.from({ length: 20 }, () => 'w ')), { pauseMs: 5 }));
  const texts = await Promise.all(
    Array.from({ length: 200 }, async () => (await harness.post('/v1/chat/completions', streamed)).text()),
  );
  assert.ok(texts.every((text) => events(text).at(-1) === '[DONE]'));
  assert.is((await harness.rows()).length, 200);
  assert.is(harness.reports.length, 0);
});

test('delivers a stream cut at every byte as if it came whole', async ({ harness, upstream }) => {
  const whole = Buffer.from(
    `${[roleChunk, chunk({ content: 'h\u00e9 \u{1f44d}' }), finishChunk]
      .map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`)
      .join('')}data: [DONE]\r\n\r\n`,
  );
  const seen = new Set<string>();
  for (let at = 1; at < whole.length; at += 7) {
    const chunks = [whole.subarray(0, at), whole.subarray(at)];
    upstream.script({ headers: { 'content-type': 'text/event-stream' }, chunks, pauseMs: 1 });
    seen.add(await (await harness.post('/v1/chat/completions', streamed)).text());
  }
  assert.is(seen.size, 1);
  assert.is(saidIn([...seen][0] ?? ''), 'h\u00e9 \u{1f44d}');
});

test('tells proxies on the way neither to buffer a stream nor to change it', async ({ harness, upstream }) => {
  upstream.script(sseAnswer(streamOf(['a'])));
  const { headers } = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  const told = ['content-type', 'cache-control', 'x-accel-buffering'].map((name) => headers.get(name));
  assert.equal(told, ['text/event-stream; charset=utf-8', 'no-cache, no-transform', 'no']);
});

test('keeps silent clients with comments, and still fails over and loses patience', async ({ harness, upstream }) => {
  const second = await startFakeUpstream(sseAnswer(streamOf(['here'])));
  harness.setOptions({
    RetryTimes: 1,
    'general_setting.ping_interval_enabled': true,
    'general_setting.ping_interval_seconds': 1,
  });
  const refusal = { ...jsonAnswer({ error: { message: 'no' } }, 500), headersAfterMs: 1400 };
  for (const [id, answer, setting] of [
    [1, refusal, '{}'],
    [3, { headersAfterMs: 60_000 }, '{"timeout_first_byte":1.4}'],
  ] as const) {
    harness.setChannels([
      { id, baseUrl: upstream.url, models: 'gpt-4o', priority: 1, setting },
      { id: 2, baseUrl: second.url, models: 'gpt-4o' },
    ]);
    upstream.script(answer);
    const text = await (await harness.post('/v1/chat/completions', streamed)).text();
    assert.ok(text.startsWith(': PING\n\n'));
    assert.is(saidIn(text), 'here');
  }
  await second.close();
});

test('sends no comments unless that is switched on: a failure after a pause keeps its status', async (world) => {
  const { harness, upstream } = world;
  harness.setOptions({ 'general_setting.ping_interval_seconds': 1 });
  upstream.script({ ...jsonAnswer({ error: { message: 'no' } }, 500), headersAfterMs: 1400 });
  assert.is((await harness.post('/v1/chat/completions', streamed)).status, 500);
});

test('tells a client that only got comments about the failure inside the stream', async ({ harness, upstream }) => {
  harness.setOptions({
    'general_setting.ping_interval_enabled': true,
    'general_setting.ping_interval_seconds': 1,
  });
  upstream.script({ ...jsonAnswer({ error: { message: 'no' } }, 500), headersAfterMs: 1400 });
  const response = await harness.post('/v1/chat/completions', streamed);
  assert.is(response.status, 200);
  const text = await response.text();
  assert.ok(JSON.parse(events(text).at(-1) ?? '{}').error);
  assert.not.match(text, /\[DONE\]/);
  const [row] = await harness.rows();
  assert.is(row?.failed, true);
});

test('reads compressed bodies and refuses bombs and oversized ones', async ({ upstream }) => {
  const harness = await GatewayHarness.start({
    channels: [{ baseUrl: upstream.url, models: 'gpt-4o' }],
    config: { maxRequestBodyBytes: 2 * megabyte },
  });
  const post = (body: Buffer, headers: Record<string, string>) =>
    fetch(`${harness.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${harness.key}`, 'content-type': 'application/json', ...headers },
      body: new Uint8Array(body),
    });
  const small = Buffer.from(JSON.stringify(chatRequest));
  assert.is((await post(gzipSync(small), { 'content-encoding': 'gzip' })).status, 200);
  assert.is(upstream.requests[0]?.body.toString(), small.toString());
  for (const packed of [deflateSync(small), deflateRawSync(small)]) {
    assert.is((await post(packed, { 'content-encoding': 'deflate' })).status, 200);
    assert.is(upstream.requests.at(-1)?.body.toString(), small.toString());
    assert.is((await post(packed.subarray(0, 20), { 'content-encoding': 'deflate' })).status, 400);
  }
  const zeros = Buffer.from(`{"model":"gpt-4o","x":"${'0'.repeat(3 * megabyte)}"}`);
  for (const packed of [deflateSync(zeros), deflateRawSync(zeros)]) {
    assert.is((await post(packed, { 'content-encoding': 'deflate' })).status, 413);
  }
  const bomb = gzipSync(Buffer.from(`{"model":"gpt-4o","x":"${'0'.repeat(3 * megabyte)}"}`));
  const refused = await post(bomb, { 'content-encoding': 'gzip' });
  assert.equal([refused.status, (await refused.json()).error.code], [413, 'read_request_body_failed']);
  assert.is((await post(brotliCompressSync(gzipSync(small)), { 'content-encoding': 'gzip, br' })).status, 200);
  assert.is(upstream.requests.at(-1)?.body.toString(), small.toString());
  assert.is((await post(brotliCompressSync(bomb), { 'content-encoding': 'gzip, br' })).status, 413);
  assert.is((await post(Buffer.alloc(3 * megabyte, 32), {})).status, 413);
  assert.is((await post(small, { 'content-encoding': 'lzma' })).status, 400);
  assert.is((await post(small, { 'content-encoding': 'gzip' })).status, 400);
  await harness.stop();
});

test('compresses whole answers for clients that can read them, and never streams', async ({ harness, upstream }) => {
  upstream.script(jsonAnswer(completion({ padding: 'x'.repeat(4000) })));
  const whole = await harness.post('/v1/chat/completions', chatRequest, { headers: { 'accept-encoding': 'gzip' } });
  assert.is(whole.headers.get('content-encoding'), 'gzip');
  assert.is((await whole.json()).id, 'chatcmpl-1');
  for (const [accepted, coding] of [
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['GZIP; q=0.000, Br', 'br'],
    ['gzip;q=0', null],
    ['identity', null],
  ] as const) {
    const answer = await harness.post('/v1/chat/completions', chatRequest, {
      headers: { 'accept-encoding': accepted },
    });
    assert.is(answer.headers.get('content-encoding'), coding, accepted);
    assert.is((await answer.json()).id, 'chatcmpl-1');
  }
  upstream.script(sseAnswer(streamOf(['x'.repeat(4000)])));
  const stream = await harness.post('/v1/chat/completions', streamed, { headers: { 'accept-encoding': 'gzip' } });
  assert.is(stream.headers.get('content-encoding'), null);
  await stream.text();
});

test('undoes an upstream’s compression', async ({ harness, upstream }) => {
  upstream.script({
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    chunks: [gzipSync(JSON.stringify(completion()))],
  });
  assert.equal(await (await harness.post('/v1/chat/completions', chatRequest)).json(), completion());
  assert.is(upstream.requests[0]?.headers['accept-encoding'], 'gzip, br');
});

test('lets running streams finish while it stops, and ends them when the grace is over', async ({
  harness,
  upstream,
}) => {
  const goOn = () => new Promise<void>(() => undefined);
  upstream.script(sseAnswer([chunk({ content: 'w ' }), finishChunk], { goOn }));
  const response = await harness.post('/v1/chat/completions', streamed);
  let text = '';
  const reading = (async () => {
    for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
  })();
  const drained = harness.gateway.drain();
  // Something was said by then, for which is paid.
  await until(() => text.includes('w '));
  assert.is(harness.gateway.running, 1);
  harness.gateway.interrupt();
  await reading;
  await drained;
  assert.match(text, /shutting_down/);
  assert.not.match(text, /\[DONE\]/);
  const [row] = await harness.rows();
  assert.is(row?.facts.settle_reason, 'shutdown');
  assert.ok((row?.quota ?? 0) > 0);
});

test('refuses a waiting call when the grace is over', async ({ harness, upstream }) => {
  upstream.script({ ...jsonAnswer(completion()), headersAfterMs: 5000 });
  const calling = harness.post('/v1/chat/completions', chatRequest);
  await until(() => upstream.requests.length > 0);
  harness.gateway.interrupt();
  const response = await calling;
  assert.equal([response.status, (await response.json()).error.code], [503, 'shutting_down']);
  assert.is(response.headers.get('retry-after'), '5');
  assert.is((await harness.user()).quota, 100_000_000);
  const [row] = await harness.rows();
  assert.is(row?.facts.settle_reason, 'shutdown');
});

test.run();
