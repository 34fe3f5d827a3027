/**
 * What one daemon's upstream keeps, and whose it is, the other daemon knows too, with Redis and without (relay.md
 * 5.10).
 * Runs once: it brings PostgreSQL with it, and Redis where it wants one.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../daemon/relay/json.ts';
import type { TestDaemon } from '../support/daemon.ts';
import { type DaemonPair, startPair, stopPair } from '../support/daemon-pair.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { startRedis } from '../support/servers.ts';
import { until } from '../support/until.ts';

/** Each look is a call. */
const everyMs = 50;

function keptAnswer(name: string) {
  return jsonAnswer({
    id: `resp_${name}`,
    object: 'response',
    status: 'completed',
    store: true,
    output: [
      { type: 'message', id: `msg_${name}`, role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
      { type: 'reasoning', id: `rs_${name}`, summary: [] },
    ],
    usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
  });
}

async function ask(daemon: TestDaemon, key: string, body: JsonObject): Promise<number> {
  const answer = await fetch(`${daemon.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'gpt-4o', ...body }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

for (const kind of ['with Redis', 'without Redis'] as const) {
  const cluster = suite<DaemonPair>(`what upstreams keep for two daemons ${kind}`);

  cluster.before(async (pair) => {
    const redis = kind === 'with Redis' ? await startRedis() : undefined;
    await startPair(pair, { redis, prefix: 'kept', script: keptAnswer('first') });
  });
  cluster.after(stopPair);

  cluster('is asked for where it was kept, and by nobody else', async ({ first, second, upstream }) => {
    const keys = ['key-a', 'key-b', 'key-c', 'key-d'];
    await second.addChannel({
      base_url: upstream.url,
      models: 'gpt-4o',
      key: keys.join(','),
      setting: '{"allow_store":true}',
    });
    const key = await second.addKey();
    await until(async () => (await ask(first, key, { input: 'hi' })) === 200, everyMs);
    const keeper = upstream.requests.at(-1)?.headers.authorization;
    upstream.requests.length = 0;
    upstream.script(keptAnswer('next'));
    const { database, keyring, nowSeconds } = second.daemon.foundation;
    const other = await second.root.users.create({ username: 'other', password: 'a good password', quota: 1_000_000 });
    const accessToken = 'o'.repeat(32);
    await database.stores.users.setAccessToken(other.id, keyring.accessTokenHash(accessToken), nowSeconds() + 1000);
    const made = await second.client(accessToken).tokens.create({ name: 'k', expired_time: -1, unlimited_quota: true });
    const bodies: JsonObject[] = [
      { input: [{ type: 'item_reference', id: 'msg_first' }] },
      { input: [{ type: 'reasoning', id: 'rs_first', summary: [] }] },
      { input: 'on', previous_response_id: 'resp_first' },
    ];
    for (const body of bodies) {
      await until(async () => (await ask(second, `sk-${made.key}`, body)) === 404, everyMs);
      upstream.requests.length = 0;
      for (let turn = 0; turn < 6; turn += 1) assert.is(await ask(second, key, body), 200);
      assert.equal([...new Set(upstream.requests.map(({ headers }) => headers.authorization))], [keeper]);
    }
  });

  cluster.run();
}
