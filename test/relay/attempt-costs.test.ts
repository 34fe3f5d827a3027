/** What attempts cost the operator, and what a report by channel makes of it (REQ-7). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OptionValues } from '../../daemon/contract/options.ts';
import { CalendarDays } from '../../daemon/domain/calendar-day.ts';
import { UsageReportService } from '../../daemon/domain/usage-report.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { chatRequest, chunk, completion, roleChunk, streamOf, usageChunk } from './wire.ts';

interface Context {
  a: FakeUpstream;
  b: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: cost of attempts');
const funds = 100_000_000;

test.before.each(async (context) => {
  context.a = await startFakeUpstream(jsonAnswer(completion()));
  context.b = await startFakeUpstream(jsonAnswer(completion()));
});
test.after.each(async ({ harness, a, b }) => {
  await harness?.stop();
  await Promise.all([a.close(), b.close()]);
});

/** Two channels in this order; the first costs `first`, the second half the list price. */
async function start(context: Context, options: OptionValues = {}, first = '{}', errorLogEnabled = true) {
  context.harness = await GatewayHarness.start({
    channels: [
      { id: 1, baseUrl: context.a.url, models: 'gpt-4o', priority: 2, setting: first },
      { id: 2, baseUrl: context.b.url, models: 'gpt-4o', priority: 1, setting: '{"cost_ratio":0.5}' },
    ],
    options: { RetryTimes: 1, ...options },
    config: { errorLogEnabled },
  });
  return context.harness;
}

/** Prompt 12 and one token were reported before the connection broke, and nothing was said. */
const reported = [roleChunk, chunk({}, { choices: [], usage: { prompt_tokens: 12, completion_tokens: 1 } })];
/** At list price: (12 + 4 x 1) x 1.25. */
const REPORTED_COST = 20;

async function byChannel({ database }: GatewayHarness) {
  const nowSeconds = () => Math.floor(Date.now() / 1000) + 10;
  const reports = new UsageReportService({ database, days: new CalendarDays('UTC'), nowSeconds });
  const { rows, totals } = await reports.report({ by: 'channel' });
  const figures = rows.map(({ channelId, requests, failures, cost, quota }) => [
    channelId,
    requests,
    failures,
    cost,
    quota,
  ]);
  return { figures: figures.sort(), totals: [totals.requests, totals.failures, totals.cost, totals.quota] };
}

const answers: [what: string, options: OptionValues, setting: string, charge: number, cost: number][] = [
  ['the list price where nothing is said', {}, '{}', 40, 40],
  ['a part of it', {}, '{"cost_ratio":0.3}', 40, 12],
  ['nothing', {}, '{"cost_ratio":0}', 40, 0],
  ['more than it', {}, '{"cost_ratio":1.1}', 40, 44],
  ['a part of it, rounded once', { ModelRatio: { 'gpt-4o': 0.11 } }, '{"cost_ratio":0.7}', 4, 2],
  ['the list price whatever the client’s group pays', { GroupRatio: { default: 2.5 } }, '{}', 100, 40],
  ['a part of it in a group that pays less', { GroupRatio: { default: 0.5 } }, '{"cost_ratio":0.9}', 20, 36],
  ['something where the group pays nothing', { GroupRatio: { default: 0 } }, '{}', 0, 40],
  ['a part of a price by call', { ModelPrice: { 'gpt-4o': 0.002 } }, '{"cost_ratio":0.25}', 1000, 250],
  [
    'a price by call in a dearer group',
    { ModelPrice: { 'gpt-4o': 0.002 }, GroupRatio: { default: 3 } },
    '{}',
    3000,
    1000,
  ],
];
for (const [what, options, setting, charge, cost] of answers) {
  test(`an answer costs ${what}`, async (context) => {
    const harness = await start(context, options, setting);
    assert.is((await harness.post('/v1/chat/completions', chatRequest)).status, 200);
    const [row, ...rest] = await harness.rows();
    assert.equal([row?.quota, row?.cost, rest], [charge, cost, []]);
    const [attempt] = attemptsOf(row?.facts);
    assert.equal([attempt?.status, attempt?.cost, attempt?.usage?.prompt], [200, cost, 12]);
    assert.is((await harness.user()).quota, funds - charge);
  });
}

