/** Holds, extensions and what ends a stream that cannot be paid any longer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { askAtOnce } from '../support/ask-at-once.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer } from '../support/fake-upstream.ts';
import { gate } from '../support/gate.ts';
import type { GatewayHarness } from '../support/gateway-harness.ts';
import { until } from '../support/until.ts';
import { type CheckedWorld, checksBooks } from './checked-books.ts';
import { chatRequest, chunk, completion, events, finishChunk, roleChunk } from './wire.ts';

const test = suite<CheckedWorld>('relay: money');

checksBooks(
  test,
  () => jsonAnswer(completion()),
  ({ url: baseUrl }) => ({ channels: [{ baseUrl, models: 'gpt-4o' }] }),
);

const streamed = { ...chatRequest, stream: true };
/** Output tokens of a slice at the price of gpt-4o (D20). */
const slice = 512 * 4 * 1.25;
const sentence = 'The quick brown fox jumps over the lazy dog while nobody looks, and comes back at noon.';

/** Quota of a page: 25 sentences. */
const page = 25 * 20 * 4 * 1.25;

/** A whole answer as one write of the upstream. */
function inOneGo(said: readonly object[]) {
  const { chunks = [], ...answer } = sseAnswer([roleChunk, ...said, finishChunk, '[DONE]']);
  return { ...answer, chunks: [chunks.join('')] };
}

/** What is held once the upstream is asked: what was held at first may have been extended by then. */
async function heldDuring(
  { harness, upstream }: { harness: GatewayHarness; upstream: FakeUpstream },
  body: Record<string, unknown>,
): Promise<number> {
  const before = (await harness.user()).quota;
  let held = 0;
  upstream.script(async () => {
    held = before - ((await harness.database.stores.users.find(1))?.quota ?? 0);
    return jsonAnswer(completion());
  });
  await (await harness.post('/v1/chat/completions', body)).text();
  return held;
}

test('holds the prompt and a bounded output, whatever the balance', async ({ start, upstream }) => {
  const harness = await start();
  // relay.md 19.1 case 13: gpt-4o costs 1.25 a token, output four times as much.
  assert.is(await heldDuring({ harness, upstream }, { ...chatRequest, max_tokens: 1000 }), 5625);
  assert.is(await heldDuring({ harness, upstream }, { ...chatRequest, max_tokens: 100_000 }), 21_105);
});

test('holds what a document costs that is named by its address alone', async ({ start, upstream }) => {
  const harness = await start();
  const content = [{ type: 'document', source: { type: 'url', url: 'https://papers.example/1.pdf' } }];
  const asked = { ...chatRequest, max_tokens: 100, messages: [{ role: 'user', content }] };
  assert.ok((await heldDuring({ harness, upstream }, asked)) > (4096 + 100 * 4) * 1.25);
});

test('holds more where the channel overrides the limit of the answer', async ({ start, upstream }) => {
  const short = { ...chatRequest, max_tokens: 100 };
  const channels = [{ baseUrl: upstream.url, models: 'gpt-4o', paramOverride: '{"max_tokens":1000}' }];
  const harness = await start({ channels });
  assert.is(await heldDuring({ harness, upstream }, short), 5625);
  assert.is(JSON.parse(upstream.requests[0]?.body.toString() ?? '').max_tokens, 1000);
  harness.setChannels([{ ...channels[0], paramOverride: '{"max_tokens":10}' }]);
  assert.is(await heldDuring({ harness, upstream }, short), (500 + 100 * 4) * 1.25);
  // The translated lane, and a balance that only the client's own wish would fit.
  const poor = await start({ channels, user: { quota: 2000 } });
  poor.setChannels([{ ...channels[0], type: 14, paramOverride: '{"max_tokens":1000}' }]);
  const asked = upstream.requests.length;
  const refused = await poor.post('/v1/chat/completions', short);
  assert.is(refused.status, 403);
  assert.equal([(await refused.json()).error.code, upstream.requests.length], ['insufficient_user_quota', asked]);
});

test('lets at most five of fifty calls through on a balance for five', async ({ start, upstream }) => {
  const hold = 5625;
  const harness = await start({ user: { quota: hold * 5 } });
  const answers = await askAtOnce({ upstream, answer: jsonAnswer(completion()), calls: 50, room: 5 }, () =>
    harness.post('/v1/chat/completions', { ...chatRequest, max_tokens: 1000 }),
  );
  const paid = answers.filter((answer) => answer.status === 200).length;
  assert.is(paid, 5);
  assert.is(upstream.requests.length, 5);
  assert.ok(answers.every((answer) => answer.status === 200 || answer.status === 403));
  assert.is((await harness.user()).quota, hold * 5 - 5 * 40);
});

