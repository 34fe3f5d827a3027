/** Two daemons on one database: what one changes, the other obeys within two seconds (REQ-17), with Redis or without. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { testRedisUrl } from '../support/servers.ts';

interface World {
  /** Takes the calls. */
  relay: TestDaemon;
  /** Takes the changes. */
  desk: TestDaemon;
  upstream: FakeUpstream;
  channelId: number;
}

const withRedis = testRedisUrl() !== undefined;
const test = suite<World>(`two daemons ${withRedis ? 'with' : 'without'} Redis`);
const model = 'gpt-4o';
/** REQ-17 gives a change two seconds. */
const limitMs = 2000;

test.before(async (world) => {
  const config = { 'redis.key_prefix': `two-daemons-${process.pid}:` };
  world.upstream = await startFakeUpstream();
  world.upstream.script(
    jsonAnswer({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  );
  world.relay = await startTestDaemon({ config });
  // The later sign-in replaces root's access token, so this one makes all changes.
  world.desk = await startTestDaemon({ config, databaseUrl: world.relay.databaseUrl });
  world.channelId = await world.desk.addChannel({ base_url: world.upstream.url, models: model });
});

test.after(async ({ relay, desk, upstream }) => {
  await desk.stop();
  await relay.stop();
  await upstream.close();
});

async function ask({ url }: TestDaemon, key: string): Promise<{ status: number; code: string | undefined }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  const body: unknown = await response.json();
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
  return { status: response.status, code };
}

/** Asks the other daemon until the change shows; answers how long that took. */
async function untilObeyed(holds: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  while (!(await holds())) {
    assert.ok(performance.now() - began < limitMs, 'the change did not arrive within two seconds');
    await sleep(10);
  }
  return performance.now() - began;
}

test('a channel that one of them disables gets no call of the other', async ({ relay, desk, upstream, channelId }) => {
  const key = await desk.addKey();
  await untilObeyed(async () => (await ask(relay, key)).status === 200);
  await desk.root.channels.setStatus({ id: channelId, status: 2 });
  assert.is((await ask(desk, key)).status, 503, 'at once where it was changed');
  const took = await untilObeyed(async () => (await ask(relay, key)).code === 'no_channel_for_model');
  if (withRedis) assert.ok(took < 900, `Redis is faster than the look at the table: ${took} ms`);
  const reached = upstream.requests.length;
  for (let at = 0; at < 5; at += 1) assert.is((await ask(relay, key)).status, 503);
  assert.is(upstream.requests.length, reached);
  await desk.root.channels.setStatus({ id: channelId, status: 1 });
  await untilObeyed(async () => (await ask(relay, key)).status === 200);
});

test('a key that one of them deletes is refused by the other', async ({ relay, desk }) => {
  const key = await desk.addKey();
  await untilObeyed(async () => (await ask(relay, key)).status === 200);
  const { items: rows } = await desk.root.tokens.list({});
  const id = rows.find((row) => `sk-${row.key}` === key)?.id ?? 0;
  await desk.root.tokens.delete({ id });
  await untilObeyed(async () => (await ask(relay, key)).status === 401);
});

test('an option that one of them sets is in force on the other', async ({ relay, desk }) => {
  const key = await desk.addKey();
  await untilObeyed(async () => (await ask(relay, key)).status === 200);
  await desk.root.options.set({ key: 'ModelRequestRateLimitSuccessCount', value: '1' });
  await desk.root.options.set({ key: 'ModelRequestRateLimitEnabled', value: 'true' });
  await untilObeyed(async () => (await ask(relay, key)).status === 429);
  const elsewhere = await ask(desk, key);
  // Redis counts for both; without it every node counts for itself.
  assert.is(elsewhere.status, withRedis ? 429 : 200);
  await desk.root.options.set({ key: 'ModelRequestRateLimitEnabled', value: 'false' });
  await untilObeyed(async () => (await ask(relay, key)).status === 200);
});

test.run();