test('a prompt that was blocked costs what its vendor says it read, streamed or whole', async (context) => {
  const channels = [{ id: 3, type: 24, baseUrl: context.a.url, models: 'gemini-2.5-flash' }];
  const options = { ModelRatio: { 'gemini-2.5-flash': 2 } };
  context.harness = await GatewayHarness.start({ channels, options, config: { errorLogEnabled: true } });
  const usageMetadata = { promptTokenCount: 100, totalTokenCount: 100 };
  const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata };
  for (const stream of [true, false]) {
    context.a.script(stream ? sseAnswer([blocked]) : jsonAnswer(blocked));
    const asked = { ...chatRequest, model: 'gemini-2.5-flash', stream };
    assert.is((await context.harness.post('/v1/chat/completions', asked)).status, 400);
  }
  const rows = await context.harness.rows();
  const ofAttempts = rows.filter(({ userId }) => userId === 0);
  const told = ofAttempts.map(({ channelId, cost, quota }) => [channelId, cost, quota]);
  assert.equal(told, [
    [3, 200, 0],
    [3, 200, 0],
  ]);
});

test('an answer without anything in it costs what its vendor says it used, in every manner of asking', async (context) => {
  const channels = [{ id: 3, type: 24, baseUrl: context.a.url, models: 'gemini-2.5-flash' }];
  const options = { ModelRatio: { 'gemini-2.5-flash': 2 }, CompletionRatio: { 'gemini-2.5-flash': 4 } };
  context.harness = await GatewayHarness.start({ channels, options });
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 };
  const malformed = { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }], usageMetadata };
  const scripts = [jsonAnswer({ usageMetadata }), jsonAnswer(malformed), sseAnswer([malformed])];
  for (const script of scripts) {
    for (const stream of [true, false]) {
      context.a.script(script);
      const asked = { ...chatRequest, model: 'gemini-2.5-flash', stream };
      const answer = await context.harness.post('/v1/chat/completions', asked);
      assert.ok([429, 502].includes(answer.status), await answer.text());
    }
  }
  const rows = await context.harness.rows();
  const ofAttempts = rows
    .filter(({ userId }) => userId === 0)
    .map(({ channelId, cost, quota }) => [channelId, cost, quota]);
  assert.equal(
    ofAttempts,
    Array.from({ length: 6 }, () => [3, 280, 0]),
  );
  assert.is((await context.harness.user()).quota, funds);
});

test('an attempt that failed after reporting usage costs its own channel', async (context) => {
  const harness = await start(context, {}, '{"cost_ratio":2}');
  context.a.script(sseAnswer(reported, { end: 'reset' }));
  context.b.script(sseAnswer(streamOf(['fine'])));
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  assert.match(await response.text(), /fine/);
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ userId, username, channelId, quota, cost, failed, promptTokens, completionTokens }) =>
      [userId, username === '', channelId, quota, cost, failed, promptTokens, completionTokens].join(),
    ),
    ['1,false,2,40,20,false,12,5', `0,true,1,0,${2 * REPORTED_COST},true,0,0`],
  );
  assert.is(new Set(rows.map(({ requestId }) => requestId)).size, 1);
  assert.equal(
    attemptsOf(rows[0]?.facts).map(({ channel, cost, usage }) => [channel, cost, usage?.prompt, usage?.completion]),
    [
      [1, 2 * REPORTED_COST, 12, 1],
      [2, 20, 12, 5],
    ],
  );
  assert.is((await harness.user()).quota, funds - 40);
  assert.equal(await byChannel(harness), {
    figures: [
      [1, 0, 0, 40, 0],
      [2, 1, 0, 20, 40],
    ],
    totals: [1, 0, 60, 40],
  });
});

for (const end of ['reset', 'clean'] as const)
  test(`so does one that was collected for a client that wants no stream (${end})`, async (context) => {
    const harness = await start(context, {}, '{"force_stream":true}');
    context.a.script(sseAnswer([...reported, chunk({ content: 'half' })], { end }));
    assert.is((await harness.post('/v1/chat/completions', chatRequest)).status, 200);
    const costs = (await harness.rows()).map(({ channelId, quota, cost }) => [channelId, quota, cost]);
    assert.equal(costs, [
      [2, 40, 20],
      [1, 0, REPORTED_COST],
    ]);
  });

test('an answer in another dialect is none: it costs its own channel, and the next one is asked', async (context) => {
  const harness = await start(context);
  const used = { input_tokens: 12, output_tokens: 1, total_tokens: 13 };
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] };
  const response = { id: 'resp_1', object: 'response', status: 'completed', output: [message], usage: used };
  const told = sseAnswer([
    { type: 'response.created', sequence_number: 0, response: { ...response, output: [] } },
    { type: 'response.output_text.delta', sequence_number: 1, delta: 'Hi' },
    { type: 'response.completed', sequence_number: 2, response },
  ]);
  const chatted = sseAnswer(streamOf(['fine']));
  const streamed = { model: 'gpt-4o', stream: true };
  for (const [path, body, wrong, right, said] of [
    ['/v1/chat/completions', chatRequest, jsonAnswer(response), jsonAnswer(completion()), /Hello there/],
    ['/v1/chat/completions', { ...chatRequest, ...streamed }, told, chatted, /fine/],
    ['/v1/responses', { input: 'hi', ...streamed }, chatted, told, /response\.completed/],
  ] as const) {
    context.a.script(wrong);
    context.b.script(right);
    const answer = await harness.post(path, body);
    assert.is(answer.status, 200, path);
    assert.match(await answer.text(), said);
  }
  assert.equal([context.a.requests.length, context.b.requests.length], [3, 3]);
  const costs = (await harness.rows())
    .filter(({ channelId }) => channelId === 1)
    .map(({ quota, cost }) => [quota, cost]);
  assert.equal(costs, [[0, REPORTED_COST]]);
});

