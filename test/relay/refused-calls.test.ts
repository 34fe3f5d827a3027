/**
 * Calls that Tollgate itself refuses: no row is written of them, so that the code in the answer and a line of the log
 * with the request id of the answer must say why, whatever the dialect (REQ-32, relay.md 16.4).
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { signedIn } from '../support/api-browser.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { freePort } from '../support/guarded-server.ts';
import { chatRequest, completion } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  metricsPort: number;
  /** What is refused, by its code. */
  refusals: Record<string, { key: string; model: string; status: number }>;
}

const refused = suite<World>('relay: calls that are refused');

let seconds = 0;

refused.before(async (world) => {
  world.upstream = await startFakeUpstream(jsonAnswer(completion()));
  world.metricsPort = await freePort();
  const daemon = await startTestDaemon({
    config: { 'metrics.listen': `127.0.0.1:${world.metricsPort}` },
    clock: { now: () => Date.now() + seconds * 1000, monotonic: () => performance.now() + seconds * 1000 },
  });
  world.daemon = daemon;
  await daemon.addChannel({ base_url: world.upstream.url, models: 'gpt-4o,nobody-priced-it' });
  const off = await daemon.addChannel({ base_url: world.upstream.url, models: 'gpt-4.1' });
  await daemon.root.channels.setStatus({ id: off, status: 2 });
  const password = 'a good password';
  await daemon.root.users.create({ username: 'poor', password, quota: 0 });
  const poor = await signedIn(daemon.url, { username: 'poor', password });
  const { key } = await poor.tokens.create({ name: 'poor', expired_time: -1, unlimited_quota: true });
  const open = await daemon.addKey();
  const narrow = await daemon.addKey({ rpm_limit: 1 });
  const expired = await daemon.addKey({ expired_time: Math.floor(Date.now() / 1000) + 60 });
  seconds = 120;
  assert.is((await ask(world, narrow, '/v1/chat/completions', chatRequest)).status, 200);
  world.refusals = {
    insufficient_user_quota: { key: `sk-${key}`, model: 'gpt-4o', status: 403 },
    insufficient_token_quota: {
      key: await daemon.addKey({ unlimited_quota: false, remain_quota: 1 }),
      model: 'gpt-4o',
      status: 403,
    },
    token_expired: { key: expired, model: 'gpt-4o', status: 401 },
    model_not_allowed: {
      key: await daemon.addKey({ model_limits_enabled: true, model_limits: 'gpt-4.1' }),
      model: 'gpt-4o',
      status: 403,
    },
    model_not_priced: { key: open, model: 'nobody-priced-it', status: 400 },
    no_channel_for_model: { key: open, model: 'gpt-4.1', status: 503 },
    'rate_limited:token_rpm': { key: narrow, model: 'gpt-4o', status: 429 },
  };
});
refused.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

function ask({ daemon }: Pick<World, 'daemon'>, key: string, path: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(daemon.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

const { messages } = chatRequest;
const dialects = (model: string): readonly [path: string, body: object][] => [
  ['/v1/chat/completions', { model, messages }],
  ['/v1/responses', { model, input: 'hi' }],
  ['/v1/messages', { model, max_tokens: 5, messages }],
  [`/v1beta/models/${model}:generateContent`, { contents: [{ parts: [{ text: 'hi' }] }] }],
];

const linesOf = ({ daemon }: World) => daemon.log.filter((line) => line.includes('a call was refused'));

refused('name the code, and are found in the log by the request id that the client was given', async (world) => {
  for (const [code, { key, model, status }] of Object.entries(world.refusals)) {
    // Another second, in which as many lines are written as in the one before.
    seconds += 1;
    for (const [path, body] of dialects(model)) {
      const answer = await ask(world, key, path, body);
      const text = await answer.text();
      const id = answer.headers.get('x-request-id') ?? 'none';
      assert.is(answer.status, status, `${code} ${path} ${text}`);
      assert.ok(text.includes(`(request id: ${id})`), text);
      if (path === '/v1/chat/completions' || path === '/v1/responses') assert.is(JSON.parse(text).error.code, code);
      const [line, ...more] = linesOf(world).filter((one) => one.includes(id));
      assert.equal(more, [], code);
      const { level, call } = JSON.parse(line ?? '{}');
      assert.equal([level, call.code, call.status, call.path], ['info', code, status, path]);
      assert.is(call.userId === 0, code === 'token_expired');
      assert.not.ok(line?.includes(key.slice(3)), line);
    }
  }
});

refused('are counted by their code', async ({ metricsPort, refusals }) => {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  for (const code of Object.keys(refusals)) {
    assert.ok(text.includes(`tollgate_relay_requests_total{capability="chat",outcome="${code}",channel="0"} 4`), code);
  }
});

refused('write no more lines than a disk can bear, and none for whoever has no key', async (world) => {
  const before = linesOf(world).length;
  const [path, body] = dialects('gpt-4o')[0] ?? ['', {}];
  for (let call = 0; call < 3; call += 1) assert.is((await ask(world, `sk-${'x'.repeat(48)}`, path, body)).status, 401);
  assert.is(linesOf(world).length, before);
  seconds += 1;
  const { key } = world.refusals.model_not_allowed ?? { key: '' };
  for (let call = 0; call < 60; call += 1) assert.is((await ask(world, key, path, body)).status, 403);
  seconds += 1;
  await ask(world, key, path, body);
  const told = linesOf(world)
    .slice(before)
    .map((line) => JSON.parse(line).untold ?? 0);
  assert.ok(told.length < 61, String(told.length));
  assert.is(told.length + told.reduce((sum, count) => sum + count, 0), 61, 'those that were left out are counted');
});

refused.run();
