/** Limits and keys of a channel on a whole daemon: relay.md 19.3, cases 14 and 18. */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { signedIn } from '../support/api-browser.ts';
import { askAtOnce } from '../support/ask-at-once.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type Answer, type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { startSocketServer } from '../support/socket-server.ts';
import { until } from '../support/until.ts';
import { completion } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
}

const test = suite<World>('relay: limits and keys');

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.daemon = await startTestDaemon();
});
test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

function chat({ daemon }: World, key: string, model: string, content = 'hi'): Promise<Response> {
  return fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
  });
}

test('lets exactly five of twenty calls at once succeed where five may a minute', async (world) => {
  const { daemon, upstream } = world;
  await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o' });
  const key = await daemon.addKey();
  for (const [name, value] of Object.entries({
    ModelRequestRateLimitSuccessCount: '5',
    ModelRequestRateLimitDurationMinutes: '1',
    ModelRequestRateLimitEnabled: 'true',
  })) {
    await daemon.root.options.set({ key: name, value });
  }
  const rush = { upstream, answer: jsonAnswer(completion()), calls: 20, room: 5 };
  const answers = await askAtOnce(rush, () => chat(world, key, 'gpt-4o'));
  await daemon.root.options.set({ key: 'ModelRequestRateLimitEnabled', value: 'false' });
  assert.is(answers.filter(({ status }) => status === 200).length, 5);
  assert.is(answers.filter(({ status }) => status === 429).length, 15);
  assert.is(upstream.requests.length, 5);
});

test('counts no call of a user that the limit of its key refused', async (world) => {
  const { daemon, upstream } = world;
  const { set } = daemon.root.options;
  upstream.script(jsonAnswer(completion()));
  const [narrow, other] = [await daemon.addKey({ rpm_limit: 1 }), await daemon.addKey()];
  await set({ key: 'ModelRequestRateLimitCount', value: '2' });
  await set({ key: 'ModelRequestRateLimitSuccessCount', value: '1000' });
  await set({ key: 'ModelRequestRateLimitEnabled', value: 'true' });
  const statuses: unknown[] = [];
  for (const key of [narrow, narrow, narrow, narrow, other, other]) {
    const answer = await chat(world, key, 'gpt-4o');
    const body = await answer.json();
    statuses.push(body.error?.code ?? answer.status);
  }
  await set({ key: 'ModelRequestRateLimitEnabled', value: 'false' });
  const refused = Array(3).fill('rate_limited:token_rpm');
  assert.equal(statuses, [200, ...refused, 200, 'rate_limited:user_requests']);
});

test('counts what is asked wrongly among all requests of a user, and tells what is left', async (world) => {
  const { daemon } = world;
  const { set } = daemon.root.options;
  const { id } = await daemon.root.users.create({ username: 'careless', password: 'password123' });
  const browser = await signedIn(daemon.url, { username: 'careless', password: 'password123' });
  const authorization = `Bearer sk-${(await browser.tokens.create({ name: 'k', unlimited_quota: true })).key}`;
  await set({ key: 'ModelRequestRateLimitCount', value: '3' });
  await set({ key: 'ModelRequestRateLimitEnabled', value: 'true' });
  const form = new FormData();
  form.set('model', '');
  const wrong = [
    ['chat/completions', JSON.stringify({ model: 'gpt-4o', messages: 5 })],
    ['chat/completions', JSON.stringify({ messages: [] })],
    ['audio/transcriptions', form],
    ['embeddings', JSON.stringify({ model: 'gpt-4o' })],
  ] as const;
  const seen: unknown[] = [];
  for (const [path, body] of wrong) {
    const answer = await fetch(`${daemon.url}/v1/${path}`, { method: 'POST', headers: { authorization }, body });
    seen.push([answer.status, answer.headers.get('x-ratelimit-remaining-requests')]);
    await answer.body?.cancel();
  }
  await set({ key: 'ModelRequestRateLimitEnabled', value: 'false' });
  await daemon.root.users.delete({ id });
  assert.equal(seen, [
    [400, '2'],
    [400, '1'],
    [400, '0'],
    [429, '0'],
  ]);
});

