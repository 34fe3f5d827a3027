/**
 * The behaviours that relay.md 19.3 demands, by their numbers there, on a whole daemon and the database of the pass. Others
 * of that list have files of their own that run on both databases too: 5 balance, 13 test/ledger, 14 and 18 limits,
 * 20 playground; 22 (content-log) looks into the files of SQLite, 7 and 8 (flow) touch no database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type Answer, type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { gate } from '../support/gate.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import { resolvesWithin, until, untilPasses } from '../support/until.ts';
import { chatRequest, chunk, completion, finishChunk, roleChunk, saidIn, usage } from './wire.ts';

interface World {
  daemon: TestDaemon;
  /** Upstreams of three channels, asked in this order. */
  upstreams: [FakeUpstream, FakeUpstream, FakeUpstream];
  ids: number[];
  key: string;
  books: LedgerInvariants;
}

const test = suite<World>('relay.md 19.3');

test.before(async (world) => {
  const start = () => startFakeUpstream(jsonAnswer(completion()));
  world.upstreams = [await start(), await start(), await start()];
  world.daemon = await startTestDaemon({ options: { RetryTimes: '2' } });
  world.ids = [];
  for (const [at, { url }] of world.upstreams.entries()) {
    world.ids.push(await world.daemon.addChannel({ base_url: url, models: 'gpt-4o', priority: 9 - at }));
  }
  world.key = await world.daemon.addKey();
  world.books = await LedgerInvariants.begin(world.daemon.databaseUrl);
});
test.before.each(({ upstreams }) => {
  for (const upstream of upstreams) {
    upstream.script(jsonAnswer(completion()));
    upstream.requests.length = 0;
  }
});
test.after.each(async ({ books, daemon, ids }) => {
  await untilPasses(() => books.check());
  for (const id of ids) await daemon.root.channels.clearCooling({ id });
});
test.after(async ({ books, daemon, upstreams }) => {
  await books.end();
  await daemon.stop();
  for (const upstream of upstreams) await upstream.close();
});

