/** Which group's channels a call reaches, where its key stands for several groups or names a channel (relay.md 11.3, 11.4). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, jsonAnswer } from '../support/fake-upstream.ts';
import type { GatewayHarness, HarnessOptions } from '../support/gateway-harness.ts';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';
import { chatRequest, completion } from './wire.ts';

const test = suite<HarnessStarts>('relay: groups of one key');

startsHarnesses(test);

const limited = (seconds: number): Answer =>
  jsonAnswer({ error: { message: 'slow down' } }, 429, { 'retry-after': String(seconds) });

const twoGroups: Pick<HarnessOptions, 'token' | 'options'> = {
  token: { group: 'auto' },
  options: {
    AutoGroups: ['cheap', 'dear'],
    UserUsableGroups: { auto: 'auto', cheap: 'cheap', dear: 'dear' },
    GroupRatio: { default: 1, cheap: 0.5, dear: 2 },
  },
};

/** The second is too dear for a balance of 1,000 and a hundred tokens. */
const threeGroups: Pick<HarnessOptions, 'user' | 'token' | 'options'> = {
  user: { quota: 1000 },
  token: { group: 'auto' },
  options: {
    RetryTimes: 2,
    AutoGroups: ['cheap', 'dear', 'cheapest'],
    UserUsableGroups: { auto: 'auto', cheap: 'cheap', dear: 'dear', cheapest: 'cheapest' },
    GroupRatio: { default: 1, cheap: 0.5, dear: 2, cheapest: 0.25 },
  },
};

const brokenDown: Answer = jsonAnswer({ error: { message: 'broke down' } }, 500);

/** Channel 1 for the cheap group, channel 2 for the dear one. */
const channelsAt = (baseUrl: string, second: HarnessOptions['channels'][number] = {}) => [
  { id: 1, baseUrl, models: 'gpt-4o', group: 'cheap' },
  { id: 2, baseUrl, models: 'gpt-4o', group: 'dear', ...second },
];

/** As `call`, for an answer so long that the dear group holds more than a balance of 1,000. */
async function callLong(
  harness: GatewayHarness,
): Promise<{ status: number; error?: { code: string; message: string } }> {
  const answer = await harness.post('/v1/chat/completions', { ...chatRequest, max_tokens: 100 });
  const { error } = await answer.json();
  await harness.settled();
  return { status: answer.status, error };
}

async function call(harness: GatewayHarness, key = harness.key): Promise<Response> {
  const answer = await harness.post('/v1/chat/completions', chatRequest, {
    headers: { authorization: `Bearer sk-${key}` },
  });
  await answer.arrayBuffer();
  await harness.settled();
  return answer;
}

test('goes on to the next group while every channel of the first cools', async ({ start, upstream }) => {
  const harness = await start({ ...twoGroups, channels: channelsAt(upstream.url) });
  upstream.script((_request, index) => (index === 0 ? limited(20) : jsonAnswer(completion())));
  assert.is((await call(harness)).status, 429);
  assert.is((await call(harness)).status, 200);
  const rows = await harness.rows();
  assert.equal([rows[1]?.group, rows[1]?.channelId, rows[1]?.quota], ['dear', 2, 80]);
});

test('tries the channel that is free soonest where all groups cool, and tells the wait that is left then', async ({
  start,
  upstream,
}) => {
  const harness = await start({ ...twoGroups, channels: channelsAt(upstream.url) });
  const waits = [200, 100, 250];
  upstream.script((_request, index) => limited(waits[index] ?? 1));
  await call(harness);
  await call(harness);
  const refused = await call(harness);
  assert.equal([refused.status, upstream.requests.length], [429, 3]);
  const rows = await harness.rows();
  assert.equal(Reflect.get(Object(rows[2]?.facts.admin_info), 'use_channel'), ['2']);
  // Channel 2 has said 250 seconds since: channel 1 is free before it.
  const wait = Number(refused.headers.get('retry-after'));
  assert.ok(wait > 150 && wait <= 200, String(wait));
});

test('asks a channel that cools in both groups in the first of them, by whose price it is billed', async ({
  start,
  upstream,
}) => {
  const channels = [{ id: 1, baseUrl: upstream.url, models: 'gpt-4o', group: 'cheap,dear' }];
  const harness = await start({ ...twoGroups, channels });
  upstream.script((_request, index) => (index === 0 ? limited(60) : jsonAnswer(completion())));
  assert.is((await call(harness)).status, 429);
  assert.is((await call(harness)).status, 200);
  const rows = await harness.rows();
  assert.equal([rows[1]?.group, rows[1]?.quota], ['cheap', 20]);
});

