/** Balances under pressure, on a whole daemon: nobody spends what is not there, and no store gives up. */
import { Redis } from 'ioredis';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { signedIn } from '../support/api-browser.ts';
import { askAtOnce } from '../support/ask-at-once.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { gate } from '../support/gate.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import { testRedisUrl } from '../support/servers.ts';
import { until, untilPasses } from '../support/until.ts';
import { completion } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  books: LedgerInvariants;
}

const balance = suite<World>('balances under pressure');
const model = 'gpt-4o';
/** Names of this daemon's keys in Redis. */
const counterPrefix = `balance-${process.pid}:`;

balance.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.daemon = await startTestDaemon({
    config: { 'relay.max_concurrent_per_user': 1000, 'redis.key_prefix': counterPrefix },
  });
  await world.daemon.addChannel({ base_url: world.upstream.url, models: model });
  world.books = await LedgerInvariants.begin(world.daemon.databaseUrl);
});

balance.after(async (world) => {
  await world.books.end();
  await world.daemon.stop();
  await world.upstream.close();
});

function chat(world: World, key: string, body: object): Promise<Response> {
  return fetch(`${world.daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], ...body }),
  });
}

async function newUser(world: World, name: string, quota: number): Promise<{ id: number; key: string }> {
  const { root } = world.daemon;
  const user = await root.users.create({ username: name, password: 'a good password', quota });
  const client = await signedIn(world.daemon.url, { username: name, password: 'a good password' });
  const token = await client.tokens.create({ name: 'pressed', expired_time: -1, unlimited_quota: true });
  return { id: user.id, key: `sk-${token.key}` };
}

balance('of 50 calls at once on a balance for five, at most five reach the upstream', async (world) => {
  // One hold: (max(prompt, 500) + 1000 x 4) x 1.25 = 5625 units.
  const hold = 5625;
  const { id, key } = await newUser(world, 'five', hold * 5);
  const answer = jsonAnswer(
    completion({ model, usage: { prompt_tokens: 500, completion_tokens: 1000, total_tokens: 1500 } }),
  );
  const before = world.upstream.requests.length;
  const rush = { upstream: world.upstream, answer, calls: 50, room: 5 };
  const [answers] = await Promise.all([askAtOnce(rush, () => chat(world, key, { max_tokens: 1000 })), spoilCounters()]);
  const statuses = answers.map((answer) => answer.status);
  assert.is(world.upstream.requests.length - before, 5);
  assert.is(statuses.filter((status) => status === 200).length, 5);
  assert.is(statuses.filter((status) => status === 403).length, 45);
  const refusal: unknown = await answers.find((answer) => answer.status === 403)?.json();
  assert.match(JSON.stringify(refusal), /"code":"insufficient_user_quota"/);
  await settled(world);
  assert.is((await world.daemon.root.users.get({ id })).quota, 0);
});

balance('200 streams at once of one user are answered, charged and logged one by one', async (world) => {
  const { id, key } = await newUser(world, 'streams', 1_000_000_000);
  const chunk = (delta: object, finish: string | null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  world.upstream.script(
    sseAnswer(
      [
        chunk({ role: 'assistant', content: '' }, null),
        ...Array.from({ length: 20 }, (_, index) => chunk({ content: ` word${index}` }, null)),
        chunk({}, 'stop'),
        { ...chunk({}, null), choices: [], usage: { prompt_tokens: 100, completion_tokens: 40, total_tokens: 140 } },
        '[DONE]',
      ],
      { pauseMs: 5 },
    ),
  );
  const texts = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const answer = await chat(world, key, { stream: true });
      assert.is(answer.status, 200);
      return answer.text();
    }),
  );
  for (const text of texts) assert.ok(text.endsWith('data: [DONE]\n\n'));
  await settled(world);
  const user = await world.daemon.root.users.get({ id });
  // (100 + 40 x 4) x 1.25 = 325 units a stream.
  assert.is(user.used_quota, 325 * 200);
  assert.is(user.quota, 1_000_000_000 - 325 * 200);
  assert.is(user.request_count, 200);
  const rows = await world.daemon.root.logs.list({ username: 'streams', type: 2, page_size: 1000 });
  assert.is(rows.total, 200);
  assert.is(world.daemon.log.filter((line) => /locked/i.test(line)).length, 0);
});

balance('a key whose quota is all held by a running call serves again when that gave some back', async (world) => {
  const hold = 5625;
  const key = await world.daemon.addKey({ unlimited_quota: false, remain_quota: hold });
  await world.books.end();
  world.books = await LedgerInvariants.begin(world.daemon.databaseUrl);
  const answer = jsonAnswer(
    completion({ model, usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } }),
  );
  const { open: finish, opened: mayFinish } = gate();
  world.upstream.script(async () => {
    await mayFinish;
    return answer;
  });
  const before = world.upstream.requests.length;
  const running = chat(world, key, { max_tokens: 1000 });
  await until(() => world.upstream.requests.length > before);
  // Longer than a key's facts are remembered, so that the second call sees that nothing is left.
  await new Promise((resolve) => setTimeout(resolve, 2200));
  const second = await chat(world, key, { max_tokens: 1000 });
  finish();
  assert.is(second.status, 401);
  assert.match(await second.text(), /token_exhausted/);
  assert.is((await running).status, 200);
  await settled(world);
  world.upstream.script(answer);
  await new Promise((resolve) => setTimeout(resolve, 2200));
  assert.is((await chat(world, key, { max_tokens: 10 })).status, 200);
  await settled(world);
});

/** Deletes and spoils what Redis knows while calls run, where there is one: balances must not depend on it (REQ-5). */
async function spoilCounters(): Promise<void> {
  const url = testRedisUrl();
  if (url === undefined) return;
  const redis = new Redis(url);
  try {
    for (let round = 0; round < 20; round += 1) {
      const keys = await redis.keys(`${counterPrefix}*`);
      if (round % 2 === 1) for (const key of keys) await redis.set(key, 'spoiled');
      else if (keys.length > 0) await redis.del(keys);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  } finally {
    redis.disconnect();
  }
}

/** Waits until all settlements are in the books, and checks the books. */
async function settled(world: World): Promise<void> {
  await untilPasses(() => world.books.check());
}

balance.run();
