/**
 * Tokens that keys are traded for: a refused one is traded anew once, and a key whose new token is refused too is bad.
 * Runs once: tokens are kept in memory.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { startRefusingProxy } from '../support/refusing-proxy.ts';
import { until } from '../support/until.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
  /** Milliseconds that the daemon's clocks are ahead. */
  ahead: number;
}

const test = suite<World>('stale tokens');

test.before.each(async (world) => {
  world.ahead = 0;
  world.upstream = await startFakeUpstream();
  world.daemon = await startTestDaemon({
    options: { ModelRatio: '{"ERNIE-Speed":1}' },
    clock: { now: () => Date.now() + world.ahead, monotonic: () => performance.now() + world.ahead },
  });
  await world.daemon.addChannel({ type: 15, key: 'id|secret', base_url: world.upstream.url, models: 'ERNIE-Speed' });
  world.key = await world.daemon.addKey();
});

test.after.each(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

/** An upstream that trades `24.1`, `24.2`, … and takes those only that `isValid` allows. */
function trading(
  upstream: FakeUpstream,
  isValid: (token: string) => boolean | Promise<boolean>,
): { readonly trades: () => number } {
  let trades = 0;
  upstream.script(async ({ url }) => {
    if (url.startsWith('/oauth/2.0/token')) {
      trades += 1;
      return jsonAnswer({ access_token: `24.${trades}`, expires_in: 2_592_000 });
    }
    const token = new URL(url, 'http://upstream').searchParams.get('access_token') ?? '';
    if (!(await isValid(token)))
      return jsonAnswer({ error_code: 110, error_msg: 'Access token invalid or no longer valid' });
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return jsonAnswer({ id: 'as-1', result: 'pong', finish_reason: 'normal', usage });
  });
  return { trades: () => trades };
}

async function ask({ daemon, key }: World): Promise<number> {
  const response = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'ERNIE-Speed', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await response.text();
  return response.status;
}

test('a token that was revoked is traded anew, and its client notices nothing', async (world) => {
  let revoked = '';
  const { trades } = trading(world.upstream, (token) => token !== revoked);
  assert.is(await ask(world), 200);
  assert.is(await ask(world), 200);
  assert.is(trades(), 1);
  revoked = '24.1';
  world.ahead = 60_000;
  assert.is(await ask(world), 200);
  assert.is(trades(), 2);
});

test('calls that were on their way with a revoked token are all asked again with one new token', async (world) => {
  await world.daemon.root.options.set({ key: 'AutomaticDisableChannelEnabled', value: 'true' });
  let revoked = '';
  let onTheirWay = 0;
  const { trades } = trading(world.upstream, async (token) => {
    if (token !== revoked) return true;
    onTheirWay += 1;
    await until(() => onTheirWay >= 3);
    return false;
  });
  assert.is(await ask(world), 200);
  revoked = '24.1';
  world.ahead = 60_000;
  assert.equal(await Promise.all([ask(world), ask(world), ask(world)]), [200, 200, 200]);
  assert.is(trades(), 2);
  const [channel] = (await world.daemon.root.channels.list({})).items;
  assert.is(channel?.status, 1);
});

test('a key whose new token is refused too is not traded again and again', async (world) => {
  const { trades } = trading(world.upstream, () => false);
  assert.ok((await ask(world)) >= 400);
  assert.is(trades(), 1);
  world.ahead = 400_000;
  assert.ok((await ask(world)) >= 400);
  assert.is(trades(), 2);
});

test('a vendor whose token server is away loses no key over it', async (world) => {
  await world.daemon.root.options.set({ key: 'AutomaticDisableChannelEnabled', value: 'true' });
  world.upstream.script(jsonAnswer({ error: 'busy' }, 503));
  assert.is(await ask(world), 502);
  const [channel] = (await world.daemon.root.channels.list({})).items;
  assert.is(channel?.status, 1);
  world.ahead = 400_000;
  trading(world.upstream, () => true);
  assert.is(await ask(world), 200);
  // One that says no to the key is believed.
  world.ahead = 40_000_000;
  world.upstream.script(jsonAnswer({ error: 'invalid_client' }, 401));
  assert.is(await ask(world), 500);
});

test('a token that cannot be traded anew is used on while it is valid', async (world) => {
  let trades = 0;
  let isAway = false;
  world.upstream.script(({ url }) => {
    if (!url.startsWith('/oauth')) return jsonAnswer({ id: 'as-1', result: 'pong', finish_reason: 'normal' });
    trades += 1;
    return isAway ? jsonAnswer({ error: 'busy' }, 503) : jsonAnswer({ access_token: '24.1', expires_in: 4000 });
  });
  assert.is(await ask(world), 200);
  isAway = true;
  world.ahead = 2_100_000;
  assert.is(await ask(world), 200);
  // Nobody is asked again at once.
  assert.is(await ask(world), 200);
  assert.is(trades, 2);
  world.ahead = 3_990_000;
  assert.is(await ask(world), 502);
  assert.is(trades, 3);
});

test('a key is traded by way of its channel’s proxy', async (world) => {
  const proxy = await startRefusingProxy();
  const [channel] = (await world.daemon.root.channels.list({})).items;
  const setting = JSON.stringify({ proxy: proxy.url });
  await world.daemon.root.channels.update({ id: channel?.id ?? 0, setting });
  try {
    assert.ok((await ask(world)) >= 500);
    assert.ok(proxy.asked.length > 0 && proxy.asked.every((host) => world.upstream.url.endsWith(host)));
    assert.is(world.upstream.requests.length, 0);
  } finally {
    proxy.close();
  }
});

test.run();
