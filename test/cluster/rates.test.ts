/**
 * Requests and tokens a minute over two daemons, with Redis (REQ-23): no burst on both together passes the limit.
 * Runs once: it brings PostgreSQL with it, and Redis where it wants one.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { testEngines } from '../support/engines.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { gate } from '../support/gate.ts';
import { type RedisServer, startRedis } from '../support/servers.ts';
import { until } from '../support/until.ts';

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
  await world.managed.addChannel({ base_url: world.upstream.url, models: 'gpt-4o,gpt-4.1,gpt-4o-mini' });
  const key = await world.managed.addKey();
  await until(async () => (await ask(first, key)) === 'allowed', 50);
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

/** Asks each daemon so often, all at once. */
function burst({ daemons }: World, key: string, times: number): Promise<string>[] {
  return daemons.flatMap((daemon) => Array.from({ length: times }, () => ask(daemon, key)));
}

/** How many were let in. */
async function allowed(asking: readonly Promise<string>[]): Promise<number> {
  return (await Promise.all(asking)).filter((code) => code === 'allowed').length;
}

cluster('let exactly as many requests through together as a key may make', async (world) => {
  assert.is(await allowed(burst(world, await world.managed.addKey({ rpm_limit: 25 }), 40)), 25);
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
  const { daemons, managed, upstream } = world;
  const key = await managed.addKey();
  const table = '{"token":{"*":{"concurrency":4}},"model":{"gpt-4o-mini":{"rpm":1}}}';
  await managed.root.options.set({ key: 'RateLimits', value: table });
  // The other node hears of the option a moment later.
  for (const daemon of daemons) {
    await until(async () => (await ask(daemon, key, 'gpt-4o-mini')) === 'rate_limited:model_rpm', 50);
  }
  const { open: answer, opened: mayAnswer } = gate();
  upstream.script(async () => {
    await mayAnswer;
    return used(20);
  });
  let refused = 0;
  const asking = burst(world, key, 6);
  for (const one of asking) {
    void one.then((code) => {
      if (code !== 'allowed') refused += 1;
    });
  }
  await until(() => refused === 8);
  answer();
  assert.is(await allowed(asking), 4);
  upstream.script(used(20));
  assert.is(await allowed(burst(world, key, 2)), 4, 'all places are free again');
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
  await until(async () => (await ask(first, other, 'gpt-4.1')) === 'rate_limited:model_rpm', 50);
});

cluster('keep to a budget that both have taken from, and are told when it is spent', async (world) => {
  const { managed, daemons } = world;
  const created = await managed.root.tokens.create({ name: 'shared', expired_time: -1, unlimited_quota: true });
  const [key, on] = [`sk-${created.key}`, `token:${created.id}`];
  await managed.root.budgets.set({ on, kind: 'requests', per: 'month', limit: 6 });
  const [first, second] = daemons;
  if (first === undefined || second === undefined) throw new Error('there are two');
  // Nobody knows of the other's calls while both begin: what is let through then has begun before.
  assert.is(await allowed([ask(first, key), ask(first, key), ask(second, key), ask(second, key)]), 4);
  const used = async () => (await managed.root.budgets.list({ on })).items[0]?.used;
  await until(async () => (await used()) === 4);
  let letIn = 4;
  for (const daemon of [first, second, first]) {
    await until(async () => {
      const said = await ask(daemon, key);
      if (said === 'allowed') letIn += 1;
      return said === 'budget_exceeded';
    }, 300);
  }
  assert.ok(letIn >= 6 && letIn <= 12, `only what came within a second was unheard of: ${letIn}`);
  assert.is(await allowed(burst(world, key, 5)), 0);
  await until(async () => (await used()) === letIn);
});

cluster.run();
