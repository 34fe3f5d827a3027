/** What two daemons count and learn about channels and keys together, with Redis and without. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { testEngines } from '../support/engines.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { type RedisServer, startRedis } from '../support/servers.ts';

interface World {
  first: TestDaemon;
  second: TestDaemon;
  upstream: FakeUpstream;
  redis: RedisServer | undefined;
  drop(): Promise<void>;
}

const patienceMs = 3000;
const answered = jsonAnswer({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
});

async function status(daemon: TestDaemon, key: string, model: string): Promise<number> {
  const answer = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function untilHolds(holds: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await holds())) {
    assert.ok(performance.now() - began < patienceMs, 'in time');
    await sleep(50);
  }
}

for (const kind of ['with Redis', 'without Redis'] as const) {
  const cluster = suite<World>(`counts of two daemons ${kind}`);

  cluster.before(async (world) => {
    const place = await testEngines.postgres.migrated();
    world.drop = place.drop;
    world.redis = kind === 'with Redis' ? await startRedis() : undefined;
    const config = { 'redis.url': world.redis?.url ?? '', 'redis.key_prefix': 'counts:' };
    world.upstream = await startFakeUpstream(answered);
    world.first = await startTestDaemon({ databaseUrl: place.url, config });
    world.second = await startTestDaemon({ databaseUrl: place.url, config });
  });
  cluster.after(async ({ first, second, upstream, redis, drop }) => {
    await first.stop();
    await second.stop();
    await upstream.close();
    await redis?.stop();
    await drop();
  });

  cluster('hold the cap of a key against the uses of both', async ({ first, second, upstream }) => {
    const { root } = second;
    const id = await second.addChannel({ base_url: upstream.url, models: 'gpt-4o-mini' });
    const [row] = await root.channels.keys({ id });
    await root.channels.setKey({ id, key_hash: row?.key_hash ?? '', cap: 6 });
    const key = await second.addKey();
    await untilHolds(async () => (await status(first, key, 'gpt-4o-mini')) === 200);
    for (let call = 0; call < 2; call += 1) assert.is(await status(first, key, 'gpt-4o-mini'), 200);
    await sleep(2000);
    const served = [];
    for (let call = 0; call < 6; call += 1) served.push(await status(second, key, 'gpt-4o-mini'));
    assert.equal(
      served.map((code) => code === 200),
      [true, true, true, false, false, false],
    );
    await untilHolds(async () => (await status(first, key, 'gpt-4o-mini')) !== 200);
  });

  cluster('leave a channel alone that has refused the other', async ({ first, second, upstream }) => {
    const id = await second.addChannel({ base_url: upstream.url, models: 'gpt-4o' });
    const key = await second.addKey();
    await untilHolds(async () => (await status(first, key, 'gpt-4o')) === 200);
    upstream.script(jsonAnswer({ error: { message: 'slow down' } }, 429, { 'retry-after': '200' }));
    assert.is.not(await status(first, key, 'gpt-4o'), 200);
    upstream.script(answered);
    await untilHolds(async () => ((await second.root.channels.keys({ id }))[0]?.cool_until ?? 0) > 0);
  });

  cluster.run();
}
