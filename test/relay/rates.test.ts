/** Requests and tokens a minute on a whole daemon (REQ-23): refusals, their headers and dialects, and what is corrected. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../daemon/contract/client.ts';
import { askAtOnce } from '../support/ask-at-once.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { until } from '../support/until.ts';
import { completion, streamOf } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
}

const test = suite<World>('relay: requests and tokens a minute');

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.daemon = await startTestDaemon({ options: { RetryTimes: '0' } });
  await world.daemon.addChannel({ base_url: world.upstream.url, models: 'gpt-4o,gpt-4o-mini,gpt-4.1' });
});
test.before.each(({ upstream }) => {
  upstream.script(jsonAnswer(completion()));
});
test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

interface Said {
  status: number;
  code: unknown;
  body: { error?: { code?: unknown; message?: string; type?: string; status?: string }; type?: string };
  /** Limit, remaining and reset of requests, then of tokens. */
  left: (string | null)[];
  retryAfter: number;
  requestId: string;
}

const headerNames = ['requests', 'tokens'].flatMap((kind) =>
  ['limit', 'remaining', 'reset'].map((part) => `x-ratelimit-${part}-${kind}`),
);

async function ask(
  { daemon }: World,
  key: string,
  over: { path?: string; body?: object; model?: string } = {},
): Promise<Said> {
  const { path = '/v1/chat/completions', model = 'gpt-4o' } = over;
  const body = over.body ?? { model, messages: [{ role: 'user', content: 'hi' }] };
  const answer = await fetch(`${daemon.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-goog-api-key': key },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  const parsed: Said['body'] = text.startsWith('{') ? JSON.parse(text) : {};
  return {
    status: answer.status,
    code: parsed.error?.code,
    body: parsed,
    left: headerNames.map((name) => answer.headers.get(name)),
    retryAfter: Number(answer.headers.get('retry-after')),
    requestId: answer.headers.get('x-request-id') ?? '',
  };
}

/** Sets the table for the time of the work. */
async function under({ daemon }: World, table: object, work: () => Promise<void>): Promise<void> {
  await daemon.root.options.set({ key: 'RateLimits', value: JSON.stringify(table) });
  try {
    await work();
  } finally {
    await daemon.root.options.set({ key: 'RateLimits', value: '{}' });
  }
}

test('says nothing of limits where none holds', async (world) => {
  const { left, status } = await ask(world, await world.daemon.addKey());
  assert.is(status, 200);
  assert.equal(left, Array(6).fill(null));
});

test('refuses what a key asks beyond its own limit, in every dialect, and asks nobody upstream', async (world) => {
  const key = await world.daemon.addKey({ rpm_limit: 2 });
  const before = world.upstream.requests.length;
  const first = await ask(world, key);
  assert.equal([first.status, ...first.left.slice(0, 2)], [200, '2', '1']);
  assert.match(first.left[2] ?? '', /^(5\d|6[01])s$/);
  assert.equal(first.left.slice(3), [null, null, null]);
  assert.is((await ask(world, key)).left[1], '0');

  const openai = await ask(world, key);
  assert.equal([openai.status, openai.code, openai.left[1]], [429, 'rate_limited:token_rpm', '0']);
  assert.match(openai.body.error?.message ?? '', /limit 2 per minute \(request id: /);
  assert.ok(openai.retryAfter > 50 && openai.retryAfter <= 61, String(openai.retryAfter));
  const messages = [{ role: 'user', content: 'hi' }];
  const anthropic = await ask(world, key, {
    path: '/v1/messages',
    body: { model: 'gpt-4o', max_tokens: 5, messages },
  });
  assert.equal([anthropic.status, anthropic.body.type, anthropic.body.error?.type], [429, 'error', 'rate_limit_error']);
  assert.ok(anthropic.retryAfter > 50, 'retry-after of Anthropic');
  const gemini = await ask(world, key, {
    path: '/v1beta/models/gpt-4o:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  });
  assert.equal([gemini.status, gemini.code, gemini.body.error?.status], [429, 429, 'RESOURCE_EXHAUSTED']);
  const streamed = await ask(world, key, { body: { model: 'gpt-4o', stream: true, messages } });
  assert.is(streamed.status, 429);

  assert.is(world.upstream.requests.length - before, 2);
  assert.is((await ask(world, await world.daemon.addKey({ rpm_limit: 2 }))).status, 200, 'another key');
  assert.is((await ask(world, key, { path: '/v1/nothing' })).status, 404);
});

test('holds tokens as estimated and corrects them by the bill, whole, streamed and failed', async (world) => {
  const key = await world.daemon.addKey({ tpm_limit: 1000 });
  const remaining = async (over?: object) => Number((await ask(world, key, { body: { ...chat, ...over } })).left[4]);
  const first = await remaining({ max_tokens: 100 });
  const estimate = 1000 - first;
  assert.ok(estimate > 100 && estimate < 120, `prompt and answer are expected: ${estimate}`);
  // 12 of the prompt and 5 of the answer, as the upstream said.
  assert.is(await remaining({ max_tokens: 100 }), 1000 - 17 - estimate);
  world.upstream.script(sseAnswer(streamOf(['Hello', ' there'])));
  assert.is(await remaining({ max_tokens: 100, stream: true }), 1000 - 34 - estimate);
  world.upstream.script({ status: 500 });
  assert.is(await remaining({ max_tokens: 100 }), 1000 - 51 - estimate);
  world.upstream.script(jsonAnswer(completion()));
  assert.is(await remaining(), 1000 - 51 - (estimate - 100) - 512, 'what failed was given back');
  const large = completion({ usage: { prompt_tokens: 900, completion_tokens: 95, total_tokens: 995 } });
  world.upstream.script(jsonAnswer(large));
  assert.is((await ask(world, key)).status, 200);
  const refused = await ask(world, key);
  assert.equal([refused.status, refused.code, refused.left[4]], [429, 'rate_limited:token_tpm', '0']);
});

test('lets no more begin at once than the limit has room for', async (world) => {
  const key = await world.daemon.addKey({ tpm_limit: 1100 });
  const before = world.upstream.requests.length;
  const rush = { upstream: world.upstream, answer: jsonAnswer(completion()), calls: 10, room: 3 };
  const said = await askAtOnce(rush, () => ask(world, key));
  assert.is(said.filter(({ status }) => status === 200).length, 3);
  assert.is(world.upstream.requests.length - before, 3);
  world.upstream.script(jsonAnswer(completion()));
  assert.is((await ask(world, key)).status, 200, 'once it is known how little they used');
});

const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };

test('limits users, groups and models by the table, from the moment it is saved', async (world) => {
  const { daemon } = world;
  const [key, other] = [await daemon.addKey(), await daemon.addKey()];
  await under(world, { user: { root: { rpm: 1 } } }, async () => {
    assert.equal([(await ask(world, key)).status, (await ask(world, other)).code], [200, 'rate_limited:user_rpm']);
  });
  assert.is((await ask(world, key)).status, 200);
  await under(world, { group: { default: { tpm: 20 } } }, async () => {
    assert.equal([(await ask(world, key)).status, (await ask(world, other)).code], [200, 'rate_limited:group_tpm']);
  });
  await under(world, { model: { 'gpt-4o*': { rpm: 1 } } }, async () => {
    const said = [];
    for (const model of ['gpt-4o', 'gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'gpt-4.1']) {
      const { code, status } = await ask(world, key, { model });
      said.push(code ?? status);
    }
    assert.equal(said, [200, 'rate_limited:model_rpm', 200, 200, 200]);
  });
});

test('lets so many calls of a user run at once, until they end, break off or are left', async (world) => {
  const { upstream } = world;
  const key = await world.daemon.addKey();
  await under(world, { user: { root: { concurrency: 2 } } }, async () => {
    const rush = { upstream, answer: jsonAnswer(completion()), calls: 5, room: 2 };
    const said = await askAtOnce(rush, () => ask(world, key));
    const refused = said.filter(({ status }) => status === 429);
    assert.equal(said.filter(({ status }) => status === 200).length, 2);
    for (const { code, retryAfter } of refused) assert.equal([code, retryAfter], ['rate_limited:user_concurrency', 1]);
    // Places of calls that fail, and of clients that leave, come free as well.
    upstream.script(jsonAnswer({ error: { message: 'no' } }, 400));
    for (let call = 0; call < 4; call += 1) assert.is((await ask(world, key)).status, 400);
    upstream.script(sseAnswer(streamOf(['a', 'b']).slice(0, 2), { end: 'hang' }));
    for (let call = 0; call < 4; call += 1) {
      const leaving = new AbortController();
      const answer = await fetch(`${world.daemon.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ ...chat, stream: true }),
        signal: leaving.signal,
      });
      assert.is(answer.status, 200);
      leaving.abort();
      await upstream.requests.at(-1)?.aborted;
      await until(() => world.daemon.daemon.running() === 0);
    }
    upstream.script(jsonAnswer(completion()));
    assert.is((await ask(world, key)).status, 200);
  });
});