function post(
  { daemon, key }: World,
  body: unknown,
  init: { key?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${init.key ?? key}`, ...init.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(init.signal === undefined ? {} : { signal: init.signal }),
  });
}

const streamed = { ...chatRequest, stream: true };

/** The rows of one call, once its settlement is in the books. */
async function rowsOf({ daemon }: World, response: Response) {
  const requestId = response.headers.get('x-request-id') ?? '';
  let rows: Awaited<ReturnType<typeof daemon.root.logs.list>>['items'] = [];
  await untilPasses(async () => {
    rows = (await daemon.root.logs.list({ request_id: requestId })).items;
    assert.ok(rows.length > 0, 'no row yet');
  });
  return rows.map((row) => ({ ...row, facts: Object(JSON.parse(row.other)) }));
}

const counts = ({ upstreams }: World) => upstreams.map(({ requests }) => requests.length);

test('1: a client that is killed after three chunks', async (world) => {
  const { daemon, ids } = world;
  const [upstream] = world.upstreams;
  // Whatever counted as a failure would disable the channel.
  await daemon.root.options.set({ key: 'AutomaticDisableFailures', value: '1' });
  await daemon.root.options.set({ key: 'AutomaticDisableChannelEnabled', value: 'true' });
  const words = Array.from({ length: 200 }, (_, at) => chunk({ content: `word${at} ` }));
  upstream.script(sseAnswer(words, { pauseMs: 20 }));
  const abort = new AbortController();
  const response = await post(world, streamed, { signal: abort.signal });
  const reader = response.body?.getReader();
  for (let read = 0; read < 3; read += 1) await reader?.read();
  abort.abort();
  await resolvesWithin(1000, upstream.requests[0]?.aborted);
  const rows = await rowsOf(world, response);
  assert.equal([rows.length, rows[0]?.facts.settle_reason, rows[0]?.facts.usage_estimated], [1, 'client_gone', true]);
  assert.ok((rows[0]?.completion_tokens ?? 0) >= 3);
  assert.equal(counts(world), [1, 0, 0]);
  assert.is((await daemon.root.channels.get({ id: ids[0] ?? 0 })).status, 1);
  await daemon.root.options.set({ key: 'AutomaticDisableChannelEnabled', value: 'false' });
});

test('2: an upstream that dies after three chunks', async (world) => {
  const [upstream] = world.upstreams;
  upstream.script(sseAnswer([roleChunk, chunk({ content: 'one ' }), chunk({ content: 'two' })], { end: 'reset' }));
  const response = await post(world, streamed);
  const text = await response.text();
  assert.is(saidIn(text), 'one two');
  assert.match(text, /data: \{"error":\{[^\n]*\}\n\n$/);
  const rows = await rowsOf(world, response);
  assert.equal([rows.length, rows[0]?.facts.settle_reason], [1, 'upstream_eof']);
  assert.equal(counts(world), [1, 0, 0]);
});

test('3: upstreams that reset before any byte', async (world) => {
  for (const upstream of world.upstreams.slice(0, 2)) upstream.script({ end: 'reset' });
  const response = await post(world, chatRequest);
  assert.is(response.status, 200, await response.text());
  assert.equal(counts(world), [1, 1, 1]);
  const [row, ...others] = await rowsOf(world, response);
  assert.equal(others, []);
  assert.equal(row?.facts.admin_info.use_channel, world.ids.map(String));
});

const refusal = (status: number): Answer => jsonAnswer({ error: { message: 'no', type: 'x', code: 'y' } }, status);
const failures: readonly (readonly [string, Answer, boolean, Readonly<Record<string, unknown>>?])[] = [
  ['a 400', refusal(400), false],
  ['a 429', refusal(429), true],
  ['a 504', refusal(504), false],
  ['a 504 that is mapped to 503', refusal(504), true, { status_code_mapping: '{"504":"503"}' }],
  ['a first token that does not come', { headersAfterMs: 1500 }, true, { setting: '{"timeout_first_token":0.2}' }],
  ['an error inside a 200', jsonAnswer({ error: { message: 'inside', type: 'server_error' } }), true],
];
for (const [what, answer, retried, fields] of failures) {
  test(`4: ${what} is ${retried ? '' : 'not '}tried elsewhere, and not billed`, async (world) => {
    const id = world.ids[0] ?? 0;
    const usual = { status_code_mapping: '', setting: '' };
    if (fields !== undefined) await world.daemon.root.channels.update({ id, ...usual, ...fields });
    world.upstreams[0].script(answer);
    const response = await post(world, chatRequest);
    await response.text();
    assert.is(response.status === 200, retried);
    assert.equal(counts(world), [1, retried ? 1 : 0, 0]);
    const [row] = await rowsOf(world, response);
    assert.is(row?.quota, retried ? 40 : 0);
    await world.daemon.root.channels.update({ id, ...usual });
  });
}

test('6: a stream that is cut at every byte, whatever ends its lines', async (world) => {
  const said = 'Hé 👍🏽 你好';
  for (const lineEnd of ['\n', '\r\n', '\r']) {
    const events = [chunk({ content: said }), finishChunk, '[DONE]'].map((event) =>
      typeof event === 'string' ? event : JSON.stringify(event),
    );
    const bytes = Buffer.from(events.map((event) => `data: ${event}${lineEnd}${lineEnd}`).join(''));
    const chunks = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    world.upstreams[0].script({ headers: { 'content-type': 'text/event-stream' }, chunks });
    const response = await post(world, streamed);
    assert.is(saidIn((await response.text()).replace(/\r\n?/g, '\n')), said, JSON.stringify(lineEnd));
    await rowsOf(world, response);
  }
});

test('10: usage that rides on the next-to-last chunk, hidden and shown', async (world) => {
  world.upstreams[0].script(sseAnswer([roleChunk, chunk({ content: 'hi' }), { ...finishChunk, usage }, '[DONE]']));
  for (const shown of [false, true]) {
    const response = await post(world, { ...streamed, ...(shown ? { stream_options: { include_usage: true } } : {}) });
    assert.is(/"usage":\{/.test(await response.text()), shown);
    assert.is((await rowsOf(world, response))[0]?.quota, 40);
  }
});

test('11: headers of the client, and cookies of the upstream, go no further', async (world) => {
  const [upstream] = world.upstreams;
  upstream.script(jsonAnswer(completion(), 200, { 'set-cookie': 'upstream=1', 'x-upstream': 'canary' }));
  const headers = { cookie: 'client=1', 'x-forwarded-for': '203.0.113.9' };
  const response = await post(world, chatRequest, { headers });
  await response.text();
  const sent = upstream.requests[0]?.headers ?? {};
  assert.equal(
    [sent.cookie, sent['x-forwarded-for'], sent.authorization],
    [undefined, undefined, 'Bearer sk-upstream-key'],
  );
  assert.equal([response.headers.get('set-cookie'), response.headers.get('x-upstream')], [null, null]);
  await rowsOf(world, response);
});

test('15: a key that names a channel', async (world) => {
  const { daemon, upstreams, ids } = world;
  const user = await daemon.root.users.create({ username: 'plain', password: 'a good password', quota: 1_000_000 });
  const accessToken = 'p'.repeat(32);
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  await database.stores.users.setAccessToken(user.id, keyring.accessTokenHash(accessToken), nowSeconds() + 1000);
  const made = await daemon.client(accessToken).tokens.create({ name: 'k', expired_time: -1, unlimited_quota: true });
  const refused = await post(world, chatRequest, { key: `sk-${made.key}-${ids[1]}` });
  assert.is(refused.status, 403, await refused.text());
  assert.equal(counts(world), [0, 0, 0]);
  upstreams[1].script(refusal(500));
  const pinned = await post(world, chatRequest, { key: `${world.key}-${ids[1]}` });
  await pinned.text();
  assert.is(pinned.status, 500);
  assert.equal(counts(world), [0, 1, 0]);
  await rowsOf(world, pinned);
});

test('16: a channel with a prefix', async (world) => {
  const { daemon, upstreams } = world;
  await daemon.addChannel({ base_url: upstreams[2].url, models: 'gpt-4.1', model_prefix: 'az/' });
  const limited = await daemon.addKey({ model_limits_enabled: true, model_limits: 'az/gpt-4.1' });
  const list = await fetch(`${daemon.url}/v1/models`, { headers: { authorization: `Bearer ${limited}` } });
  assert.equal(
    Object(await list.json()).data.map(({ id }: { id: string }) => id),
    ['az/gpt-4.1'],
  );
  assert.is((await post(world, { ...chatRequest, model: 'gpt-4.1' })).status, 404);
  const response = await post(world, { ...chatRequest, model: 'az/gpt-4.1' }, { key: limited });
  assert.is(response.status, 200, await response.text());
  const [row] = await rowsOf(world, response);
  // (12 + 5 x 4) at the bare model's ratio of 1.
  assert.equal([row?.model_name, row?.quota], ['az/gpt-4.1', 32]);
  assert.is(JSON.parse(String(upstreams[2].requests[0]?.body)).model, 'gpt-4.1');
});

test('17: prices that are edited while calls run', async (world) => {
  const { daemon, upstreams } = world;
  const { open: answer, opened: mayAnswer } = gate();
  upstreams[0].script(async () => {
    await mayAnswer;
    return jsonAnswer(completion());
  });
  const before = (await daemon.root.options.list()).find(({ key }) => key === 'ModelRatio')?.value ?? '{}';
  const calling = post(world, chatRequest);
  await until(() => upstreams[0].requests.length > 0);
  await daemon.root.options.set({ key: 'ModelRatio', value: JSON.stringify({ ...JSON.parse(before), 'gpt-4o': 100 }) });
  answer();
  const [old, dear] = [await calling, await post(world, chatRequest)];
  assert.equal([(await rowsOf(world, old))[0]?.quota, (await rowsOf(world, dear))[0]?.quota], [40, 3200]);
  await daemon.root.options.set({ key: 'ModelRatio', value: before });
});

test('21: a body that is passed on as it is but for its model', async (world) => {
  const [upstream] = world.upstreams;
  const fields = { model_mapping: '{"gpt-4o":"other"}', setting: '{"pass_through_body_enabled":true}' };
  await world.daemon.root.channels.update({ id: world.ids[0] ?? 0, ...fields });
  const body =
    '{"z":98765432109876543210, "model": "gpt-4o","strange" : {"b":1,"a":2},"messages":[{"role":"user","content":"\\u00e9","n":1.0}]}';
  const response = await post(world, body);
  await response.text();
  assert.is(String(upstream.requests[0]?.body), body.replace('"gpt-4o"', '"other"'));
  await rowsOf(world, response);
});

test.run();
