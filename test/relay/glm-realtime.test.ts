/** GLM's realtime sessions, for clients of OpenAI's official manner, of its beta and of GLM's own (relay.md 5.13). */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { asObject } from '../../daemon/relay/formats/fields.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import { assertQuick } from '../support/processor-time.ts';
import { eachInRealtimeWorld, hangUp, next, openSession, type RealtimeWorld } from '../support/realtime-world.ts';
import { until } from '../support/until.ts';

const model = 'glm-realtime-flash';

const test = suite<RealtimeWorld>('relay: GLM’s realtime sessions');
eachInRealtimeWorld(test, { type: 26, models: [model], key: 'id.secret' });

const formats = { input_audio_format: 'pcm24', output_audio_format: 'pcm' };
const defaults: JsonObject = {
  model,
  ...formats,
  turn_detection: { type: 'server_vad' },
  beta_fields: { chat_mode: 'audio' },
};
/** As the vendor's AsyncAPI file and the document of its SDK have them, read 2026-11. */
const created = { event_id: 'e0', type: 'session.created', session: { id: 's1', ...defaults, voice: 'tongtong' } };
const usage = {
  total_tokens: 150,
  input_tokens: 50,
  output_tokens: 100,
  input_token_details: { text_tokens: 30, audio_tokens: 20 },
  output_token_details: { text_tokens: 80, audio_tokens: 20 },
};
const response = { id: 'resp_1', object: 'realtime.response', status: 'completed' };
const done = { event_id: 'e9', type: 'response.done', response: { ...response, usage } };
const at = { response_id: 'resp_1', item_id: 'item_1' };

test('a client of the official manner is understood both ways, and pays what each turn reports', async (world) => {
  const { client, upstream } = await openSession(world, model);
  assert.is(upstream.request.url, `/api/paas/v4/realtime?model=${model}`);
  assert.is(upstream.request.headers.authorization, 'Bearer id.secret');
  assert.is(upstream.request.headers['sec-websocket-protocol'], undefined);
  assert.equal(await next(upstream.heard, 0), { type: 'session.update', session: defaults });
  upstream.say(created);
  assert.equal(await next(client.heard, 0), {
    event_id: 'e0',
    type: 'session.created',
    session: {
      type: 'realtime',
      object: 'realtime.session',
      id: 's1',
      model,
      audio: {
        input: { format: { type: 'audio/pcm', rate: 24_000 }, turn_detection: { type: 'server_vad' } },
        output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'tongtong' },
      },
    },
  });
  const tool = { type: 'function', name: 'look_up', parameters: { type: 'object', properties: {} } };
  client.say({
    event_id: 'mine',
    type: 'session.update',
    session: {
      type: 'realtime',
      model,
      instructions: 'be kind',
      output_modalities: ['audio'],
      audio: { input: { turn_detection: null }, output: { voice: 'marin', format: { type: 'audio/pcm' } } },
      tools: [tool],
      tool_choice: 'auto',
      max_output_tokens: 4096,
    },
  });
  assert.equal(await next(upstream.heard, 1), {
    event_id: 'mine',
    type: 'session.update',
    session: {
      ...defaults,
      instructions: 'be kind',
      turn_detection: { type: 'client_vad' },
      tools: [{ ...tool, description: 'look_up' }],
      modalities: ['text', 'audio'],
      max_response_output_tokens: '1024',
    },
  });
  client.say({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hello' }] },
  });
  assert.equal(await next(upstream.heard, 2), {
    type: 'conversation.item.create',
    item: { object: 'realtime.item', type: 'message', role: 'assistant', content: [{ type: 'text', text: 'hello' }] },
  });
  client.say({ type: 'conversation.item.truncate', item_id: 'x', content_index: 0, audio_end_ms: 1 });
  client.say({ type: 'response.create', response: { output_modalities: ['audio'] } });
  assert.equal(await next(upstream.heard, 3), { type: 'response.create' });
  upstream.say(
    { type: 'heartbeat' },
    // The vendor's document calls a beginning so.
    { type: 'response.done', response: { ...response, status: 'in_progress' } },
    {
      type: 'conversation.item.created',
      item: { id: 'item_1', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'text' }] },
    },
    { type: 'response.audio_transcript.delta', ...at, delta: 'Hi' },
    { type: 'response.audio.delta', ...at, output_index: 0, content_index: 0, delta: 'AAAA' },
    { type: 'response.text.done', ...at, text: 'Hi' },
    { type: 'response.function_call_arguments.done', response_id: 'resp_1', name: 'look_up', arguments: '{}' },
    done,
    { type: 'response.cancelled', response: { ...response, status: 'cancelled' } },
    { type: 'error', error: { type: 'server_error', code: 'x', message: 'm' } },
  );
  await until(() => client.heard.at(-1)?.type === 'error');
  const item = { id: 'item_1', type: 'message', role: 'assistant', status: 'completed' };
  const place = { output_index: 0, content_index: 0 };
  assert.equal(client.heard.slice(1, -1), [
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    { type: 'conversation.item.added', item: { ...item, content: [{ type: 'output_text' }] } },
    { type: 'conversation.item.done', item: { ...item, content: [{ type: 'output_text' }] } },
    { ...place, type: 'response.output_audio_transcript.delta', ...at, delta: 'Hi' },
    { ...place, type: 'response.output_audio.delta', ...at, delta: 'AAAA' },
    { ...place, type: 'response.output_text.done', ...at, text: 'Hi' },
    {
      type: 'response.function_call_arguments.done',
      response_id: 'resp_1',
      name: 'look_up',
      arguments: '{}',
      call_id: 'call_resp_1_0',
      item_id: 'call_resp_1_0',
      output_index: 0,
    },
    done,
  ]);
  upstream.say({ type: 'response.done', response, usage });
  await until(() => client.heard.at(-1)?.type === 'response.done');
  assert.equal(client.heard.at(-1)?.response, { ...response, usage });
  const row = await hangUp(world, client);
  // Twice 30 + 2 × 20 in, 100 + 20 more for sound out.
  assert.is((await world.harness.rows()).length, 1);
  assert.equal([row.promptTokens, row.completionTokens, row.quota], [100, 200, 380]);
  assert.equal([row.facts.ws, row.isStream], [true, true]);
});