test('lets so many calls of one key run at once, beside those of the other keys of its owner', async (world) => {
  const { daemon, upstream } = world;
  const { id, key } = await daemon.root.tokens.create({ name: 'narrow', unlimited_quota: true, concurrency_limit: 2 });
  const answer = jsonAnswer(completion());
  const said = await askAtOnce({ upstream, answer, calls: 4, room: 2 }, () => ask(world, `sk-${key}`));
  const refused = said.filter(({ status }) => status === 429);
  assert.equal(
    refused.map(({ code, retryAfter }) => [code, retryAfter]),
    Array(2).fill(['rate_limited:token_concurrency', 1]),
  );
  const other = await daemon.addKey();
  const free = await askAtOnce({ upstream, answer, calls: 4, room: 4 }, () => ask(world, other));
  assert.equal(
    free.map(({ status }) => status),
    Array(4).fill(200),
  );
  // The change is in force with the next call.
  await daemon.root.tokens.update({ id, concurrency_limit: 0 });
  const lifted = await askAtOnce({ upstream, answer, calls: 4, room: 4 }, () => ask(world, `sk-${key}`));
  assert.equal(
    lifted.map(({ status }) => status),
    Array(4).fill(200),
  );
});

test('keeps keys of a channel to the calls at once and tokens a minute that they may have', async (world) => {
  const { daemon, upstream } = world;
  const { root } = daemon;
  const model = 'gpt-4.1-nano';
  const id = await daemon.addChannel({ base_url: upstream.url, models: model, key: 'sk-one\nsk-two' });
  const key = await daemon.addKey();
  const keys = await root.channels.keys({ id });
  for (const { key_hash } of keys) await root.channels.setKey({ id, key_hash, concurrency: 1 });
  const before = upstream.requests.length;
  const rush = { upstream, answer: jsonAnswer(completion()), calls: 4, room: 2 };
  const said = await askAtOnce(rush, () => ask(world, key, { model }));
  assert.equal(said.map(({ status }) => status).sort(), [200, 200, 429, 429]);
  const refused = said.find(({ status }) => status === 429);
  assert.equal([refused?.code, refused?.retryAfter], ['all_channels_cooling', 1]);
  const used = upstream.requests.slice(before).map(({ headers }) => headers.authorization);
  assert.equal(used.sort(), ['Bearer sk-one', 'Bearer sk-two'], 'one call of each key');

  upstream.script(jsonAnswer(completion()));
  for (const { key_hash } of keys) await root.channels.setKey({ id, key_hash, concurrency: 0, tpm: 17 });
  for (let call = 0; call < 2; call += 1) assert.is((await ask(world, key, { model })).status, 200);
  const spent = await ask(world, key, { model });
  assert.equal([spent.status, spent.code], [429, 'all_channels_cooling']);
  assert.ok(spent.retryAfter > 30 && spent.retryAfter <= 61, String(spent.retryAfter));
  const [row] = await root.channels.keys({ id });
  assert.equal([row?.tpm, row?.concurrency, row?.cap], [17, 0, 0]);
  await root.channels.delete({ id });
});