test('keeps what failed in one group in the log, at its cost, where the balance does not reach for the next', async ({
  start,
  upstream,
}) => {
  const harness = await start({
    ...twoGroups,
    user: { quota: 1000 },
    options: { ...twoGroups.options, RetryTimes: 1 },
    config: { errorLogEnabled: true },
    channels: channelsAt(upstream.url),
  });
  const usage = { prompt_tokens: 12, completion_tokens: 1, total_tokens: 13 };
  upstream.script(jsonAnswer({ error: { message: 'broke down' }, usage }));
  const { status, error } = await callLong(harness);
  assert.equal([status, error?.code], [403, 'insufficient_user_quota']);
  const [row, attempt] = await harness.rows();
  assert.equal([row?.failed, row?.quota, row?.group, row?.userId], [true, 0, 'cheap', 1]);
  assert.equal(Reflect.get(Object(row?.facts.error), 'code'), 'insufficient_user_quota');
  const { use_channel: channels, attempts } = Object(row?.facts.admin_info);
  assert.equal([channels, attempts.length, attempts[0].message], [['1'], 1, 'broke down']);
  assert.equal([attempt?.channelId, attempt?.group, attempt?.cost], [1, 'cheap', 20]);
  assert.is((await harness.user()).quota, 1000);
});

test('passes over a group that the balance does not reach for where a cheaper one comes after it', async ({
  start,
  upstream,
}) => {
  const harness = await start({
    ...threeGroups,
    channels: [...channelsAt(upstream.url), { id: 3, baseUrl: upstream.url, models: 'gpt-4o', group: 'cheapest' }],
  });
  upstream.script((_request, index) => (index === 0 ? brokenDown : jsonAnswer(completion())));
  assert.is((await callLong(harness)).status, 200);
  const [row, ...others] = await harness.rows();
  assert.equal([row?.group, row?.channelId, row?.quota, others.length], ['cheapest', 3, 10, 0]);
  assert.equal(Reflect.get(Object(row?.facts.admin_info), 'use_channel'), ['1', '3']);
  assert.equal([(await harness.user()).quota, upstream.requests.length], [990, 2]);
});

const dearFirst: typeof twoGroups = { ...twoGroups, options: { ...twoGroups.options, AutoGroups: ['dear', 'cheap'] } };

test('passes over the first group, too, where the balance does not reach for it', async ({ start, upstream }) => {
  const harness = await start({ ...dearFirst, user: { quota: 2000 }, channels: channelsAt(upstream.url) });
  assert.is((await callLong(harness)).status, 200);
  const [row, ...others] = await harness.rows();
  assert.equal([row?.group, row?.channelId, row?.quota, others.length], ['cheap', 1, 20, 0]);
  assert.equal([(await harness.user()).quota, upstream.requests.length], [1980, 1]);
  await harness.post('/v1/chat/completions', { ...chatRequest, max_tokens: 1 });
  await harness.settled();
  assert.is((await harness.rows())[1]?.group, 'dear', 'for what it reaches for, the first is asked first');
});

test('says that the balance is too small where it reaches for no group, and where the key names the dear channel', async ({
  start,
  upstream,
}) => {
  const user = { quota: 300, role: 10 };
  const harness = await start({ ...dearFirst, user, channels: channelsAt(upstream.url) });
  for (const suffix of ['', '-2']) {
    const answer = await harness.post(
      '/v1/chat/completions',
      { ...chatRequest, max_tokens: 200 },
      { headers: { authorization: `Bearer sk-${harness.key}${suffix}` } },
    );
    const { error } = await answer.json();
    assert.equal([answer.status, error.code], [403, 'insufficient_user_quota'], suffix);
  }
  await harness.settled();
  assert.equal([(await harness.user()).quota, (await harness.rows()).length, upstream.requests.length], [300, 0, 0]);
});

test('asks what cools in a cheaper group, once, where the balance does not reach for the group that does not', async ({
  start,
  upstream,
}) => {
  const harness = await start({ ...twoGroups, user: { quota: 1000 }, channels: channelsAt(upstream.url) });
  upstream.script((_request, index) => (index === 0 ? limited(20) : jsonAnswer(completion())));
  assert.equal([(await callLong(harness)).status, (await callLong(harness)).status], [429, 200]);
  const rows = await harness.rows();
  assert.equal([rows[1]?.group, rows[1]?.quota], ['cheap', 20]);
  assert.is((await harness.user()).quota, 980);
});

