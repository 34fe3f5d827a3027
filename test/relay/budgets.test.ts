/** Budgets by the period on a whole daemon (REQ-22): refusals in every dialect, what they count, and channels. */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import type { BudgetView } from '../../daemon/contract/budgets.ts';
import { askAtOnce } from '../support/ask-at-once.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { startSocketServer } from '../support/socket-server.ts';
import { until } from '../support/until.ts';
import { accepted } from './drawing-world.ts';
import { completion, streamOf } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  nowMs: number;
}

const test = suite<World>('relay: budgets by the period');

const noon = Date.parse('2026-10-24T10:00:00Z');

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.nowMs = noon;
  world.daemon = await startTestDaemon({
    config: { 'site.time_zone': 'Europe/Berlin' },
    clock: { now: () => world.nowMs, monotonic: () => performance.now() },
    options: { RetryTimes: '2' },
  });
  await world.daemon.addChannel({ base_url: world.upstream.url, models: 'gpt-4o,gpt-4o-mini' });
});
test.before.each((world) => {
  world.nowMs = noon;
  world.upstream.script(jsonAnswer(completion()));
});
test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

async function ask({ daemon }: World, key: string, over: { path?: string; body?: object; language?: string } = {}) {
  const { path = '/v1/chat/completions', language = 'en' } = over;
  const answer = await fetch(`${daemon.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'accept-language': language,
      authorization: `Bearer ${key}`,
      'x-goog-api-key': key,
    },
    body: JSON.stringify(over.body ?? { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
  });
  const text = await answer.text();
  const body: { type?: string; error?: { code?: unknown; message?: string; type?: string; status?: string } } =
    text.startsWith('{') ? JSON.parse(text) : {};
  const { headers, status } = answer;
  return { status, body, code: body.error?.code, retryAfter: Number(headers.get('retry-after')) };
}

/** A key with budgets: its secret, and how calls name it. */
async function budgeted({ daemon }: World, ...budgets: Pick<BudgetView, 'kind' | 'per' | 'limit'>[]) {
  const { id, key } = await daemon.root.tokens.create({ name: 'b', expired_time: -1, unlimited_quota: true });
  const on = `token:${id}`;
  for (const budget of budgets) await daemon.root.budgets.set({ on, ...budget });
  return { id, key: `sk-${key}`, on };
}

/** What is used of each budget, once so much is. */
async function usedOf({ daemon }: World, on: string, used: number): Promise<BudgetView[]> {
  let items: BudgetView[] = [];
  await until(async () => {
    items = (await daemon.root.budgets.list({ on })).items;
    return items.some((budget) => budget.used === used);
  });
  return items;
}

const requestsADay = { kind: 'requests', per: 'day', limit: 2 } as const;

test('refuses in every dialect what a key asks beyond its budget, names it, and asks nobody', async (world) => {
  const { key, on } = await budgeted(world, requestsADay);
  const before = world.upstream.requests.length;
  for (let call = 0; call < 2; call += 1) assert.is((await ask(world, key)).status, 200);
  const [budget] = await usedOf(world, on, 2);
  assert.equal([budget?.limit, budget?.used, budget?.name], [2, 2, 'b']);
  assert.is(budget?.resets_at, Date.parse('2026-10-24T22:00:00Z') / 1000);

  const openai = await ask(world, key);
  assert.equal([openai.status, openai.code, openai.retryAfter], [429, 'budget_exceeded', 12 * 3600]);
  const reason = '2 requests per day of this key, which begins anew at 2026-10-25 00:00 (Europe/Berlin)';
  assert.match(openai.body.error?.message ?? '', `Budget exceeded: ${reason} (request id: `);
  const chinese = await ask(world, key, { language: 'zh' });
  const zh = '预算已用完：该令牌每天 2 次请求，将于 2026-10-25 00:00 (Europe/Berlin) 重置';
  assert.match(chinese.body.error?.message ?? '', zh);
  const messages = [{ role: 'user', content: 'hi' }];
  const anthropic = await ask(world, key, { path: '/v1/messages', body: { model: 'gpt-4o', max_tokens: 5, messages } });
  assert.equal([anthropic.status, anthropic.body.type, anthropic.body.error?.type], [429, 'error', 'rate_limit_error']);
  assert.match(anthropic.body.error?.message ?? '', reason);
  const gemini = await ask(world, key, {
    path: '/v1beta/models/gpt-4o:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  });
  assert.equal([gemini.status, gemini.code, gemini.body.error?.status], [429, 429, 'RESOURCE_EXHAUSTED']);
  assert.equal([gemini.retryAfter, anthropic.retryAfter], [12 * 3600, 12 * 3600]);
  const responses = await ask(world, key, { path: '/v1/responses', body: { model: 'gpt-4o', input: 'hi' } });
  assert.equal([responses.status, responses.code], [429, 'budget_exceeded']);
  assert.match(responses.body.error?.message ?? '', reason);
  assert.is((await ask(world, key, { body: { model: 'gpt-4o', stream: true, messages } })).status, 429);
  assert.is(world.upstream.requests.length - before, 2);

  // The night in which the clock goes back: the day after has 25 hours.
  world.nowMs = Date.parse('2026-10-24T22:00:00Z');
  assert.is((await ask(world, key)).status, 200, 'a new day');
  assert.is((await usedOf(world, on, 1))[0]?.resets_at, Date.parse('2026-10-25T23:00:00Z') / 1000);
});

test('counts quota, tokens and calls as they are charged, and a call once however often it is tried', async (world) => {
  const { key, on } = await budgeted(
    world,
    { kind: 'quota', per: 'month', limit: 1_000_000 },
    { kind: 'tokens', per: 'week', limit: 1_000_000 },
    { kind: 'requests', per: 'hour', limit: 100 },
  );
  const tried = world.upstream.requests.length;
  world.upstream.script((_, at) => (at === tried ? { status: 500 } : jsonAnswer(completion())));
  const second = await world.daemon.addChannel({ base_url: world.upstream.url, models: 'gpt-4o', name: 'second' });
  const before = world.upstream.requests.length;
  assert.is((await ask(world, key)).status, 200);
  assert.is(world.upstream.requests.length - before, 2, 'it was tried twice');
  const used = Object.fromEntries((await usedOf(world, on, 17)).map((budget) => [budget.kind, budget.used]));
  const { items: rows } = await world.daemon.root.logs.list({ token_name: 'b', type: 2 });
  assert.equal(used, { requests: 1, tokens: 17, quota: rows[0]?.quota });
  assert.ok((used.quota ?? 0) > 0);
  await world.daemon.root.channels.delete({ id: second });

  world.upstream.script({ status: 400 });
  assert.is((await ask(world, key)).status, 400);
  world.upstream.script(sseAnswer(streamOf(['Hello', ' there'])));
  const messages = [{ role: 'user', content: 'hi' }];
  assert.is((await ask(world, key, { body: { model: 'gpt-4o', stream: true, messages } })).status, 200);
  const after = Object.fromEntries((await usedOf(world, on, 34)).map((budget) => [budget.kind, budget.used]));
  assert.equal([after.requests, after.tokens], [2, 34], 'what failed took nothing');
});

test('lets no more begin at once than the budget has room for, and gives back what was not spent', async (world) => {
  const { key } = await budgeted(world, { kind: 'requests', per: 'month', limit: 3 });
  const rush = { upstream: world.upstream, calls: 8, room: 3 };
  const answer = jsonAnswer({ error: { message: 'no' } }, 400);
  const failed = await askAtOnce({ ...rush, answer }, () => ask(world, key));
  assert.is(failed.filter(({ status }) => status === 429).length, 5);
  const said = await askAtOnce({ ...rush, answer: jsonAnswer(completion()) }, () => ask(world, key));
  assert.is(said.filter(({ status }) => status === 200).length, 3);
});

test('keeps the account to its budget whichever key asks, and the first that is spent refuses', async (world) => {
  const { root } = world.daemon;
  const { key, id } = await budgeted(world, { kind: 'requests', per: 'day', limit: 50 });
  const on = `user:${(await root.tokens.get({ id })).user_id}`;
  await root.budgets.set({ on, kind: 'quota', per: 'hour', limit: 1 });
  try {
    const refused = await ask(world, key);
    assert.equal([refused.status, refused.code], [429, 'budget_exceeded']);
    assert.match(refused.body.error?.message ?? '', /quota per hour of this account/);
  } finally {
    await root.budgets.delete({ on, kind: 'quota', per: 'hour' });
  }
  assert.is((await ask(world, key)).status, 200, 'from the moment it is deleted');
});

test('passes over a channel whose budget is spent, says so, and refuses when no other is left', async (world) => {
  const { root } = world.daemon;
  const spare = await startFakeUpstream(jsonAnswer(completion()));
  const models = 'gpt-4.1';
  const first = await world.daemon.addChannel({ base_url: world.upstream.url, models, priority: 9, name: 'first' });
  const second = await world.daemon.addChannel({ base_url: spare.url, models, name: 'second' });
  const key = await world.daemon.addKey();
  const body = { model: models, messages: [{ role: 'user', content: 'hi' }] };
  await root.budgets.set({ on: `channel:${first}`, kind: 'requests', per: 'day', limit: 1 });
  assert.is((await ask(world, key, { body })).status, 200);
  assert.is(spare.requests.length, 0);
  assert.is((await ask(world, key, { body })).status, 200);
  assert.is(spare.requests.length, 1);
  const { candidates, excluded } = await root.channels.explain({ model: models, endpoint: '/v1/chat/completions' });
  assert.equal(
    candidates.map((candidate) => candidate.channel_id),
    [second],
  );
  const [left] = excluded.filter((channel) => channel.channel_id === first);
  assert.equal([left?.reason, left?.free_in_ms], ['budget', 12 * 3_600_000]);

  await root.budgets.set({ on: `channel:${second}`, kind: 'tokens', per: 'day', limit: 1 });
  assert.is((await ask(world, key, { body })).status, 200, 'what was taken before the budget was set is not counted');
  const refused = await ask(world, key, { body });
  assert.equal([refused.status, refused.code, refused.retryAfter], [429, 'all_channels_cooling', 12 * 3600]);
  assert.is((await ask(world, `${key}-${first}`, { body })).status, 429, 'nor by name');
  world.nowMs += 12 * 3_600_000;
  assert.is((await ask(world, key, { body })).status, 200);
  await spare.close();
});

test('lets no more calls reach a channel at once than its budget has room for', async (world) => {
  const { root } = world.daemon;
  const models = 'gpt-4.1-mini';
  const channel = await world.daemon.addChannel({ base_url: world.upstream.url, models, name: 'prepaid' });
  const key = await world.daemon.addKey();
  const body = { model: models, messages: [{ role: 'user', content: 'hi' }] };
  await root.budgets.set({ on: `channel:${channel}`, kind: 'requests', per: 'day', limit: 3 });
  const rush = { upstream: world.upstream, calls: 8, room: 3 };
  const failing = jsonAnswer({ error: { message: 'no' } }, 400);
  const failed = await askAtOnce({ ...rush, answer: failing }, () => ask(world, key, { body }));
  const waits = failed.filter(({ status }) => status === 429).map(({ retryAfter }) => retryAfter);
  assert.equal(waits, [1, 1, 1, 1, 1], 'what runs may yet give its place back');
  const said = await askAtOnce({ ...rush, answer: jsonAnswer(completion()) }, () => ask(world, key, { body }));
  assert.is(said.filter(({ status }) => status === 200).length, 3);
  assert.is((await ask(world, key, { body })).retryAfter, 12 * 3600);
});

test('lets no more drawings be ordered of a channel at once than its budget has room for', async (world) => {
  const { root } = world.daemon;
  const on = `channel:${await world.daemon.addChannel({ base_url: world.upstream.url, models: 'mj_imagine', type: 5 })}`;
  const key = await world.daemon.addKey();
  const order = () => ask(world, key, { path: '/mj/submit/imagine', body: { prompt: 'a cat' } });
  await root.budgets.set({ on, kind: 'requests', per: 'day', limit: 3 });
  const rush = { upstream: world.upstream, calls: 8, room: 3 };
  const failed = await askAtOnce({ ...rush, answer: jsonAnswer({ description: 'no' }, 400) }, order);
  assert.is(failed.filter(({ retryAfter }) => retryAfter === 1).length, 5, 'what runs may yet give its place back');
  const said = await askAtOnce({ ...rush, answer: accepted() }, order);
  assert.is(said.filter(({ status }) => status === 200).length, 3);
  assert.is((await order()).retryAfter, 12 * 3600);
  assert.is((await usedOf(world, on, 3)).length, 1);
});

test('a realtime session keeps its place in the budget of its channel until it ends, and gives back one that failed', async (world) => {
  const { root } = world.daemon;
  const models = 'gpt-realtime';
  const server = await startSocketServer(() => undefined);
  const on = `channel:${await world.daemon.addChannel({ base_url: server.url, models })}`;
  const authorization = `Bearer ${await world.daemon.addKey()}`;
  const open = async () => {
    const address = `${world.daemon.url.replace('http', 'ws')}/v1/realtime?model=${models}`;
    const socket = new WebSocket(address, ['realtime'], { headers: { authorization } }).on('error', () => undefined);
    const wait = await Promise.race([
      once(socket, 'open').then(() => 0),
      once(socket, 'unexpected-response').then(([, answer]) => Number(answer.headers['retry-after'])),
    ]);
    return { socket, wait };
  };
  try {
    await root.budgets.set({ on, kind: 'requests', per: 'day', limit: 2 });
    server.refuse(400);
    await Promise.all([open(), open(), open()]);
    server.refuse(undefined);
    const rush = await Promise.all(Array.from({ length: 6 }, open));
    assert.equal(rush.map(({ wait }) => wait).sort(), [0, 0, 1, 1, 1, 1]);
    for (const { socket } of rush) socket.close();
    await usedOf(world, on, 2);
    assert.is((await open()).wait, 12 * 3600);
  } finally {
    await server.close();
  }
});

test('ends a realtime session after the turn that leaves nothing of the budget of its key', async (world) => {
  const models = 'gpt-realtime';
  const usage = { total_tokens: 600, input_tokens: 500, output_tokens: 100 };
  const answer = JSON.stringify({ type: 'response.done', response: { status: 'completed', usage } });
  const server = await startSocketServer((socket) => socket.on('message', () => socket.send(answer)));
  await world.daemon.addChannel({ base_url: server.url, models });
  const { key, on } = await budgeted(world);
  await world.daemon.root.budgets.set({ on, kind: 'tokens', per: 'day', limit: 1000 });
  const address = `${world.daemon.url.replace('http', 'ws')}/v1/realtime?model=${models}`;
  const socket = new WebSocket(address, ['realtime'], { headers: { authorization: `Bearer ${key}` } });
  const heard: string[] = [];
  socket.on('message', (data) => heard.push(String(data)));
  const closed = once(socket, 'close');
  try {
    await once(socket, 'open');
    socket.send('{"type":"response.create"}');
    await until(() => heard.length > 0);
    socket.send('{"type":"response.create"}');
    assert.is((await closed)[0], 1008);
    assert.equal(heard.slice(0, -1), [answer, answer]);
    assert.match(heard.at(-1) ?? '', /budget_exceeded/);
    await usedOf(world, on, 1200);
  } finally {
    socket.terminate();
    await server.close();
  }
});

test('counts a call that a budget refuses under no other limit: the other keys of its owner serve on', async (world) => {
  const { root } = world.daemon;
  const [spent, other] = [await budgeted(world, { ...requestsADay, limit: 1 }), await budgeted(world)];
  const limits = {
    RateLimits: '{"user":{"root":{"rpm":3,"tpm":5000}}}',
    ModelRequestRateLimitCount: '3',
    ModelRequestRateLimitEnabled: 'true',
  };
  for (const [key, value] of Object.entries(limits)) await root.options.set({ key, value });
  try {
    const codes: unknown[] = [];
    for (const { key } of [spent, spent, spent, spent, other, other, other]) {
      const { code, status } = await ask(world, key);
      codes.push(code ?? status);
    }
    const refused = Array(3).fill('budget_exceeded');
    assert.equal(codes, [200, ...refused, 200, 200, 'rate_limited:user_requests']);
    await root.options.set({ key: 'ModelRequestRateLimitEnabled', value: 'false' });
    assert.is((await ask(world, other.key)).code, 'rate_limited:user_rpm');
  } finally {
    await root.options.set({ key: 'ModelRequestRateLimitEnabled', value: 'false' });
    await root.options.set({ key: 'RateLimits', value: '{}' });
  }
});

test.run();