test('gives back the tokens a minute expected of sessions that said nothing, and of them and orders that failed', async (world) => {
  const { daemon, upstream } = world;
  const server = await startSocketServer(() => undefined);
  await daemon.addChannel({ base_url: server.url, models: 'gpt-realtime' });
  await daemon.addChannel({ base_url: upstream.url, models: 'mj_imagine', type: 5 });
  const { id, key } = await daemon.root.tokens.create({ name: 'tpm', unlimited_quota: true, tpm_limit: 9000 });
  const headers = { authorization: `Bearer sk-${key}` };
  const open = async () => {
    const address = `${daemon.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`;
    const socket = new WebSocket(address, ['realtime'], { headers }).on('error', () => undefined);
    const opened = once(socket, 'open').then(() => true);
    const isOpen = await Promise.race([opened, once(socket, 'unexpected-response').then(() => false)]);
    socket.terminate();
    return isOpen;
  };
  try {
    server.refuse(400);
    assert.is(await open(), false);
    server.refuse(undefined);
    assert.is(await open(), true);
  } finally {
    await server.close();
  }
  upstream.script(jsonAnswer({ description: 'no' }, 400));
  const body = JSON.stringify({ prompt: 'word '.repeat(300) });
  const order = await fetch(`${daemon.url}/mj/submit/imagine`, { method: 'POST', headers, body });
  assert.is(order.status, 400);
  await order.body?.cancel();
  await until(() => daemon.daemon.running() === 0);
  const limit = (await daemon.root.limits.list()).find(({ on }) => on === `token:${id}`);
  assert.equal([limit?.kind, limit?.used], ['tpm', 0]);
});

test('disables the keys that the upstream calls invalid, the channel with the last, and keeps states', async (world) => {
  const { daemon, upstream } = world;
  const { root } = daemon;
  const id = await daemon.addChannel({
    base_url: upstream.url,
    models: 'gpt-4.1',
    key: 'sk-a\nsk-b\nsk-c',
    mode: 'multi_to_single',
  });
  const key = await daemon.addKey();
  await root.options.set({ key: 'AutomaticDisableChannelEnabled', value: 'true' });
  const refused = new Set(['sk-b']);
  const invalid: Answer = jsonAnswer({ error: { message: 'wrong', type: 'x', code: 'invalid_api_key' } }, 401);
  upstream.script((request) => {
    const used = String(request.headers.authorization).replace('Bearer ', '');
    return refused.has(used) ? invalid : jsonAnswer(completion());
  });
  const states = async () => (await root.channels.keys({ id })).map(({ status }) => status);
  /** Calls until the keys are in these states: which key serves is left to chance, and states are written behind. */
  const callUntil = async (expected: number[]) => {
    for (let call = 0; call < 100 && String(await states()) !== String(expected); call += 1) {
      await (await chat(world, key, 'gpt-4.1')).text();
    }
    assert.equal(await states(), expected);
  };
  await callUntil([1, 3, 1]);
  assert.is((await root.channels.get({ id })).status, 1);

  await root.channels.update({ id, key: 'sk-c\nsk-b\nsk-a' });
  assert.equal(await states(), [1, 3, 1]);

  for (const each of ['sk-a', 'sk-c']) refused.add(each);
  await callUntil([3, 3, 3]);
  await until(async () => (await root.channels.get({ id })).status === 3);
});

test('disables no key for words that its upstream only quotes from the prompt', async (world) => {
  const { daemon, upstream } = world;
  const id = await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4.1-mini' });
  const key = await daemon.addKey();
  await daemon.root.options.set({ key: 'AutomaticDisableChannelEnabled', value: 'true' });
  const before = upstream.requests.length;
  const says = (message: string) => upstream.script(jsonAnswer({ error: { message, type: 'server_error' } }, 500));
  const prompt = 'My bank writes: your credit balance is too low';
  says(`failed on '${prompt}'`);
  await (await chat(world, key, 'gpt-4.1-mini', prompt)).text();
  says('Refused: your credit balance is too low');
  await (await chat(world, key, 'gpt-4.1-mini')).text();
  assert.is(upstream.requests.length, before + 2);
  await until(async () => (await daemon.root.channels.get({ id })).status === 3);
  const { other_info } = await daemon.root.channels.get({ id });
  assert.match(JSON.stringify(other_info), 'Refused: your credit');
});

test.run();
