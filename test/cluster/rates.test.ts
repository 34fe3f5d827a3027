/** Requests and tokens a minute over two daemons, with Redis (REQ-23): no burst on both together passes the limit. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { testEngines } from '../support/engines.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { type RedisServer, startRedis } from '../support/servers.ts';

interface World {
  daemons: TestDaemon[];
  managed: TestDaemon;
  upstream: FakeUpstream;
  redis: RedisServer;
  drop(): Promise<void>;
}

const cluster = suite<World>('requests and tokens a minute over two daemons');

/** An answer that used this many tokens. */
function used(tokens: number) {
  return jsonAnswer({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: tokens - 10, total_tokens: tokens },
  });
}

cluster.before(async (world) => {
  const place = await testEngines.postgres.migrated();
  world.drop = place.drop;
  world.redis = await startRedis();
  world.upstream = await startFakeUpstream(used(20));
  const config = { 'redis.url': world.redis.url, 'redis.key_prefix': 'rates:' };
  const first = await startTestDaemon({ databaseUrl: place.url, config });
  // Signing in at the second makes the token of the first invalid: it is the second that is managed.
  world.managed = await startTestDaemon({ databaseUrl: place.url, config });
  world.daemons = [first, world.managed];
  await world.managed.addChannel({ base_url: world.upstream.url, models: 'gpt-4o,gpt-4.1' });
  const key = await world.managed.addKey();
  while ((await ask(first, key)) !== 'allowed') await sleep(50);
});
cluster.after(async ({ daemons, upstream, redis, drop }) => {
  for (const daemon of daemons) await daemon.stop();
  await upstream.close();
  await redis.stop();
  await drop();
});

async function ask(daemon: TestDaemon, key: string, model = 'gpt-4o'): Promise<string> {
  const answer = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }),
  });
  const { error }: { error?: { code: string } } = await answer.json();
  return error?.code ?? 'allowed';
}

/** Asks each daemon so often, all at once, and counts who was let in. */
async function burst({ daemons }: World, key: string, times: number): Promise<number> {
  const asking = daemons.flatMap((daemon) => Array.from({ length: times }, () => ask(daemon, key)));
  const said = await Promise.all(asking);
  return said.filter((code) => code === 'allowed').length;
}

cluster('let exactly as many requests through together as a key may make', async (world) => {
  assert.is(await burst(world, await world.managed.addKey({ rpm_limit: 25 }), 40), 25);
});

cluster('stay within five per cent of a limit of tokens, whoever is asked', async (world) => {
  const { daemons, managed, upstream } = world;
  upstream.script(used(20));
  const key = await managed.addKey({ tpm_limit: 1000 });
  let spent = 0;
  for (let call = 0; call < 120; call += 1) {
    const daemon = daemons[call % 2];
    if (daemon !== undefined && (await ask(daemon, key)) === 'allowed') spent += 20;
  }
  assert.ok(spent >= 950 && spent <= 1050, `${spent} of 1000`);
});

cluster('let exactly as many calls run together as the table says', async (world) => {
  const { managed, upstream } = world;
  await managed.root.options.set({ key: 'RateLimits', value: '{"token":{"*":{"concurrency":4}}}' });
  // The other node hears of the option a moment later.
  await sleep(1500);
  upstream.script({ ...used(20), headersAfterMs: 1500 });
  const key = await managed.addKey();
  assert.is(await burst(world, key, 6), 4);
  upstream.script(used(20));
  assert.is(await burst(world, key, 2), 4, 'all places are free again');
  await managed.root.options.set({ key: 'RateLimits', value: '{}' });
});

cluster('count a model for both', async ({ daemons, managed }) => {
  await managed.root.options.set({ key: 'RateLimits', value: '{"model":{"gpt-4.1":{"rpm":2}}}' });
  const [one, other] = [await managed.addKey(), await managed.addKey()];
  const said: string[] = [];
  for (const key of [one, other, one]) said.push(await ask(managed, key, 'gpt-4.1'));
  assert.equal(said, ['allowed', 'allowed', 'rate_limited:model_rpm']);
  const [first] = daemons;
  if (first === undefined) throw new Error('two daemons');
  // The other node hears of the option a moment later.
  let code = '';
  for (let look = 0; look < 40 && code !== 'rate_limited:model_rpm'; look += 1) {
    await sleep(50);
    code = await ask(first, other, 'gpt-4.1');
  }
  assert.is(code, 'rate_limited:model_rpm');
});

cluster.run();