test('sets and shows limits in one place, wherever they are kept', async (world) => {
  const { root } = world.daemon;
  const { id, key } = await root.tokens.create({ name: 'one place', expired_time: -1, unlimited_quota: true });
  await root.limits.set({ on: `token:${id}`, rpm: 5 });
  await root.limits.set({ on: 'user:root', tpm: 50_000, concurrency: 7 });
  await root.limits.set({ on: 'user:root', rpm: 90 });
  await root.limits.set({ on: 'model:gpt-*', rpm: 1000 });
  const [channelKey] = await root.channels.keys({ id: 1 });
  const ofKey = `channel-key:1/${channelKey?.key_hash}`;
  await root.limits.set({ on: ofKey, rpm: 300, tpm: 70_000 });
  try {
    assert.is((await ask(world, `sk-${key}`)).status, 200);
    const shown = async () =>
      (await root.limits.list())
        .filter(({ on }) => on !== 'token:1' && [`token:${id}`, 'user:root', 'model:gpt-*', ofKey].includes(on))
        // Calls of the tests before are requests of the same user.
        .map(({ on, kind, limit, used }) => `${on} ${kind} ${limit === 90 ? 'n' : used}/${limit}`);
    await until(async () => (await shown()).includes('user:root tpm 17/50000'));
    assert.equal(await shown(), [
      `token:${id} rpm 1/5`,
      'user:root rpm n/90',
      'user:root tpm 17/50000',
      'user:root concurrency null/7',
      'model:gpt-* rpm null/1000',
      `${ofKey} rpm 1/300`,
      `${ofKey} tpm 17/70000`,
    ]);
    await root.limits.set({ on: `token:${id}`, concurrency: 2 });
    assert.equal((await shown()).slice(0, 2), [`token:${id} rpm 1/5`, `token:${id} concurrency null/2`]);
    for (const on of [`token:${id}`, 'user:root', 'model:gpt-*', ofKey]) await root.limits.delete({ on });
    assert.equal(await shown(), []);
    for (const on of ['user:root', 'model:constructor']) {
      const gone = await root.limits.delete({ on }).catch((error: unknown) => error);
      assert.is(gone instanceof ApiError ? gone.code : gone, 'limit_not_found', on);
    }
    // Names of users and groups have no beginnings that stand for many, as those of models have.
    for (const on of ['user:roto', 'user:ro*', 'group:defualt', 'group:def*', 'group:auto']) {
      const misspelt = await root.limits.set({ on, rpm: 1 }).catch((error: unknown) => error);
      const code = on.startsWith('user:') ? 'user_not_found' : 'group_unknown';
      assert.equal(misspelt instanceof ApiError ? [misspelt.code, misspelt.field] : misspelt, [code, 'on']);
    }
    await root.options.set({ key: 'AutoGroups', value: '["default"]' });
    for (const on of ['group:*', 'group:default', 'group:auto', 'user:*', 'model:not-served-yet'])
      await root.limits.set({ on, rpm: 9000 });
  } finally {
    await root.options.set({ key: 'AutoGroups', value: '[]' });
    await root.options.set({ key: 'RateLimits', value: '{}' });
  }
});

