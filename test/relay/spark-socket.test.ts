/**
 * iFlytek Spark over its sockets, through a whole daemon: signed addresses, frames, refusals, and clients that leave.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { createHmac } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../daemon/relay/json.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { type FakeSocketUpstream, startFakeSocketUpstream } from '../support/fake-socket-upstream.ts';
import { resolvesWithin } from '../support/until.ts';
import { ask, billed, otherDialects, type VendorWorld } from '../support/vendor-world.ts';

interface World extends VendorWorld {
  sockets: FakeSocketUpstream;
}

const test = suite<World>('Spark over sockets');
const secret = 'the-api-secret';

test.before(async (world) => {
  world.sockets = await startFakeSocketUpstream();
  const models = ['SparkDesk-v4.0', 'Spark-Lite', 'spark-x2.5'];
  const ones = JSON.stringify(Object.fromEntries(models.map((model) => [model, 1])));
  world.daemon = await startTestDaemon({
    config: { 'limits.search.enabled': false, 'limits.per_user.enabled': false },
    options: { ModelRatio: ones, CompletionRatio: ones, AutomaticDisableChannelEnabled: 'false' },
  });
  const channel = { type: 18, key: `12345678|${secret}|the-api-key`, base_url: world.sockets.url };
  await world.daemon.addChannel({ ...channel, models: models.join(',') });
  world.key = await world.daemon.addKey();
});

test.after(async ({ daemon, sockets }) => {
  await daemon.stop();
  await sockets.close();
});

function frame(status: 0 | 1 | 2, content: string, over: { [name: string]: Json } = {}): Json {
  const text = [{ content, role: 'assistant', index: 0, ...over }];
  const counts = { question_tokens: 1, prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  return {
    header: { code: 0, message: 'Success', sid: 'cht1', status },
    payload: { choices: { status, seq: status, text }, ...(status === 2 ? { usage: { text: counts } } : {}) },
  };
}

const pong = { frames: [frame(0, 'po'), frame(1, 'n'), frame(2, 'g')] };

test('frames become chunks or one body, and every dialect costs the same', async (world) => {
  world.sockets.script(pong);
  const streamed = await ask(world, 'SparkDesk-v4.0', true);
  assert.equal([streamed.content, streamed.finish, streamed.bill], ['pong', 'stop', [7, 3, 10]], streamed.text);
  const whole = await ask(world, 'SparkDesk-v4.0', false);
  assert.equal([whole.content, whole.finish, whole.bill], ['pong', 'stop', [7, 3, 10]], whole.text);
  for (const dialect of otherDialects) {
    for (const stream of [true, false]) {
      assert.equal(await billed(world, dialect('SparkDesk-v4.0', stream)), [7, 3, 10]);
    }
  }
});

test('the address is signed and names the version, the frame names the application and the domain', async (world) => {
  world.sockets.script(pong);
  await ask(world, 'SparkDesk-v4.0', true);
  const sent = world.sockets.requests.at(-1);
  assert.is(sent?.url.pathname, '/v4.0/chat');
  const query = sent?.url.searchParams;
  const date = query?.get('date') ?? '';
  assert.is(query?.get('host'), sent?.headers.host);
  const covered = `host: ${sent?.headers.host}\ndate: ${date}\nGET /v4.0/chat HTTP/1.1`;
  const proof = Buffer.from(query?.get('authorization') ?? '', 'base64').toString();
  assert.match(proof, 'api_key="the-api-key"');
  assert.match(proof, `signature="${createHmac('sha256', secret).update(covered).digest('base64')}"`);
  assert.equal(sent?.frame, {
    header: { uid: '', app_id: '12345678' },
    parameter: { chat: { domain: '4.0Ultra', auditing: 'default' } },
    payload: { message: { text: [{ role: 'user', content: 'hi' }] } },
  });
});

test('a call of a function reaches the client as one', async (world) => {
  const call = { function_call: { name: 'look', arguments: '{"city":"Paris"}' } };
  world.sockets.script({ frames: [frame(2, '', call)] });
  const told = await ask(world, 'SparkDesk-v4.0', true);
  assert.is(told.finish, 'tool_calls', told.text);
  assert.match(told.content, '"name":"look"');
});

/** Code in the frame, and what the client gets. */
const refusals: readonly (readonly [code: number, status: number])[] = [
  [10_013, 400],
  [10_907, 400],
  [11_202, 429],
];

for (const [code, status] of refusals) {
  test(`an error frame with code ${code} is a refusal with status ${status}`, async (world) => {
    world.sockets.script({ frames: [{ header: { code, message: 'no', sid: 's', status: 2 } }] });
    for (const stream of [true, false]) assert.is((await ask(world, 'Spark-Lite', stream)).status, status);
  });
}

test('an answer that the filter cuts ends with what it said so far', async (world) => {
  const cut: Json = { header: { code: 10_014, message: 'no', sid: 'cht1', status: 2 } };
  world.sockets.script({ frames: [frame(0, 'po'), cut] });
  for (const stream of [true, false]) {
    const told = await ask(world, 'SparkDesk-v4.0', stream);
    assert.equal([told.status, told.content, told.finish], [200, 'po', 'content_filter'], told.text);
    assert.ok(told.bill[1] > 0, 'counted here');
    assert.not.match(told.text, '"error"');
  }
});

test('a refused handshake says that the key is wrong, and names nothing of it', async () => {
  const sockets = await startFakeSocketUpstream();
  const daemon = await startTestDaemon({ options: { ModelRatio: '{"Spark-Max":1}' } });
  try {
    sockets.refuse(401, { message: `HMAC signature cannot be verified for the-api-key at ${sockets.url}` });
    await daemon.addChannel({ type: 18, key: 'app|s|the-api-key', base_url: sockets.url, models: 'Spark-Max' });
    const told = await fetch(`${daemon.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await daemon.addKey()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'Spark-Max', messages: [{ role: 'user', content: 'hi' }], stream: true }),
    });
    const text = await told.text();
    assert.ok(told.status >= 400, text);
    assert.not.match(text, /the-api-key|127\.0\.0\.1|HMAC signature cannot be verified for/);
  } finally {
    await daemon.stop();
    await sockets.close();
  }
});

test('a socket that breaks ends the stream with an error, and one that only stops early with what it said', async (world) => {
  world.sockets.script({ frames: [frame(0, 'po')], end: 'break' });
  const broken = await ask(world, 'SparkDesk-v4.0', true);
  assert.is(broken.finish, undefined, broken.text);
  assert.match(broken.text, '"error"');
  world.sockets.script({ frames: [frame(0, 'po')] });
  const stopped = await ask(world, 'SparkDesk-v4.0', true);
  assert.equal([stopped.content, stopped.finish], ['po', 'stop'], stopped.text);
  assert.ok(stopped.bill[1] > 0, 'counted here');
});

test('a client that leaves closes the socket', async (world) => {
  world.sockets.script({ frames: [frame(0, 'po')], end: 'hang' });
  const abort = new AbortController();
  const response = await fetch(`${world.daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'SparkDesk-v4.0', messages: [{ role: 'user', content: 'hi' }], stream: true }),
    signal: abort.signal,
  });
  const reader = response.body?.getReader();
  await reader?.read();
  abort.abort();
  const sent = world.sockets.requests.at(-1);
  await resolvesWithin(2000, sent?.closed);
});

test.run();
