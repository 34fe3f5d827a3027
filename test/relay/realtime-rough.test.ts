/** Ends of realtime sessions that are not as they should be. Runs once: no store decides it. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket, WebSocketServer } from 'ws';
import { asObject } from '../../daemon/relay/formats/fields.ts';
import { assertQuick } from '../support/processor-time.ts';
import { eachInRealtimeWorld, hangUp, next, openSession, type RealtimeWorld } from '../support/realtime-world.ts';
import { until } from '../support/until.ts';

const model = 'gpt-realtime';
const key = 'sk-upstream';
const MIB = 1024 * 1024;

const test = suite<RealtimeWorld>('relay: rough ends of realtime sessions');
eachInRealtimeWorld(test, { type: 1, models: [model], key });

test('thousands of frames that come at once are passed on a few each turn, so that nobody else waits for all of them', async (world) => {
  const count = 4000;
  const { client, upstream } = await openSession(world, model);
  for (const [from, to] of [
    [() => client.say({ type: 'a.b' }), upstream.heard],
    [() => upstream.say({ type: 'a.b' }), client.heard],
  ] as const) {
    for (let said = 0; said < count; said += 1) from();
    let most = 0;
    for (let heard = 0; heard < count; heard = to.length) {
      await new Promise((resume) => setImmediate(resume));
      most = Math.max(most, to.length - heard);
    }
    assert.ok(most < count / 10, `${most} frames in one turn of the event loop`);
  }
});

test('a client that breaks off is missed while its upstream takes nothing more, and its hold is given back', async (world) => {
  const { client, upstream } = await openSession(world, model);
  upstream.rest();
  for (let said = 0; said < 48; said += 1) client.say({ type: 'a.b', text: 'x'.repeat(MIB) });
  let left = 0;
  // Its answers to pings are added.
  await until(() => Math.abs(left - (left = client.socket.bufferedAmount)) < 1000, 500);
  assert.ok(left > 0, 'the gateway reads on');
  client.socket.terminate();
  const [row] = await world.harness.rows();
  assert.is(row?.facts.settle_reason, 'client_gone');
});

test('a client that leaves behind a flood of tiny frames is missed within a second or so, and the rest of them is passed over', async (world) => {
  const { client, upstream } = await openSession(world, model);
  const frame = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]);
  const count = 500_000;
  // What a kernel takes of them is enough for ten seconds of a free machine.
  const connection = Reflect.get(client.socket, '_socket');
  connection.write(Buffer.concat(Array(count).fill(frame)));
  await until(() => upstream.heard.length > 100);
  connection.destroy();
  const [row] = await world.harness.rows();
  assert.is(row?.facts.settle_reason, 'client_gone');
  assert.ok(upstream.heard.length < count / 4, `${upstream.heard.length} frames passed on`);
});

test('an event of very many values or levels is refused before it is parsed, and the session goes on', async (world) => {
  const { client, upstream } = await openSession(world, model);
  const tools = (inner: string) => `{"type":"session.update","session":{"tools":[${inner}]}}`;
  const sent = [
    [
      tools(
        Array(4 * MIB)
          .fill('{}')
          .join(','),
      ),
      'the event holds more than 50000 values',
    ],
    [tools('['.repeat(200_000) + ']'.repeat(200_000)), 'the event is nested deeper than 128 levels'],
    [tools('['.repeat(20_000) + ']'.repeat(20_000)), 'the event is nested deeper than 128 levels'],
  ] as const;
  // Parsing the first alone took seconds.
  await assertQuick(1500, async () => {
    for (const [text, reason] of sent) {
      const before = client.heard.length;
      client.socket.send(text);
      await until(() => client.heard.length === before + 1);
      const told = asObject(client.heard.at(-1)?.error);
      assert.equal([told?.code, String(told?.message).includes(reason)], ['invalid_request', true]);
    }
  });
  client.say({ type: 'session.update', session: { tools: Array(20_000).fill({}) } });
  await until(() => upstream.heard.length === 1);
});

test('a long event is parsed once, whatever is looked at of it', async (world) => {
  const { client, upstream } = await openSession(world, model);
  const { parse } = JSON;
  let parsed = 0;
  JSON.parse = (...asked) => {
    if (asked[0].length > MIB) parsed += 1;
    return parse(...asked);
  };
  try {
    const text = 'x'.repeat(MIB);
    for (const [at, event] of [
      { type: 'session.update', session: { instructions: text } },
      { type: 'conversation.item.create', item: { content: [{ type: 'input_text', text }] } },
      { type: 'input_audio_buffer.append', audio: text },
    ].entries()) {
      parsed = 0;
      client.say(event);
      await until(() => upstream.heard.length === at + 1);
      // The other time by the upstream of this test.
      assert.is(parsed, 2, event.type);
    }
  } finally {
    JSON.parse = parse;
  }
});

test('an upstream that names no subprotocol is as good as one that does', async (world) => {
  const server = createServer();
  const sockets = new WebSocketServer({ server, handleProtocols: () => false });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const channel = { id: 1, type: 1, baseUrl: `http://127.0.0.1:${port}`, models: model, keys: [key] };
    world.harness.setChannels([channel]);
    const asked = once(sockets, 'connection');
    const authorization = `Bearer sk-${world.harness.key}`;
    const url = `${world.harness.url.replace('http', 'ws')}/v1/realtime?model=${model}`;
    const client = new WebSocket(url, ['realtime'], { headers: { authorization } });
    world.clients.push(client);
    await once(client, 'open');
    const [, request] = await asked;
    assert.equal([request.headers['sec-websocket-protocol'], client.protocol], ['realtime', 'realtime']);
  } finally {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  }
});

test('an upgrade that cannot be completed is refused before anything is held or opened for it', async (world) => {
  const sound = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const cases = [
    [{ 'sec-websocket-key': 'short' }, 'GET', 400],
    [{ 'sec-websocket-version': '7' }, 'GET', 400],
    [{ 'sec-websocket-protocol': 'realtime, realtime' }, 'GET', 400],
    [{ 'sec-websocket-protocol': 'real time' }, 'GET', 400],
    [{}, 'POST', 404],
  ] as const;
  for (const [wrong, method, status] of cases) {
    const headers = { authorization: `Bearer sk-${world.harness.key}`, ...sound, ...wrong };
    const asked = request(`${world.harness.url}/v1/realtime?model=${model}`, { method, headers });
    asked.end();
    const [answer] = await once(asked, 'response');
    let body = '';
    for await (const chunk of answer) body += chunk;
    assert.is(answer.statusCode, status, JSON.stringify(wrong));
    const [name] = Object.keys(wrong);
    if (name !== undefined)
      assert.equal([JSON.parse(body).error.code, JSON.parse(body).error.param], ['invalid_request', name]);
  }
  assert.is(world.upstreams.length, 0);
  assert.equal(await world.harness.rows(), []);
});

test('an answer that failed before a word of it costs nothing, at a price by call neither', async (world) => {
  const failed = {
    type: 'response.done',
    response: { status: 'failed', output: [], usage: { total_tokens: 0, input_tokens: 0, output_tokens: 0 } },
  };
  for (const options of [{ ModelRatio: { [model]: 1 } }, { ModelPrice: { [model]: 0.5 } }]) {
    world.harness.setOptions(options);
    const { client, upstream } = await openSession(world, model);
    client.say({ type: 'input_audio_buffer.append', audio: Buffer.alloc(480_000).toString('base64') });
    await next(upstream.heard, 0);
    upstream.say(failed);
    await next(client.heard, 0);
    const row = await hangUp(world, client);
    assert.equal([row.quota, row.promptTokens], [0, 0]);
  }
  assert.is((await world.harness.user()).usedQuota, 0);
});

test.run();