test('a client of the beta hears its own words', async (world) => {
  const { client, upstream } = await openSession(world, model, { 'openai-beta': 'realtime=v1' });
  upstream.say(created);
  assert.equal((await next(client.heard, 0)).session, {
    id: 's1',
    model,
    input_audio_format: 'pcm16',
    output_audio_format: 'pcm16',
    turn_detection: { type: 'server_vad' },
    voice: 'tongtong',
  });
  client.say({
    type: 'session.update',
    session: {
      input_audio_format: 'pcm16',
      output_audio_format: 'pcm16',
      voice: 'alloy',
      temperature: 1.2,
      turn_detection: { type: 'semantic_vad', eagerness: 'high' },
      max_response_output_tokens: 'inf',
    },
  });
  assert.equal((await next(upstream.heard, 1)).session, { ...defaults, temperature: 1 });
  client.say({ type: 'session.update', session: { turn_detection: null, voice: 'female-tianmei' } });
  const kept = { model, temperature: 1, voice: 'female-tianmei' };
  const changed = { ...defaults, ...kept, turn_detection: { type: 'client_vad' } };
  assert.equal((await next(upstream.heard, 2)).session, changed);
  upstream.say({ type: 'heartbeat' }, { type: 'session.updated', session: changed });
  const told = { ...kept, input_audio_format: 'pcm16', output_audio_format: 'pcm16', turn_detection: null };
  assert.equal(await next(client.heard, 1), { type: 'session.updated', session: told });
  upstream.say({ type: 'response.audio.delta', ...at, delta: 'AAAA' });
  assert.equal(await next(client.heard, 2), { type: 'response.audio.delta', ...at, delta: 'AAAA' });
});

test('a client of GLM’s own is told everything as it is, but for the model’s name', async (world) => {
  const { harness, server } = world;
  const modelMapping = JSON.stringify({ [model]: 'glm-realtime-air' });
  harness.setChannels([{ id: 1, type: 26, baseUrl: server.url, models: model, modelMapping, keys: ['id.secret'] }]);
  const { client, upstream } = await openSession(world, model);
  assert.is(upstream.request.url, '/api/paas/v4/realtime?model=glm-realtime-air');
  const session = {
    model,
    input_audio_format: 'wav',
    output_audio_format: 'pcm',
    beta_fields: { chat_mode: 'video_passive', tts_source: 'e2e' },
  };
  client.say({ event_id: 'a', client_timestamp: 1, type: 'session.update', session });
  const asked = { event_id: 'a', client_timestamp: 1, type: 'session.update' };
  assert.equal(await next(upstream.heard, 1), { ...asked, session: { ...session, model: 'glm-realtime-air' } });
  const frame = { type: 'input_audio_buffer.append_video_frame', video_frame: 'AAAA', client_timestamp: 2 };
  client.say(frame);
  assert.equal(await next(upstream.heard, 2), frame);
  const told = [
    { type: 'heartbeat' },
    { type: 'session.updated', session: { ...session, model: 'glm-realtime-air' } },
    { type: 'response.cancelled', response },
  ];
  upstream.say(...told);
  await until(() => client.heard.length === told.length);
  assert.equal(client.heard, [told[0], { type: 'session.updated', session }, told[2]]);
});