test('go along with users who take another name, or are given one, and end with who is removed for good', async (world) => {
  const { root } = world.daemon;
  const shown = async () =>
    (await root.limits.list())
      .filter(({ on }) => on.startsWith('user:'))
      .map(({ on, kind, limit }) => `${on} ${kind} ${limit}`)
      .sort();
  const { id } = await root.users.create({ username: 'lodger', password: 'a long password' });
  const other = await root.users.create({ username: 'constructor', password: 'a long password' });
  await root.limits.set({ on: 'user:root', rpm: 90 });
  await root.limits.set({ on: 'user:LODGER', tpm: 500, concurrency: 2 });
  await root.limits.set({ on: 'user:lodger', rpm: 0 });
  try {
    await root.account.update({ username: 'captain' });
    await root.users.update({ id, username: 'Lodger' });
    await root.users.update({ id: other.id, username: 'builder' });
    assert.equal(await shown(), ['user:Lodger concurrency 2', 'user:Lodger tpm 500', 'user:captain rpm 90']);
    assert.is((await ask(world, await world.daemon.addKey())).left[0], '90');
    await root.users.update({ id, display_name: 'Somebody' });
    assert.is((await shown()).length, 3);
    await root.users.delete({ id });
    assert.is((await shown()).length, 3, 'the name is still taken');
    await root.users.delete({ id, purge: true });
    assert.equal(await shown(), ['user:captain rpm 90'], 'whoever takes the name next is somebody else');
  } finally {
    await root.account.update({ username: 'root' });
    await root.options.set({ key: 'RateLimits', value: '{}' });
  }
});

