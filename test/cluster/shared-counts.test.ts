/**
 * What two daemons count and learn about channels and keys together, with Redis and without.
 * Runs once: it brings PostgreSQL with it, and Redis where it wants one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestDaemon } from '../support/daemon.ts';
import { answeredChat, type DaemonPair, startPair, stopPair } from '../support/daemon-pair.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { startRedis } from '../support/servers.ts';
import { until } from '../support/until.ts';

/** Each look is a call. */
const everyMs = 50;

async function status(daemon: TestDaemon, key: string, model: string): Promise<number> {
  const answer = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

for (const kind of ['with Redis', 'without Redis'] as const) {
  const cluster = suite<DaemonPair>(`counts of two daemons ${kind}`);

  cluster.before(async (pair) => {
    const redis = kind === 'with Redis' ? await startRedis() : undefined;
    await startPair(pair, { redis, prefix: 'counts', script: answeredChat });
  });
  cluster.after(stopPair);

  cluster('hold the cap of a key against the uses of both', async ({ first, second, upstream }) => {
    const { root } = second;
    const id = await second.addChannel({ base_url: upstream.url, models: 'gpt-4o-mini' });
    const [row] = await root.channels.keys({ id });
    await root.channels.setKey({ id, key_hash: row?.key_hash ?? '', cap: 6 });
    const key = await second.addKey();
    await until(async () => (await status(first, key, 'gpt-4o-mini')) === 200, everyMs);
    for (let call = 0; call < 2; call += 1) assert.is(await status(first, key, 'gpt-4o-mini'), 200);
    await sleep(2000);
    const served = [];
    for (let call = 0; call < 6; call += 1) served.push(await status(second, key, 'gpt-4o-mini'));
    assert.equal(
      served.map((code) => code === 200),
      [true, true, true, false, false, false],
    );
    await until(async () => (await status(first, key, 'gpt-4o-mini')) !== 200, everyMs);
  });

  cluster('leave a channel alone that has refused the other', async ({ first, second, upstream }) => {
    const id = await second.addChannel({ base_url: upstream.url, models: 'gpt-4o' });
    const key = await second.addKey();
    await until(async () => (await status(first, key, 'gpt-4o')) === 200, everyMs);
    upstream.script(jsonAnswer({ error: { message: 'slow down' } }, 429, { 'retry-after': '200' }));
    assert.is.not(await status(first, key, 'gpt-4o'), 200);
    upstream.script(answeredChat);
    await until(async () => ((await second.root.channels.keys({ id }))[0]?.cool_until ?? 0) > 0, everyMs);
  });

  cluster.run();
}