test('what GLM cannot hear is refused by name, and the session goes on', async (world) => {
  const { client, upstream } = await openSession(world, model, { 'accept-language': 'en' });
  const phone = { input: { format: { type: 'audio/pcmu' } } };
  client.say({ event_id: 'a', type: 'session.update', session: { type: 'realtime', audio: phone } });
  const first = await next(client.heard, 0);
  assert.is(first.type, 'error');
  const { message, ...error } = asObject(first.error) ?? {};
  assert.equal(error, {
    type: 'tollgate_error',
    code: 'convert_request_failed',
    param: 'session.audio.input.format',
    event_id: 'a',
  });
  assert.match(
    String(message),
    /session\.audio\.input\.format: this model hears PCM at 16 or 24 kHz \(request id: \w+\)$/,
  );
  assert.match(String(first.event_id), /^\w+-1$/);
  client.say({ type: 'session.update', session: { tools: [{ type: 'mcp', server_label: 'x' }] } });
  assert.match(JSON.stringify(await next(client.heard, 1)), '"param":"session.tools"');
  const rate = { type: 'audio/pcm', rate: 16_000 };
  client.say({ type: 'session.update', session: { audio: { input: { format: rate } } } });
  assert.equal((await next(upstream.heard, 1)).session, { ...defaults, input_audio_format: 'pcm16' });
  client.say({ type: 'session.update', session: { audio: { output: { format: rate } } } });
  assert.match(JSON.stringify(await next(client.heard, 2)), /this model speaks PCM at 24 kHz/);
  client.socket.send('no JSON');
  assert.equal(await next(upstream.heard, 2), { text: 'no JSON' });
  client.say({ type: 'input_audio_buffer.commit' });
  upstream.say({ type: 'input_audio_buffer.committed', item_id: 'x' });
  assert.equal(await next(client.heard, 3), { type: 'input_audio_buffer.committed', item_id: 'x' });
  client.say({ type: 'response.create', response: { conversation: 'none', instructions: 'Classify it.' } });
  assert.match(JSON.stringify(await next(client.heard, 4)), '"param":"response.conversation"');
  client.say({ type: 'response.create', response: { input: [] } });
  assert.match(JSON.stringify(await next(client.heard, 5)), '"param":"response.input"');
  assert.is(upstream.heard.length, 4);
});

test('an answer that breaks off is charged by what was said of it, and the books hold', async (world) => {
  const { harness } = world;
  const books = await LedgerInvariants.begin(harness.databaseUrl);
  try {
    const { client, upstream } = await openSession(world, model);
    // Ten seconds.
    const delta = Buffer.alloc(480_000).toString('base64');
    upstream.say({ type: 'response.created', response }, { type: 'response.audio.delta', ...at, delta });
    await until(() => client.heard.length === 2);
    upstream.close();
    await until(() => client.socket.readyState === WebSocket.CLOSED);
    const [row] = await harness.rows();
    assert.equal([row?.completionTokens, row?.facts.usage_estimated], [139, true]);
    await books.check();
  } finally {
    await books.end();
  }
});

test('an event of the vendor’s of very many values or levels ends the session before it is parsed', async (world) => {
  const item = (inner: string) => `{"type":"conversation.item.created","item":{"content":[${inner}]}}`;
  const deep = item('['.repeat(20_000) + ']'.repeat(20_000));
  const long = item(
    Array(4 * 1024 * 1024)
      .fill('{}')
      .join(','),
  );
  await assertQuick(1500, async () => {
    for (const text of [deep, long]) {
      const { client, upstream } = await openSession(world, model);
      upstream.socket.send(text);
      const [code] = await once(client.socket, 'close');
      assert.is(code, 1011);
      assert.is(asObject(client.heard.at(-1)?.error)?.code, 'bad_response_body');
    }
  });
});

test('a client that does not read why it is refused is not read either', async (world) => {
  const { client } = await openSession(world, model);
  client.socket.pause();
  const event = { type: 'session.update', event_id: 'x'.repeat(100_000), session: { tools: [{ type: 'mcp' }] } };
  // Far more than the buffers of two sockets take.
  for (let count = 0; count < 300; count += 1) client.say(event);
  let left = -1;
  let looks = 0;
  await until(() => {
    looks = client.socket.bufferedAmount === left ? looks + 1 : 0;
    left = client.socket.bufferedAmount;
    return looks === 5;
  }, 200);
  assert.ok(left > 5_000_000, `${left} bytes wait at the client`);
  client.socket.resume();
  await until(() => client.heard.length >= 300);
  assert.is(client.socket.bufferedAmount, 0);
});

test('a refused handshake has the vendor’s meaning, and names nothing of the key', async (world) => {
  const { harness, server } = world;
  const refused = async () => {
    const url = `${harness.url.replace('http', 'ws')}/v1/realtime?model=${model}`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer sk-${harness.key}` } });
    socket.on('error', () => undefined);
    const [, answer] = await once(socket, 'unexpected-response');
    let body = '';
    for await (const chunk of answer) body += chunk;
    return { status: answer.statusCode, body };
  };
  server.refuse(429, { error: { code: '1302', message: 'too many at once' } });
  assert.is((await refused()).status, 429);
  server.refuse(401, { error: { code: '1002', message: 'Authorization id.secret is wrong' } });
  const { status, body } = await refused();
  assert.ok(status >= 400, body);
  assert.is(body.includes('id.secret'), false);
});

test.run();