test('shows what came last where a group after the one that the balance does not reach for fails, too', async ({
  start,
  upstream,
}) => {
  const harness = await start({
    ...threeGroups,
    channels: [...channelsAt(upstream.url), { id: 3, baseUrl: upstream.url, models: 'gpt-4o', group: 'cheapest' }],
  });
  upstream.script(brokenDown);
  const { status, error } = await callLong(harness);
  assert.equal([status, error?.message.includes('broke down')], [500, true]);
  assert.equal([(await harness.user()).quota, upstream.requests.length], [1000, 2]);
});

test('bills a channel that the key names for the group in which it serves', async ({ start, upstream }) => {
  const harness = await start({ ...twoGroups, user: { role: 10 }, channels: channelsAt(upstream.url) });
  assert.is((await call(harness, `${harness.key}-2`)).status, 200);
  const [row] = await harness.rows();
  assert.equal([row?.group, row?.channelId, row?.quota], ['dear', 2, 80]);
});

test('takes turns with the keys of a channel that the key names, and leaves out one that cools', async ({
  start,
  upstream,
}) => {
  const channels = channelsAt(upstream.url, { keys: ['one', 'two'] });
  const harness = await start({ ...twoGroups, user: { role: 10 }, channels });
  upstream.script((_request, index) => (index === 2 ? limited(30) : jsonAnswer(completion())));
  for (let turn = 0; turn < 5; turn += 1) await call(harness, `${harness.key}-2`);
  const keys = upstream.requests.map(({ headers }) => String(headers.authorization).replace('Bearer ', ''));
  assert.equal(new Set(keys.slice(0, 2)), new Set(['one', 'two']));
  const other = keys[2] === 'one' ? 'two' : 'one';
  assert.equal(keys.slice(3), [other, other]);
});

test('asks nobody by the only key of the only channel of a group when it is switched off', async ({
  start,
  upstream,
}) => {
  for (const keyStatus of [2, 3] as const) {
    const [cheap, dear] = channelsAt(upstream.url);
    const harness = await start({ ...twoGroups, channels: [{ ...cheap, keyStatus }, { ...dear }] });
    assert.is((await call(harness)).status, 200);
    assert.is((await harness.rows())[0]?.channelId, 2, 'the next group is asked');
    harness.setChannels([{ ...cheap, keyStatus }]);
    const asked = upstream.requests.length;
    assert.is((await call(harness)).status, 503);
    assert.is(upstream.requests.length, asked);
  }
});

test('leaves a conversation where it is while a key names another channel for one of its turns', async ({
  start,
  upstream,
}) => {
  const affinity = { enabled: true, default_ttl_seconds: 3600, max_entries: 10, switch_on_success: true, rules: [] };
  const channels = [1, 2].map((id) => ({ id, baseUrl: upstream.url, models: 'gpt-4o', keys: [`key ${id}`] }));
  const harness = await start({ user: { role: 10 }, channels, options: { channel_affinity: affinity } });
  const messages = ['user', 'assistant', 'user'].map((role) => ({ role, content: 'go on' }));
  const turn = async (key = harness.key) => {
    const headers = { authorization: `Bearer sk-${key}` };
    await (await harness.post('/v1/chat/completions', { model: 'gpt-4o', messages }, { headers })).arrayBuffer();
    return Number(String(upstream.requests.at(-1)?.headers.authorization).slice(-1));
  };
  const first = await turn();
  const other = 3 - first;
  assert.is(await turn(`${harness.key}-${other}`), other);
  for (let more = 0; more < 5; more += 1) assert.is(await turn(), first);
});

test('lets a conversation go from a channel that is switched off, also where successes do not move it', async ({
  start,
  upstream,
}) => {
  const affinity = { enabled: true, default_ttl_seconds: 3600, max_entries: 10, switch_on_success: false, rules: [] };
  const channels = [1, 2].map((id) => ({ id, baseUrl: upstream.url, models: 'gpt-4o', keys: [`key ${id}`] }));
  const harness = await start({ channels, options: { channel_affinity: affinity } });
  const messages = ['user', 'assistant', 'user'].map((role) => ({ role, content: 'go on' }));
  const turns = async (count: number) => {
    upstream.requests.length = 0;
    for (let turn = 0; turn < count; turn += 1) {
      await (await harness.post('/v1/chat/completions', { model: 'gpt-4o', messages })).arrayBuffer();
    }
    return new Set(upstream.requests.map(({ headers }) => headers.authorization));
  };
  const [first, ...rest] = await turns(2);
  assert.equal(rest, []);
  harness.setChannels(channels.filter(({ keys }) => `Bearer ${keys[0]}` !== first));
  const [second] = await turns(1);
  assert.is.not(second, first);
  harness.setChannels(channels);
  assert.equal(await turns(12), new Set([second]));
});

test.run();
