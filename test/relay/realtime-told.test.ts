/** What clients of realtime sessions are told beside what is said: limits, errors, refusals. Runs once: no store decides it. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import type { Exchange } from '../../daemon/gateway/exchange.ts';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import {
  eachInRealtimeWorld,
  hangUp,
  next,
  openSession,
  type RealtimeWorld,
  refusedSession,
} from '../support/realtime-world.ts';
import { someTurns, until, untilThere } from '../support/until.ts';

const model = 'gpt-realtime';
const key = 'sk-upstream';

const test = suite<RealtimeWorld>('relay: what realtime sessions tell');
eachInRealtimeWorld(test, { type: 1, models: [model], key });

async function openHolds({ database }: GatewayHarness): Promise<number> {
  const soon = Math.ceil(Date.now() / 1000) + 1;
  return (await database.stores.reservations.listOpenOfNode('test', soon)).length;
}

test('a session that is opened says what is left of the limits', async (world) => {
  const { server, clients } = world;
  await world.harness.stop();
  const headers = [['X-RateLimit-Remaining-Requests', '4']] as const;
  world.harness = await GatewayHarness.start({
    channels: [{ id: 1, type: 1, baseUrl: server.url, models: model, keys: [key] }],
    options: { ModelRatio: { [model]: 1 }, RateLimits: { user: { '*': { tpm: 9000 } } } },
    limits: {
      take: () => ({ headers, remaining: 4, finish: () => undefined }),
      takeQuestion: () => undefined,
    },
  });
  const { url, key: token } = world.harness;
  const authorization = `Bearer sk-${token}`;
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=${model}`, {
    headers: { authorization },
  });
  clients.push(socket);
  const [answer] = await once(socket, 'upgrade');
  const { 'x-ratelimit-remaining-requests': left, 'x-ratelimit-limit-tokens': tokens } = answer.headers;
  assert.equal([left, tokens], ['4', '9000']);
});

test('a session is opened by the name that its key gives the model, and told that name', async (world) => {
  const { harness } = world;
  const alias = 'my-voice';
  await harness.database.stores.tokens.update(1, 1, { modelMapping: JSON.stringify({ [alias]: model }) });
  const { client, upstream } = await openSession(world, alias);
  assert.match(String(upstream.request.url), `model=${model}`);
  upstream.say({ type: 'session.created', session: { model: 'gpt-realtime-2026-01-01' } });
  assert.equal((await next(client.heard, 0)).session, { model: alias });
  client.say({ type: 'session.update', session: { model: alias } });
  assert.equal((await next(upstream.heard, 0)).session, { model });
  upstream.say({ type: 'response.done', response: { usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 } } });
  await next(client.heard, 1);
  const row = await hangUp(world, client);
  assert.equal([row.modelName, row.facts.requested_model_name, row.quota], [model, alias, 5]);
});

test('an error shows its client nothing of what belongs to the operator', async (world) => {
  const { client, upstream } = await openSession(world, model);
  const { host } = new URL(world.server.url);
  const error = {
    type: 'invalid_request_error',
    code: key,
    message: `${key} of org-canary12345 has too many sessions at ${host} (channel 1)`,
    param: null,
    event_id: 'e-1',
  };
  const masked = { ...error, code: '***', message: '*** of *** has too many sessions at *** (***)' };
  const events = (of: typeof error) => [
    { type: 'error', error: of },
    { type: 'conversation.item.input_audio_transcription.failed', item_id: 'i', error: of },
    { type: 'response.done', response: { status: 'failed', status_details: { type: 'failed', error: of } } },
  ];
  upstream.say(...events(error));
  await until(() => client.heard.length === 3);
  assert.equal(client.heard, events(masked));
});

test('a refusal while everything cools says so, and when to come back', async (world) => {
  const { harness } = world;
  const upstream = await startFakeUpstream(jsonAnswer({}, 503));
  const refusal = () => refusedSession(world, model);
  try {
    harness.setChannels([{ id: 1, type: 1, baseUrl: upstream.url, models: model, keys: [key] }]);
    assert.is((await refusal()).status, 503);
    const { status, code, wait } = await refusal();
    assert.equal([status, code], [429, 'all_channels_cooling']);
    assert.ok(Number(wait) > 0);
    assert.is(upstream.requests.length, 2, 'the one that is free soonest is tried once');
    upstream.script(jsonAnswer({ error: { message: 'no such voice', code: 'bad_voice' } }, 400));
    assert.is((await refusal()).code, 'bad_voice', 'what the client must repair');
  } finally {
    await upstream.close();
  }
});

test('a client that leaves while its channel is still asked is waited for by nobody, and held for nothing', async (world) => {
  const { harness, clients } = world;
  const upstream = await startFakeUpstream(() => new Promise(() => undefined));
  try {
    const channel = { type: 1, baseUrl: upstream.url, models: model, keys: [key] };
    harness.setOptions({ ModelRatio: { [model]: 1 }, RetryTimes: 3 });
    harness.setChannels([1, 2].map((id) => ({ id, ...channel })));
    const authorization = `Bearer sk-${harness.key}`;
    const url = `${harness.url.replace('http', 'ws')}/v1/realtime?model=${model}`;
    const socket = new WebSocket(url, { headers: { authorization } });
    socket.on('error', () => undefined);
    clients.push(socket);
    const asked = await untilThere(() => upstream.requests[0]);
    socket.terminate();
    await asked.aborted;
    await until(async () => (await openHolds(harness)) === 0);
    assert.is(upstream.requests.length, 1, 'no other channel is asked');
    assert.equal(await harness.rows(), []);
  } finally {
    await upstream.close();
  }
});

test('a client that leaves while its quota is held has nothing opened for it', async (world) => {
  await world.harness.stop();
  const upstream = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  let opened = 0;
  upstream.on('connection', () => (opened += 1));
  await once(upstream, 'listening');
  const address = upstream.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  let calling: Pick<Exchange, 'sink'> | undefined;
  world.harness = await GatewayHarness.start({
    channels: [{ id: 1, type: 1, baseUrl, models: model, keys: [key] }],
    options: { ModelRatio: { [model]: 1 } },
    limits: { take: (exchange) => void (calling = exchange), takeQuestion: () => undefined },
  });
  const { harness, clients } = world;
  const { ledger } = harness;
  const hold = ledger.hold.bind(ledger);
  let asked = 0;
  ledger.hold = async (wish) => {
    asked += 1;
    await until(() => calling?.sink.gone === true);
    return hold(wish);
  };
  const headers = { authorization: `Bearer sk-${harness.key}` };
  const socket = new WebSocket(`${harness.url.replace('http', 'ws')}/v1/realtime?model=${model}`, { headers });
  socket.on('error', () => undefined);
  clients.push(socket);
  await until(() => asked === 1);
  socket.terminate();
  await until(() => harness.gateway.running === 0);
  await until(async () => (await openHolds(harness)) === 0);
  await someTurns();
  assert.equal([opened, await harness.rows(), harness.reports], [0, [], []]);
  upstream.close();
});

test.run();