test('shows the tighter of two limits of requests', async (world) => {
  const { root } = world.daemon;
  const key = await world.daemon.addKey({ rpm_limit: 5 });
  await root.options.set({ key: 'ModelRequestRateLimitCount', value: '3' });
  await root.options.set({ key: 'ModelRequestRateLimitEnabled', value: 'true' });
  try {
    assert.equal((await ask(world, key)).left.slice(0, 2), ['3', '2']);
    assert.equal((await ask(world, await world.daemon.addKey({ rpm_limit: 1 }))).left.slice(0, 2), ['1', '0']);
  } finally {
    await root.options.set({ key: 'ModelRequestRateLimitEnabled', value: 'false' });
  }
});

test('counts nothing for a call that is refused for another reason, and holds no quota for one it refuses', async (world) => {
  const { daemon } = world;
  const key = await daemon.addKey({ rpm_limit: 1 });
  assert.is((await ask(world, key, { model: 'no-such-model' })).status, 404);
  assert.is((await ask(world, key)).status, 200);
  const refused = await ask(world, key);
  assert.is(refused.status, 429);
  assert.is(await daemon.daemon.foundation.database.stores.reservations.find(refused.requestId), undefined);
});

test('refuses a table and limits of a key that make no sense', async ({ daemon }) => {
  for (const value of [
    '{"user":{"ann":{"rpm":-1}}}',
    '{"user":{"ann":{"rps":1}}}',
    '{"token":{"ann":{"rpm":1}}}',
    '{"nobody":{}}',
    '[]',
  ]) {
    const refused = await daemon.root.options.set({ key: 'RateLimits', value }).catch((error: unknown) => error);
    assert.match(String(refused), 'RateLimits', value);
  }
  for (const limit of [-1, 1.5, 2_000_000_000, 'many']) {
    for (const member of ['rpm_limit', 'tpm_limit', 'concurrency_limit']) {
      const refused = await daemon.addKey({ [member]: limit }).catch((error: unknown) => error);
      const said = refused instanceof ApiError ? [refused.code, refused.field] : refused;
      assert.equal(said, ['token_rate_invalid', member], `${member} ${limit}`);
    }
  }
});

test('tells whose limit it is, and what a request counts that is above a limit of tokens by itself', async (world) => {
  const long = { ...chat, messages: [{ role: 'user', content: 'word '.repeat(300) }] };
  const refused = await ask(world, await world.daemon.addKey({ tpm_limit: 50 }), { body: long });
  assert.match(
    refused.body.error?.message ?? '',
    /^Too many tokens with this key: this request counts \d{3}, limit 50 /,
  );
  await under(world, { user: { '*': { tpm: 50 } } }, async () => {
    const { body } = await ask(world, await world.daemon.addKey(), { body: long });
    assert.match(body.error?.message ?? '', /^Too many tokens of this account: this request counts \d{3}, limit 50 /);
  });
  await under(world, { user: { '*': { rpm: 1 } } }, async () => {
    const key = await world.daemon.addKey();
    await ask(world, key);
    assert.match((await ask(world, key)).body.error?.message ?? '', /^Too many requests of this account, limit 1 /);
  });
});

test.run();
