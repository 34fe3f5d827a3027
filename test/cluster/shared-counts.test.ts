/**
 * What two daemons count and learn about channels, keys and conversations together, with Redis and without.
 * Runs once: it brings PostgreSQL with it, and Redis where it wants one.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestDaemon } from '../support/daemon.ts';
import { answeredChat, type DaemonPair, startPair, stopPair } from '../support/daemon-pair.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { gate } from '../support/gate.ts';
import { startRedis } from '../support/servers.ts';
import { until } from '../support/until.ts';

/** Each look is a call. */
const everyMs = 50;

const greeting = [{ role: 'user', content: 'hi' }];

async function status(daemon: TestDaemon, key: string, model: string, messages = greeting): Promise<number> {
  const answer = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** A channel whose only key is limited, known to both nodes and used once by the first. */
async function addLimited({ first, second, upstream }: DaemonPair, model: string, limits: object) {
  const { root } = second;
  const id = await second.addChannel({ base_url: upstream.url, models: model, status: 2 });
  const [row] = await root.channels.keys({ id });
  const on = `channel-key:${id}/${row?.key_hash}`;
  await root.limits.set({ on, ...limits });
  // Nobody has seen it without its limits.
  await root.channels.setStatus({ id, status: 1 });
  const key = await second.addKey();
  await until(async () => (await status(first, key, model)) === 200, everyMs);
  return { on, key };
}

/** What a node knows of the use of a limit. */
async function usedOf({ root }: TestDaemon, on: string, kind: string): Promise<number | null | undefined> {
  return (await root.limits.list()).find((limit) => limit.on === on && limit.kind === kind)?.used;
}

for (const kind of ['with Redis', 'without Redis'] as const) {
  const cluster = suite<DaemonPair>(`counts of two daemons ${kind}`);

  cluster.before(async (pair) => {
    const redis = kind === 'with Redis' ? await startRedis() : undefined;
    await startPair(pair, { redis, prefix: 'counts', script: answeredChat });
  });
  cluster.after(stopPair);

  cluster('hold the cap of a key against the uses of both', async (pair) => {
    const { first, second } = pair;
    const model = 'gpt-4o-mini';
    const { on, key } = await addLimited(pair, model, { rpm: 6, tpm: 1_000_000 });
    for (let call = 0; call < 2; call += 1) assert.is(await status(first, key, model), 200);
    await until(async () => (await usedOf(second, on, 'rpm')) === 3, everyMs);
    const served = [];
    for (let call = 0; call < 6; call += 1) served.push(await status(second, key, model));
    assert.equal(
      served.map((code) => code === 200),
      [true, true, true, false, false, false],
    );
    await until(async () => (await status(first, key, model)) !== 200, everyMs);
  });

  cluster('hold the tokens of a key against what both have used', async (pair) => {
    const { first, second } = pair;
    const model = 'gpt-4.1';
    // Each call uses 200.
    const { on, key } = await addLimited(pair, model, { tpm: 900 });
    for (let call = 0; call < 2; call += 1) assert.is(await status(first, key, model), 200);
    await until(async () => (await usedOf(second, on, 'tpm')) === 600, everyMs);
    assert.is(await status(second, key, model), 200);
    await until(async () => (await usedOf(second, on, 'tpm')) === 800, everyMs);
    assert.is(await status(second, key, model), 200);
    await until(async () => (await usedOf(second, on, 'tpm')) === 900, everyMs);
    assert.is(await status(second, key, model), 429);
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

  cluster('keep a conversation with the channel and key to which the other brought it', async (pair) => {
    const { first, second, upstream } = pair;
    const model = 'gpt-4';
    await second.addChannel({ base_url: upstream.url, models: model, key: 'a,b,c,d,e,f,g,h' });
    const key = await second.addKey();
    await until(async () => (await status(first, key, model)) === 200, everyMs);
    const turns = ['user', 'assistant', 'user'].map((role) => ({ role, content: 'a conversation' }));
    const servedBy = async (node: TestDaemon) => {
      assert.is(await status(node, key, model, turns), 200);
      return upstream.requests.at(-1)?.headers.authorization;
    };
    await servedBy(first);
    // The other one may draw a key for itself until it is told, and then both come to one of the two.
    await until(async () => {
      const seen = [];
      for (const node of [second, first, second, first, second]) seen.push(await servedBy(node));
      return new Set(seen).size === 1;
    }, everyMs);
  });

  cluster('send calls where the fewest run, also where those that run are the other’s', async (pair) => {
    const { first, second, upstream } = pair;
    const model = 'gpt-3.5-turbo';
    const ids = [];
    for (const name of ['one', 'two']) {
      ids.push(await second.addChannel({ base_url: upstream.url, models: model, key: name, name }));
    }
    const [, idle = 0] = ids;
    await second.root.channels.setStatus({ id: idle, status: 2 });
    await second.root.options.set({ key: 'RoutingStrategy', value: 'least_busy' });
    // A node tells what runs on it from when it knows that somebody routes by it.
    const { snapshots } = first.daemon.foundation;
    await until(() => snapshots.current().options.get('RoutingStrategy') === 'least_busy');
    const key = await second.addKey();
    await until(async () => (await status(first, key, model)) === 200, everyMs);
    const { open, opened } = gate();
    upstream.script(() => opened.then(() => answeredChat));
    const asked = upstream.requests.length;
    const running = Array.from({ length: 20 }, () => status(first, key, model));
    await until(() => upstream.requests.length === asked + 20);
    upstream.script(answeredChat);
    await second.root.channels.setStatus({ id: idle, status: 1 });
    await until(async () => {
      const before = upstream.requests.length;
      for (let call = 0; call < 8; call += 1) assert.is(await status(second, key, model), 200);
      return upstream.requests.slice(before).every(({ headers }) => headers.authorization === 'Bearer two');
    }, everyMs);
    open();
    assert.equal(new Set(await Promise.all(running)), new Set([200]));
    await second.root.options.set({ key: 'RoutingStrategy', value: 'weighted' });
  });

  if (kind === 'without Redis') {
    cluster.run();
    continue;
  }

  cluster('let no more through together than a key may be used for, whatever comes at once', async (pair) => {
    const { first, second } = pair;
    const model = 'gpt-4.1-mini';
    const { key } = await addLimited(pair, model, { rpm: 8 });
    const burst = [first, second].flatMap((node) => Array.from({ length: 10 }, () => status(node, key, model)));
    assert.is((await Promise.all(burst)).filter((code) => code === 200).length, 7, 'and one before');
  });

  cluster('let so many calls of a key run at once on both together', async (pair) => {
    const { first, second, upstream } = pair;
    const model = 'gpt-4.1-nano';
    const { key } = await addLimited(pair, model, { concurrency: 2 });
    const { open, opened } = gate();
    upstream.script(() => opened.then(() => answeredChat));
    const asked = upstream.requests.length;
    const running = [status(first, key, model), status(second, key, model)];
    await until(() => upstream.requests.length === asked + 2);
    assert.equal([await status(first, key, model), await status(second, key, model)], [429, 429]);
    open();
    assert.equal(await Promise.all(running), [200, 200]);
    upstream.script(answeredChat);
    await until(async () => (await status(second, key, model)) === 200, everyMs);
  });

  cluster.run();
}
