/** Realtime sockets: opened only when all is well, passed through, charged turn by turn (relay.md 5.13). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket, WebSocketServer } from 'ws';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import { until } from '../support/until.ts';

interface Session {
  readonly socket: WebSocket;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly received: string[];
}

interface Context {
  harness: GatewayHarness;
  upstream: {
    url: string;
    sessions: Session[];
    refuse: { status: number; body: string } | undefined;
    close: () => Promise<void>;
  };
  /** Sockets of clients that a test opened. */
  clients: WebSocket[];
}

const test = suite<Context>('relay: realtime');
const model = 'gpt-realtime';
/** Ratios of 1 throughout, so that quota counts tokens. */
const prices = {
  ModelRatio: { [model]: 1 },
  CompletionRatio: { [model]: 1 },
  CacheRatio: { [model]: 1 },
  AudioRatio: { [model]: 1 },
  AudioCompletionRatio: { [model]: 1 },
};

async function startUpstream(): Promise<Context['upstream']> {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const upstream: Context['upstream'] = {
    url: '',
    sessions: [],
    refuse: undefined,
    close: async () => {
      for (const { socket } of upstream.sessions) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('upgrade', (request, socket, head) => {
    if (upstream.refuse !== undefined) {
      const { status, body } = upstream.refuse;
      socket.end(
        `HTTP/1.1 ${status} No\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const session: Session = { socket: opened, url: request.url ?? '', headers: request.headers, received: [] };
      opened.on('message', (data) => session.received.push(String(data)));
      upstream.sessions.push(session);
      // At once, before anybody can have listened.
      opened.send(JSON.stringify({ type: 'session.created', session: { model: 'upstream-model', voice: 'ash' } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  upstream.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return upstream;
}

test.before.each(async (context) => {
  context.upstream = await startUpstream();
  context.clients = [];
  const channels = [{ id: 1, type: 1, baseUrl: context.upstream.url, models: model, keys: ['sk-upstream'] }];
  context.harness = await GatewayHarness.start({ channels, options: prices });
});
test.after.each(async ({ harness, upstream, clients }) => {
  for (const client of clients) client.terminate();
  await harness.stop();
  await upstream.close();
});

/** A client's socket with the frames that it got. */
async function connect({ harness, clients }: Context, path = `/v1/realtime?model=${model}`) {
  const socket = new WebSocket(harness.url.replace('http', 'ws') + path, ['realtime'], {
    headers: { authorization: `Bearer sk-${harness.key}`, cookie: 'secret=1' },
  });
  clients.push(socket);
  const frames: Record<string, unknown>[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  await once(socket, 'open');
  return { socket, frames, closed };
}

/** The hold of the one session that is open. */
async function openHold({ database }: GatewayHarness) {
  const [hold] = await database.stores.reservations.listOpenOfNode('test', Math.ceil(Date.now() / 1000) + 1);
  return hold;
}

/** What a plain request for the upgrade is answered. */
async function refusal(
  { harness }: Context,
  headers: Record<string, string>,
  path = `/v1/realtime?model=${model}`,
  protocols = ['realtime'],
) {
  const socket = new WebSocket(harness.url.replace('http', 'ws') + path, protocols, { headers });
  socket.on('error', () => undefined);
  const [, answer] = await once(socket, 'unexpected-response');
  let body = '';
  for await (const chunk of answer) body += chunk;
  return { status: answer.statusCode, id: answer.headers['x-request-id'], ...JSON.parse(body).error };
}

const done = (usage: unknown) => JSON.stringify({ type: 'response.done', response: { status: 'completed', usage } });
const turn = {
  total_tokens: 300,
  input_tokens: 200,
  output_tokens: 100,
  input_token_details: {
    cached_tokens: 50,
    text_tokens: 80,
    audio_tokens: 120,
    cached_tokens_details: { audio_tokens: 20 },
  },
  output_token_details: { text_tokens: 30, audio_tokens: 70 },
};

test('passes frames both ways as they are, and puts every turn into one row', async (context) => {
  const { harness, upstream } = context;
  const { socket: own, frames, closed } = await connect(context);
  await until(() => upstream.sessions.length > 0 && frames.length > 0);
  const session = upstream.sessions.at(-1);
  assert.is(session?.url, `/v1/realtime?model=${model}`);
  assert.is(session?.headers.authorization, 'Bearer sk-upstream');
  assert.is(session?.headers.cookie, undefined);
  assert.is(own.protocol, 'realtime');
  // Not mapped: what the upstream calls the model is left as it is.
  assert.equal(frames[0], { type: 'session.created', session: { model: 'upstream-model', voice: 'ash' } });
  const asked = '{"type":"response.create",  "response":{"x":12345678901234567890}}';
  own.send(asked);
  await until(() => (session?.received.length ?? 0) > 0);
  assert.is(session?.received[0], asked);
  session?.socket.send(done(turn));
  session?.socket.send(done(turn));
  await until(() => frames.length === 3);
  own.close(1000);
  await closed;
  const [row, ...more] = await harness.rows();
  assert.is(more.length, 0);
  assert.equal([row?.quota, row?.promptTokens, row?.completionTokens], [600, 400, 200]);
  assert.equal([row?.facts.ws, row?.facts.audio_input, row?.isStream], [true, 200, true]);
  const user = await harness.database.stores.users.find(1);
  const reservation = await harness.database.stores.reservations.find(row?.requestId ?? '');
  assert.is(reservation?.state, 'settled');
  assert.is(user?.usedQuota, 600);
});

test('charges every turn when it is done, keeps the hold ahead, and closes with nothing held', async (context) => {
  const { harness, upstream } = context;
  const books = await LedgerInvariants.begin(harness.databaseUrl);
  try {
    const { socket, frames, closed } = await connect(context);
    await until(() => frames.length > 0);
    const held = await openHold(harness);
    for (const charged of [300, 600, 900]) {
      upstream.sessions[0]?.socket.send(done(turn));
      await until(async () => {
        const hold = await openHold(harness);
        return hold?.charged === charged && hold.amount === held?.amount;
      });
      await books.check({ holds: 'open' });
      const { items } = await harness.database.stores.logs.list({}, { offset: 0, limit: 10 });
      const figures = items.map(({ quota, promptTokens, completionTokens }) => [quota, promptTokens, completionTokens]);
      assert.equal(figures, [[charged, (charged / 3) * 2, charged / 3]]);
    }
    upstream.sessions[0]?.socket.close(1011, 'gone');
    await closed;
    const [row, ...more] = await harness.rows();
    assert.equal([row?.quota, more.length, row?.facts.settle_reason], [900, 0, 'upstream_eof']);
    assert.is((await harness.database.stores.users.find(1))?.requestCount, 1);
    socket.terminate();
    await books.check();
  } finally {
    await books.end();
  }
});

test('counts turns against the tokens a minute, and refuses the next upgrade with the words of the limit', async (context) => {
  const { harness, upstream } = context;
  harness.setOptions({ ...prices, RateLimits: { user: { '*': { tpm: 900 } } } });
  const { socket, frames } = await connect(context);
  await until(() => frames.length > 0);
  for (let said = 0; said < 3; said += 1) upstream.sessions[0]?.socket.send(done(turn));
  await until(async () => (await openHold(harness))?.charged === 900);
  const refused = await refusal(context, { authorization: `Bearer sk-${harness.key}` });
  assert.equal([refused.status, refused.code], [429, 'rate_limited:user_tpm']);
  socket.terminate();
});

test('counts sessions and their turns against the limits of the key of the channel', async (context) => {
  const { harness, upstream } = context;
  const channel = { id: 1, type: 1, baseUrl: upstream.url, models: model, keys: ['sk-upstream'] };
  const authorization = `Bearer sk-${harness.key}`;
  harness.setChannels([{ ...channel, limits: { cap: 0, tpm: 900, concurrency: 1 } }]);
  const { socket, frames } = await connect(context);
  await until(() => frames.length > 0);
  const busy = await refusal(context, { authorization });
  assert.equal([busy.status, busy.code], [429, 'all_channels_cooling']);
  for (let said = 0; said < 3; said += 1) upstream.sessions[0]?.socket.send(done(turn));
  await until(async () => (await openHold(harness))?.charged === 900);
  socket.terminate();
  await harness.settled();
  const spent = await refusal(context, { authorization });
  assert.equal([spent.status, spent.code], [429, 'all_channels_cooling']);
  harness.setChannels([{ ...channel, limits: { cap: 0, tpm: 901, concurrency: 1 } }]);
  (await connect(context)).socket.terminate();
});

test('charges what was said of an answer that never ended, and transcripts without any answer', async (context) => {
  const { harness, upstream } = context;
  const first = await connect(context);
  await until(() => first.frames.length > 0);
  const second = 48_000;
  const delta = { type: 'response.output_audio.delta', delta: Buffer.alloc(10 * second).toString('base64') };
  upstream.sessions[0]?.socket.send(JSON.stringify(delta));
  await until(() => first.frames.length === 2);
  first.socket.terminate();
  await until(() => upstream.sessions[0]?.socket.readyState === WebSocket.CLOSED);
  const next = await connect(context);
  await until(() => next.frames.length > 0);
  const usage = { type: 'tokens', input_tokens: 40, output_tokens: 4 };
  const transcript = { type: 'conversation.item.input_audio_transcription.completed', transcript: 'hello', usage };
  upstream.sessions[1]?.socket.send(JSON.stringify(transcript));
  await until(() => next.frames.length === 2);
  next.socket.close();
  await next.closed;
  const rows = await harness.rows();
  assert.equal(rows.map(({ quota }) => quota).sort(), [139, 44]);
});

test('ends a session in the middle of an answer that its balance does not cover', async (context) => {
  const { upstream } = context;
  const channels = [{ id: 1, type: 1, baseUrl: upstream.url, models: model, keys: ['k'] }];
  const harness = await GatewayHarness.start({ channels, options: prices, user: { quota: 3000 } });
  await context.harness.stop();
  context.harness = harness;
  const { frames, closed } = await connect(context);
  await until(() => frames.length > 0);
  // Five minutes of speech: 4167 tokens.
  const delta = { type: 'response.output_audio.delta', delta: Buffer.alloc(300 * 48_000 * 0.75).toString('base64') };
  upstream.sessions[0]?.socket.send(JSON.stringify(delta));
  assert.is((await closed).code, 1008);
  assert.is(frames.at(-1)?.type, 'error');
  const [row] = await harness.rows();
  assert.is(row?.facts.settle_reason, 'quota_exhausted');
  assert.is(row?.quota, 3125);
});

test('shows the client its own model where the channel maps it', async (context) => {
  const { harness, upstream } = context;
  const modelMapping = JSON.stringify({ [model]: 'upstream-model' });
  harness.setChannels([{ id: 1, type: 1, baseUrl: upstream.url, models: model, modelMapping, keys: ['k'] }]);
  const { socket, frames } = await connect(context);
  await until(() => frames.length > 0);
  assert.equal(frames[0], { type: 'session.created', session: { model, voice: 'ash' } });
  socket.send(JSON.stringify({ type: 'session.update', session: { model, voice: 'oak' } }));
  await until(() => upstream.sessions[0]?.received.length === 1);
  assert.is(upstream.sessions[0]?.url, '/v1/realtime?model=upstream-model');
  assert.is(JSON.parse(upstream.sessions[0]?.received[0] ?? '').session.model, 'upstream-model');
});

test('counts audio and text where the upstream reports nothing', async (context) => {
  const { upstream, harness } = context;
  const { socket, frames, closed } = await connect(context);
  await until(() => frames.length > 0);
  // relay.md 19.1, 15: ten seconds of pcm16.
  socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio: Buffer.alloc(480_000).toString('base64') }));
  await until(() => upstream.sessions[0]?.received.length === 1);
  upstream.sessions[0]?.socket.send(
    JSON.stringify({ type: 'response.output_audio.delta', delta: Buffer.alloc(480_000).toString('base64') }),
  );
  upstream.sessions[0]?.socket.send(JSON.stringify({ type: 'response.done', response: {} }));
  await until(() => frames.length === 3);
  socket.close();
  await closed;
  const [row] = await harness.rows();
  assert.equal([row?.promptTokens, row?.completionTokens], [278, 139]);
  assert.is(row?.facts.usage_estimated, true);
});

test('takes the key from the subprotocols, and names the request on the upgrade', async (context) => {
  const { harness } = context;
  const protocols = ['realtime', `openai-insecure-api-key.sk-${harness.key}`];
  const socket = new WebSocket(`${harness.url.replace('http', 'ws')}/hf/v1/realtime?model=${model}`, protocols);
  context.clients.push(socket);
  const [answer] = await once(socket, 'upgrade');
  const { 'x-request-id': id, 'x-oneapi-request-id': old, 'sec-websocket-protocol': protocol } = answer.headers;
  assert.equal([typeof id, old, protocol], ['string', id, 'realtime']);
});

test('refuses the upgrade with the status and words of what is wrong, and asks the next channel first', async (context) => {
  const { harness, upstream } = context;
  const key = { authorization: `Bearer sk-${harness.key}` };
  assert.is((await refusal(context, {})).status, 401);
  const another = ['realtime', `openai-insecure-api-key.sk-${'a'.repeat(48)}`];
  const conflict = await refusal(context, key, `/v1/realtime?model=${model}`, another);
  assert.equal([conflict.status, conflict.code], [400, 'access_denied']);
  const unknown = await refusal(context, key, '/v1/realtime?model=nobody');
  assert.equal([unknown.status, unknown.code], [404, 'model_not_found']);
  assert.is((await refusal(context, key, '/v1/realtime')).status, 400);
  assert.is((await refusal(context, key, '/v1/elsewhere')).status, 404);
  upstream.refuse = { status: 400, body: JSON.stringify({ error: { message: 'no such voice', code: 'bad_voice' } }) };
  const refused = await refusal(context, key);
  assert.equal([refused.status, refused.code], [400, 'bad_voice']);
  assert.ok(typeof refused.id === 'string' && refused.id.length > 20);
  assert.is(upstream.sessions.length, 0);
  await harness.settled();
  const open = await harness.database.stores.reservations.find(refused.id);
  assert.is(open?.state, 'released');
  const second = await startUpstream();
  try {
    upstream.refuse = { status: 503, body: '{}' };
    harness.setOptions({ ...prices, RetryTimes: 1 });
    harness.setChannels([
      { id: 1, type: 1, baseUrl: upstream.url, models: model, keys: ['a'], priority: 9 },
      { id: 2, type: 1, baseUrl: second.url, models: model, keys: ['b'] },
    ]);
    const { frames } = await connect(context);
    await until(() => frames.length > 0);
    assert.is(second.sessions.length, 1);
  } finally {
    await second.close();
  }
});

test('keeps to the channel’s headers, and spares the channel that an administrator tries out', async (context) => {
  const { harness, upstream } = context;
  await harness.database.stores.users.update(1, { role: 10 });
  harness.setOptions({ ...prices, AutomaticDisableChannelEnabled: true });
  const setting = '{"header_override":{"x-tenant":"of {api_key}"}}';
  harness.setChannels([{ id: 1, type: 1, baseUrl: upstream.url, models: model, keys: ['a'], setting }]);
  await connect(context);
  assert.is(upstream.sessions[0]?.headers['x-tenant'], 'of a');
  upstream.refuse = { status: 401, body: JSON.stringify({ error: { message: 'no', code: 'invalid_api_key' } }) };
  for (const pin of ['-1', '']) await refusal(context, { authorization: `Bearer sk-${harness.key}${pin}` });
  assert.is(harness.disabled.length, 1);
});

test('ends a session whose balance is spent, with the turn charged', async (context) => {
  const { upstream } = context;
  const start = 3000;
  const channels = [{ id: 1, type: 1, baseUrl: upstream.url, models: model, keys: ['k'] }];
  const harness = await GatewayHarness.start({ channels, options: prices, user: { quota: start } });
  await context.harness.stop();
  context.harness = harness;
  const { frames, closed } = await connect(context);
  await until(() => frames.length > 0);
  upstream.sessions[0]?.socket.send(done({ ...turn, input_tokens: 2500, output_tokens: 400 }));
  const { code } = await closed;
  assert.is(code, 1008);
  const error = frames.at(-1);
  assert.is(error?.type, 'error');
  const [row] = await harness.rows();
  assert.is(row?.facts.settle_reason, 'quota_exhausted');
  assert.is(row?.quota, 2900);
  assert.is((await harness.database.stores.users.find(1))?.quota, start - 2900);
});

test('forwards the upstream’s close, refuses binary frames, and leaves the upstream when the client goes', async (context) => {
  const { upstream, harness } = context;
  const first = await connect(context);
  await until(() => first.frames.length > 0);
  upstream.sessions[0]?.socket.close(4001, 'bye sk-upstream');
  assert.equal(await first.closed, { code: 4001, reason: 'bye ***' });
  const second = await connect(context);
  await until(() => second.frames.length > 0);
  second.socket.send(Buffer.from([1, 2, 3]));
  assert.is((await second.closed).code, 1003);
  const third = await connect(context);
  await until(() => third.frames.length > 0);
  const left = upstream.sessions[2]?.socket;
  const gone = left === undefined ? undefined : once(left, 'close');
  third.socket.terminate();
  await gone;
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ quota }) => quota),
    [0, 0, 0],
  );
});

test.run();