test('a price by call is due for a failure only where something was said', async (context) => {
  const harness = await start(context, { ModelPrice: { 'gpt-4o': 0.002 } });
  const silent = chunk({}, { choices: [], usage: { prompt_tokens: 12, completion_tokens: 0 } });
  for (const first of [[roleChunk, silent], reported]) {
    context.a.script(sseAnswer(first, { end: 'reset' }));
    context.b.script(sseAnswer(streamOf(['fine'])));
    await (await harness.post('/v1/chat/completions', { ...chatRequest, stream: true })).text();
    harness.setChannels(channelsAnew(context));
  }
  const costs = (await harness.rows()).map(({ channelId, quota, cost }) => [channelId, quota, cost]);
  assert.equal(costs, [
    [2, 1000, 500],
    [2, 1000, 500],
    [1, 0, 1000],
  ]);
});

for (const errorLogEnabled of [true, false]) {
  const where = errorLogEnabled ? 'beside the failed row' : 'also where failures are not logged';
  test(`requests that nobody answers have costs, ${where}`, async (context) => {
    const harness = await start(context, {}, '{}', errorLogEnabled);
    context.a.script(sseAnswer(reported, { end: 'reset' }));
    context.b.script(sseAnswer(reported, { end: 'reset' }));
    await (await harness.post('/v1/chat/completions', { ...chatRequest, stream: true })).text();
    const failed = errorLogEnabled ? [[2, 0, 0]] : [];
    const costs = (await harness.rows()).map(({ channelId, quota, cost }) => [channelId, quota, cost]);
    assert.equal(costs, [...failed, [1, 0, REPORTED_COST], [2, 0, REPORTED_COST / 2]]);
    assert.is((await harness.user()).quota, funds);
    const failures = errorLogEnabled ? 1 : 0;
    assert.equal((await byChannel(harness)).totals, [0, failures, 30, 0]);
    const outcomes = await harness.database.stores.logs.outcomesSince(0);
    assert.equal(outcomes, errorLogEnabled ? [{ modelName: 'gpt-4o', calls: 1, failed: 1 }] : []);
  });
}

test('an empty answer that is given away costs what its upstream takes', async (context) => {
  const harness = await start(context, { EmptyAnswerFree: true });
  context.a.script(
    jsonAnswer(
      completion({ choices: [{ index: 0, message: { role: 'assistant', content: ' ' }, finish_reason: 'stop' }] }),
    ),
  );
  await (await harness.post('/v1/chat/completions', chatRequest)).text();
  const [row] = await harness.rows();
  assert.equal([row?.quota, row?.cost], [0, 40]);
});

test('failures without usage cost nothing, and nothing is written where consumption is not logged', async (context) => {
  const harness = await start(context);
  context.a.script({ end: 'reset' });
  await (await harness.post('/v1/chat/completions', chatRequest)).text();
  const [row, ...rest] = await harness.rows();
  assert.equal([row?.channelId, row?.cost, rest], [2, 20, []]);
  await harness.stop();
  const silent = await start(context, { LogConsumeEnabled: false });
  context.a.script(sseAnswer(reported, { end: 'reset' }));
  context.b.script(sseAnswer([...streamOf(['fine']), usageChunk]));
  await (await silent.post('/v1/chat/completions', { ...chatRequest, stream: true })).text();
  assert.equal(await silent.rows(), []);
});

interface Tried {
  channel: number;
  status: number;
  cost?: number;
  usage?: { prompt: number; completion: number };
}

function attemptsOf(facts: Record<string, unknown> | undefined): Tried[] {
  return Reflect.get(Object(facts?.admin_info), 'attempts');
}

/** Channels that nothing has been learnt about. */
function channelsAnew({ a, b }: Context) {
  return [
    { id: 1, baseUrl: a.url, models: 'gpt-4o', priority: 2, setting: '{}' },
    { id: 2, baseUrl: b.url, models: 'gpt-4o', priority: 1, setting: '{"cost_ratio":0.5}' },
  ];
}

test.run();