test('extends the hold of a long stream and charges exactly what it used', async ({ start, upstream }) => {
  const harness = await start({ user: { quota: 1_000_000 } });
  const words = Array.from({ length: 3000 }, () => chunk({ content: 'word ' }));
  const usage = { prompt_tokens: 12, completion_tokens: 3000, total_tokens: 3012 };
  upstream.script(sseAnswer([roleChunk, ...words, finishChunk, { ...finishChunk, choices: [], usage }, '[DONE]']));
  const text = await (await harness.post('/v1/chat/completions', streamed)).text();
  assert.is(events(text).at(-1), '[DONE]');
  const [row] = await harness.rows();
  assert.is(row?.quota, (12 + 3000 * 4) * 1.25);
});

test('ends a stream that the balance cannot pay, at most one slice below zero', async ({ start, upstream }) => {
  const harness = await start({ user: { quota: 8000 } });
  const words = Array.from({ length: 6000 }, (_, at) => chunk({ content: `word${at} ` }));
  const pieces = Array.from({ length: 60 }, (_, at) => words.slice(at * 100, at * 100 + 100));
  let text = '';
  let isOver = false;
  let piece = 0;
  upstream.script({
    headers: { 'content-type': 'text/event-stream' },
    // No faster than the client hears it and the books follow: what comes at one time cannot be stopped in its middle.
    goOn: async () => {
      piece += 1;
      await until(() => isOver || text.includes(`word${piece * 100 - 1} `));
      await harness.ledger.drain();
    },
    chunks: pieces.map((group) => group.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')),
  });
  const answer = await harness.post('/v1/chat/completions', streamed);
  for await (const part of answer.body ?? []) text += Buffer.from(part).toString();
  isOver = true;
  assert.is(JSON.parse(events(text).at(-1) ?? '{}').error.code, 'insufficient_user_quota');
  assert.not.match(text, /\[DONE\]/);
  const [row] = await harness.rows();
  assert.is(row?.facts.settle_reason, 'quota_exhausted');
  const { quota } = await harness.user();
  assert.ok(quota >= -slice, `balance ${quota}`);
  assert.ok(quota < slice, `balance ${quota}`);
});

/** What a model may say at one time, as the events of a chat stream. */
const bursts: Readonly<Record<string, readonly object[]>> = {
  'a word an event': Array.from({ length: 40_000 }, (_, at) => chunk({ content: `word${at} ` })),
  'a sentence an event': Array.from({ length: 4000 }, (_, at) => chunk({ content: `${at}: ${sentence} ` })),
  'a page an event': Array.from({ length: 200 }, (_, at) => chunk({ content: `${at}: ${sentence.repeat(25)} ` })),
};

for (const [manner, said] of Object.entries(bursts)) {
  test(`lets an upstream that says everything at once, ${manner}, say no more than the balance pays for`, async ({
    start,
    upstream,
  }) => {
    const harness = await start({ user: { quota: 8000 } });
    upstream.script(inOneGo(said));
    const text = await (await harness.post('/v1/chat/completions', streamed)).text();
    assert.is(JSON.parse(events(text).at(-1) ?? '{}').error.code, 'insufficient_user_quota');
    const { quota } = await harness.user();
    assert.ok(quota >= -slice && quota < slice, `balance ${quota}`);
  });

  test(`ends eight streams of one balance, ${manner}, at most one slice below zero together`, async ({
    start,
    upstream,
  }) => {
    const harness = await start({ user: { quota: 60_000 } });
    upstream.script(inOneGo(said));
    const texts = await Promise.all(
      Array.from({ length: 8 }, async () => (await harness.post('/v1/chat/completions', streamed)).text()),
    );
    for (const text of texts) assert.match(text, /insufficient_user_quota/);
    const { quota } = await harness.user();
    // An event is passed on whole: what a page costs may be missing once for each stream.
    const largest = manner === 'a page an event' ? 8 * page : 0;
    assert.ok(quota >= -slice - largest && quota < slice, `balance ${quota}`);
  });

  test(`passes on all of what is said at once, ${manner}, where the balance pays for it`, async ({
    start,
    upstream,
  }) => {
    const harness = await start({ user: { quota: 100_000_000 } });
    upstream.script(inOneGo(said));
    const text = await (await harness.post('/v1/chat/completions', streamed)).text();
    assert.equal(
      events(text),
      [roleChunk, ...said, finishChunk].map((event) => JSON.stringify(event)).concat('[DONE]'),
    );
  });
}

test('lets an upstream whose lines end with returns say no more than the balance pays for', async ({
  start,
  upstream,
}) => {
  const harness = await start({ user: { quota: 8000 } });
  const { chunks, ...answer } = inOneGo(bursts['a sentence an event'] ?? []);
  upstream.script({ ...answer, chunks: chunks.map((events) => events.replaceAll('\n', '\r\n')) });
  const text = await (await harness.post('/v1/chat/completions', streamed)).text();
  assert.match(text, /insufficient_user_quota/);
  const { quota } = await harness.user();
  assert.ok(quota >= -slice && quota < slice, `balance ${quota}`);
});

test('lets pages among words be heard no further than the balance pays for', async ({ start, upstream }) => {
  const harness = await start({ user: { quota: 40_000 } });
  const said = Array.from({ length: 2000 }, (_, at) =>
    chunk({ content: at % 50 === 49 ? sentence.repeat(60) : `word${at} ` }),
  );
  upstream.script(inOneGo(said));
  const text = await (await harness.post('/v1/chat/completions', streamed)).text();
  assert.match(text, /insufficient_user_quota/);
  const { quota } = await harness.user();
  assert.ok(quota >= -slice - 2.4 * page && quota < slice, `balance ${quota}`);
});

test('lets a client of another dialect hear no more than the balance pays for', async ({ start, upstream }) => {
  const harness = await start({ user: { quota: 8000 } });
  upstream.script(inOneGo(bursts['a sentence an event'] ?? []));
  const text = await (await harness.post('/v1/messages', { ...streamed, max_tokens: 100_000 })).text();
  assert.match(text, /event: error\ndata: .*The balance of your account/);
  const { quota } = await harness.user();
  assert.ok(quota >= -slice && quota < slice, `balance ${quota}`);
});

test('goes on with a stream that waited for the books once there is more to spend', async ({ start, upstream }) => {
  const harness = await start({ user: { quota: 10_000_000 } });
  const words = Array.from({ length: 20_000 }, (_, at) => chunk({ content: `word${at} ` }));
  upstream.script(sseAnswer([roleChunk, ...words, finishChunk, '[DONE]']));
  const text = await (await harness.post('/v1/chat/completions', streamed)).text();
  assert.is(events(text).length, 20_003);
  assert.is(events(text).at(-1), '[DONE]');
});

test('charges a stream of free models nothing and lets it run on an empty balance', async ({ start, upstream }) => {
  const harness = await start({ user: { quota: 0 }, options: { ModelRatio: { 'gpt-4o': 0 } } });
  upstream.script(sseAnswer([chunk({ content: 'free' }), finishChunk, '[DONE]']));
  assert.is((await harness.post('/v1/chat/completions', streamed)).status, 200);
  const [row] = await harness.rows();
  assert.is(row?.quota, 0);
});

test('charges a call price whole once there is any answer, and nothing before', async ({ start, upstream }) => {
  const harness = await start({ options: { ModelPrice: { 'gpt-4o': 0.01 } } });
  await (await harness.post('/v1/chat/completions', chatRequest)).text();
  upstream.script(sseAnswer([chunk({ content: 'half' })], { end: 'reset' }));
  await (await harness.post('/v1/chat/completions', streamed)).text();
  upstream.script({ end: 'reset' });
  await (await harness.post('/v1/chat/completions', chatRequest)).text();
  const rows = await harness.rows();
  assert.equal(
    // A local count may let a later row overtake.
    rows.map((row) => row.quota).sort(),
    [0, 5000, 5000],
  );
});

test('tells once of a group without a ratio, and charges it at 1', async ({ start, upstream }) => {
  const harness = await start({
    channels: [{ baseUrl: upstream.url, models: 'gpt-4o', group: 'left' }],
    user: { group: 'left' },
  });
  for (let call = 0; call < 2; call += 1) await (await harness.post('/v1/chat/completions', chatRequest)).text();
  assert.equal(
    (await harness.rows()).map(({ quota, facts }) => [quota, facts.group_ratio]),
    [
      [40, 1],
      [40, 1],
    ],
  );
  assert.equal(harness.reports, ['no ratio: left']);
});

test('bills an alias without a price by the model behind it', async ({ start, upstream }) => {
  const harness = await start({
    channels: [{ baseUrl: upstream.url, models: 'house-model', modelMapping: '{"house-model":"gpt-4o"}' }],
  });
  await (await harness.post('/v1/chat/completions', { ...chatRequest, model: 'house-model' })).text();
  assert.is((await harness.rows())[0]?.quota, 40);
});

test('bills an alias by the model behind it on the channel that answered', async ({ start, upstream }) => {
  const aliased = { baseUrl: upstream.url, models: 'house-model' };
  const harness = await start({
    channels: [
      { ...aliased, id: 1, priority: 9, keys: ['sk-first'], modelMapping: '{"house-model":"gpt-4o"}' },
      { ...aliased, id: 2, keys: ['sk-second'], modelMapping: '{"house-model":"gpt-4o-mini"}' },
    ],
    options: { RetryTimes: 1, ModelRatio: { 'gpt-4o': 1.25, 'gpt-4o-mini': 2.5 } },
  });
  upstream.script(({ headers }) =>
    headers.authorization === 'Bearer sk-first'
      ? jsonAnswer({ error: { message: 'no' } }, 500)
      : jsonAnswer(completion()),
  );
  await (await harness.post('/v1/chat/completions', { ...chatRequest, model: 'house-model' })).text();
  assert.equal(
    (await harness.rows()).map(({ channelId, quota }) => [channelId, quota]),
    [[2, 80]],
  );
});

test('bills the group that served, and another group only the difference', async ({ start, upstream }) => {
  const options = {
    RetryTimes: 1,
    AutoGroups: ['cheap', 'dear'],
    UserUsableGroups: { auto: 'auto', cheap: 'cheap', dear: 'dear' },
  };
  const harness = await start({
    channels: [
      { id: 1, baseUrl: upstream.url, models: 'gpt-4o', group: 'cheap' },
      { id: 2, baseUrl: upstream.url, models: 'gpt-4o', group: 'dear' },
    ],
    token: { group: 'auto' },
    options: { ...options, GroupRatio: { default: 1, cheap: 0.5, dear: 2 } },
  });
  // The first channel fails in each call.
  upstream.script((_request, index) =>
    index % 2 === 0 ? jsonAnswer({ error: { message: 'x' } }, 500) : jsonAnswer(completion()),
  );
  await (await harness.post('/v1/chat/completions', chatRequest)).text();
  harness.setOptions({ ...options, GroupRatio: { default: 1, cheap: 0.5 } });
  await (await harness.post('/v1/chat/completions', chatRequest)).text();
  assert.equal(
    (await harness.rows()).map(({ group, quota, channelId }) => [group, quota, channelId]),
    [
      ['dear', 80, 2],
      ['dear', 40, 2],
    ],
  );
  assert.equal(harness.reports, ['no ratio: dear'], 'a group that serves later is told of as the first one is');
});

test('bills an unlimited key’s user and counts the key', async ({ start }) => {
  const harness = await start();
  await (await harness.post('/v1/chat/completions', chatRequest)).text();
  await harness.settled();
  const token = await harness.database.stores.tokens.find(1);
  assert.equal([token?.usedQuota, token?.remainQuota], [40, 0]);
});

test('takes a limited key’s quota and user’s balance together', async ({ start }) => {
  const harness = await start({ token: { unlimitedQuota: false, remainQuota: 50_000 } });
  await (await harness.post('/v1/chat/completions', chatRequest)).text();
  await harness.settled();
  const token = await harness.database.stores.tokens.find(1);
  assert.equal([token?.usedQuota, token?.remainQuota], [40, 49_960]);
});

test('ends the streams of a user who was disabled', async ({ start, upstream }) => {
  const harness = await start();
  upstream.script(
    sseAnswer(
      Array.from({ length: 200 }, () => chunk({ content: 'w ' })),
      { pauseMs: 50 },
    ),
  );
  const reading = harness.post('/v1/chat/completions', streamed).then((response) => response.text());
  await until(() => upstream.requests.length > 0);
  await sleep(300);
  await harness.database.stores.users.update(1, { status: 2 });
  const text = await reading;
  assert.ok(JSON.parse(events(text).at(-1) ?? '{}').error);
  const [row] = await harness.rows();
  assert.is(row?.facts.settle_reason, 'revoked');
});

test('uses one price from start to end while prices change', async ({ start, upstream }) => {
  const harness = await start();
  const { open: answer, opened: mayAnswer } = gate();
  upstream.script(async () => {
    await mayAnswer;
    return jsonAnswer(completion());
  });
  const calling = harness.post('/v1/chat/completions', chatRequest);
  await until(() => upstream.requests.length > 0);
  harness.setOptions({ ModelRatio: { 'gpt-4o': 100 } });
  answer();
  await (await calling).text();
  assert.is((await harness.rows())[0]?.quota, 40);
});

test('notes a model without a price that self-use lets through', async ({ start, upstream }) => {
  const harness = await start({
    channels: [{ baseUrl: upstream.url, models: 'my-own-model' }],
    options: { SelfUseModeEnabled: true },
  });
  await (await harness.post('/v1/chat/completions', { ...chatRequest, model: 'my-own-model' })).text();
  const [row] = await harness.rows();
  assert.is(row?.facts.unpriced, true);
  assert.is(row?.quota, Math.round(17 * 37.5));
});

test.run();
