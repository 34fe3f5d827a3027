/** Music tasks: what is asked, remembered, charged and told (relay.md 9). Runs once: the books run on both engines elsewhere. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asTexts } from '../../daemon/relay/formats/fields.ts';
import type { Json } from '../../daemon/relay/json.ts';
import type { TaskRecord } from '../../daemon/store/tasks.ts';
import { type FakeUpstream, jsonAnswer, type RecordedRequest } from '../support/fake-upstream.ts';
import { type GatewayHarness, testKey } from '../support/gateway-harness.ts';
import type { CheckedWorld } from './checked-books.ts';
import { sent, tasksInWorlds } from './task-world.ts';

const test = suite<CheckedWorld>('relay: songs');

const SUNO = 36;
const MUSIC = 50_000;
const LYRICS = 5000;
const models = 'suno_music,suno_lyrics';
const clips = [{ id: 'clip', title: 'Cat', audio_url: 'https://cdn1.suno.ai/clip.mp3' }];
const accepted = (id: Json = 't-1') => jsonAnswer({ code: 'success', message: '', data: id });
const told = (...tasks: Record<string, Json>[]) =>
  jsonAnswer({
    code: 'success',
    message: '',
    data: tasks.map((task) => ({ task_id: 't-1', action: 'MUSIC', ...task })),
  });

tasksInWorlds(test, { type: SUNO, models, price: MUSIC, accepts: () => accepted() });

async function submit(harness: GatewayHarness, body: Record<string, Json> = { prompt: 'hi' }, action = 'music') {
  const answer = await harness.post(`/suno/submit/${action}`, body);
  return { status: answer.status, body: await answer.json() };
}

async function read(harness: GatewayHarness, id: string, key = harness.key) {
  const answer = await fetch(`${harness.url}/suno/fetch/${id}`, { headers: { authorization: `Bearer sk-${key}` } });
  return { status: answer.status, body: await answer.json() };
}

async function list(harness: GatewayHarness, body: Record<string, Json>) {
  const answer = await harness.post('/suno/fetch', body);
  return { status: answer.status, body: await answer.json() };
}

async function rowOf(harness: GatewayHarness, taskId = 't-1'): Promise<TaskRecord> {
  const { items } = await harness.database.stores.tasks.list({ taskId }, { offset: 0, limit: 1 });
  assert.ok(items[0], 'a row');
  return items[0];
}

/** Somebody else's task. */
async function foreign(harness: GatewayHarness): Promise<void> {
  await submit(harness);
  const { id: _, ...row } = await rowOf(harness);
  await harness.database.stores.tasks.insert({ ...row, taskId: 'theirs', userId: 2 });
}

test('are asked for, followed, and told as their upstream tells them', async ({ start, upstream }) => {
  const harness = await start();
  const made = await submit(harness, { gpt_description_prompt: 'a cat', own: { kept: 1 } }, 'Music');
  assert.equal([made.status, made.body], [200, { code: 'success', message: '', data: 't-1' }]);
  const [order] = upstream.requests;
  assert.equal(
    [order?.method, order?.url, order?.headers.authorization],
    ['POST', '/suno/submit/MUSIC', 'Bearer sk-one'],
  );
  assert.equal(sent(order), {
    gpt_description_prompt: 'a cat',
    own: { kept: 1 },
    mv: 'chirp-v3-0',
    make_instrumental: false,
  });
  await harness.settled();
  const begun = await read(harness, 't-1');
  assert.equal([begun.body.data.status, begun.body.data.progress, begun.body.data.data], ['SUBMITTED', '0%', null]);
  assert.is(upstream.requests.length, 1, 'clients are answered from the own table');
  upstream.script(told({ status: 'processing', progress: '40%', start_time: 1_768_480_205_000 }));
  await harness.tasks.followUp();
  assert.equal([upstream.requests[1]?.url, sent(upstream.requests[1])], ['/suno/fetch', { ids: ['t-1'] }]);
  assert.is((await read(harness, 't-1')).body.data.start_time, 1_768_480_205);
  upstream.script(told({ status: 'complete', data: clips, finish_time: 1_768_480_290 }));
  await harness.tasks.followUp();
  const { status, body } = await read(harness, 't-1');
  const { submit_time, ...task } = body.data;
  assert.ok(Math.abs(submit_time - Date.now() / 1000) < 60);
  const ended = { status: 'SUCCESS', fail_reason: '', progress: '100%', data: clips };
  const times = { start_time: 1_768_480_205, finish_time: 1_768_480_290 };
  assert.equal([status, body.code, task], [200, 'success', { task_id: 't-1', action: 'MUSIC', ...ended, ...times }]);
  const asked = upstream.requests.length;
  await harness.tasks.followUp();
  assert.is(upstream.requests.length, asked, 'what is done is asked for no more');
});

test('are listed in the order of their ids, for their owner alone', async ({ start, upstream }) => {
  const harness = await start();
  await foreign(harness);
  upstream.script(accepted({ task_id: 't-2' }));
  assert.is((await submit(harness, { prompt: 'cats' }, 'lyrics')).body.data, 't-2');
  const ids = async (body: Record<string, Json>) =>
    (await list(harness, body)).body.data.map(({ task_id }: { task_id: string }) => task_id);
  assert.equal(await ids({ ids: ['t-2', 'none', 'theirs', 't-1'] }), ['t-2', 't-1']);
  assert.equal(await ids({ ids: ['t-2', 't-1'], action: 'music' }), ['t-1']);
  assert.equal(await ids({}), []);
  const many = await list(harness, { ids: Array(101).fill('t-1') });
  assert.equal([many.status, many.body.code, many.body.data], [400, 'invalid_request', null]);
  for (const id of ['theirs', 'none']) {
    const missed = await read(harness, id);
    assert.equal([missed.status, missed.body.code, missed.body.data], [404, 'task_not_exist', null], id);
  }
  const stranger = await read(harness, 't-1', testKey('nobody'));
  assert.equal([stranger.status, stranger.body.code], [401, 'access_denied']);
});

test('cost their price once they are accepted, and nothing where they are refused', async ({ start, upstream }) => {
  const harness = await start();
  const before = (await harness.user()).quota;
  await submit(harness);
  await submit(harness, { prompt: 'cats' }, 'lyrics');
  const user = await harness.user();
  assert.equal([before - user.quota, user.usedQuota], [MUSIC + LYRICS, MUSIC + LYRICS]);
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ quota, modelName, facts }) => [quota, modelName, facts.task_id]),
    [
      [MUSIC, 'suno_music', 't-1'],
      [LYRICS, 'suno_lyrics', 't-1'],
    ],
  );
  let channel = 1;
  for (const [answer, status, code] of [
    [jsonAnswer({ code: 'invalid_request', message: 'too long', data: null }), 400, 'invalid_request'],
    [jsonAnswer({ code: 'invalid_request', message: 'too long', data: null }, 422), 422, 'invalid_request'],
    [jsonAnswer({ code: 'quota_not_enough', message: 'credits', data: null }), 502, 'upstream_auth_failed'],
    [jsonAnswer({ code: 'success', message: '', data: 'x'.repeat(51) }), 500, 'unmarshal_response_body_failed'],
    [{ chunks: ['<html>'] }, 500, 'unmarshal_response_body_failed'],
    [{ end: 'reset' }, 500, 'do_request_failed'],
    [{ status: 504, chunks: ['slow'] }, 504, 'fail_to_fetch_task'],
  ] as const) {
    // What one answer cools or disables is not there for the next.
    channel += 1;
    harness.setChannels([{ id: channel, type: SUNO, baseUrl: upstream.url, models, keys: [`sk-${channel}`] }]);
    upstream.script(answer);
    const refused = await submit(harness);
    assert.equal([refused.status, refused.body.code, refused.body.data], [status, code, null], refused.body.message);
    assert.is((await harness.user()).quota, user.quota, code);
  }
  const { total } = await harness.database.stores.tasks.list({}, { offset: 0, limit: 1 });
  assert.is(total, 2, 'only what was accepted is remembered');
});

test('give their price back once when they fail, and after a day at the latest', async ({ start, upstream }) => {
  const harness = await start();
  const before = await harness.user();
  await submit(harness);
  assert.is((await harness.user()).quota, before.quota - MUSIC);
  const said = 'copyright, says boss@canary.example of channel 1';
  const clip = { id: 'clip', status: 'error', metadata: { error_type: 'moderation', error_message: said } };
  upstream.script(told({ status: 'FAILURE', fail_reason: said, data: [clip] }));
  await Promise.all([harness.tasks.followUp(), harness.tasks.followUp(), harness.tasks.followUp()]);
  upstream.script(told({ status: 'SUCCESS' }));
  await harness.tasks.followUp();
  const failed = await rowOf(harness);
  const shown = 'copyright, says *** of ***';
  assert.equal([failed.status, failed.failReason, failed.progress, failed.quota], ['FAILURE', shown, '100%', 0]);
  const [ended] = JSON.parse(failed.data);
  assert.equal(ended, { ...clip, metadata: { error_type: 'moderation', error_message: shown } });
  const user = await harness.user();
  assert.equal([user.quota, user.usedQuota], [before.quota, before.usedQuota]);
  assert.equal((await harness.database.stores.tokens.find(1))?.remainQuota, MUSIC * 100);
  const refunds = (await harness.rows()).filter(({ type }) => type === 4);
  assert.equal(
    refunds.map(({ quota, content, modelName }) => [quota, content, modelName]),
    [[MUSIC, 'MUSIC task t-1 failed, refunded $0.100000', 'suno_music']],
  );
  assert.equal(refunds[0]?.facts.admin_info, { fail_reason: said });
  upstream.script(accepted('t-old'));
  await submit(harness);
  await harness.settled();
  const { id, ...old } = await rowOf(harness, 't-old');
  await harness.database.stores.tasks.advance(id, { status: 'FAILURE' });
  await harness.database.stores.tasks.insert({ ...old, taskId: 't-late', submitTime: old.submitTime - 86_500 });
  upstream.script({ status: 500, chunks: ['away'] });
  await harness.tasks.followUp();
  const late = await rowOf(harness, 't-late');
  assert.equal([late.status, late.failReason, late.quota], ['FAILURE', 'task timeout', 0]);
  assert.is((await harness.user()).quota, before.quota, 'the charge of the late one is given back');
});

test('are followed a part at a time where they are many, none forgotten', async ({ start, upstream }) => {
  const harness = await start();
  await submit(harness);
  await harness.settled();
  const { id: _, ...row } = await rowOf(harness);
  await harness.database.transaction(async ({ tasks }) => {
    for (let at = 2; at <= 501; at += 1) await tasks.insert({ ...row, taskId: `t-${at}`, quota: 0, tokenQuota: 0 });
  });
  upstream.script(told());
  const askedFor = async () => {
    upstream.requests.length = 0;
    await harness.tasks.followUp();
    return upstream.requests.flatMap((request) => asTexts(sent(request).ids));
  };
  const first = await askedFor();
  assert.equal([first.length, upstream.requests.length, first[0], first.at(-1)], [500, 5, 't-1', 't-500']);
  assert.equal(await askedFor(), ['t-501']);
  assert.is((await askedFor()).length, 500);
});

test('are asked for once a round where no answer comes, and the others among them first in the next', async ({
  start,
  upstream,
}) => {
  const harness = await start();
  await submit(harness);
  await harness.settled();
  const { id: _, ...row } = await rowOf(harness);
  await harness.database.transaction(async ({ tasks }) => {
    for (let at = 2; at <= 150; at += 1) await tasks.insert({ ...row, taskId: `t-${at}`, quota: 0, tokenQuota: 0 });
  });
  const rounds = async () => {
    upstream.requests.length = 0;
    await harness.tasks.followUp();
    return upstream.requests.map((request) => {
      const ids = asTexts(sent(request).ids);
      return [ids[0], ids.at(-1)];
    });
  };
  upstream.script({ chunks: ['{'], end: 'reset' });
  assert.equal(await rounds(), [['t-1', 't-100']]);
  assert.equal(await rounds(), [['t-101', 't-50']]);
  upstream.script(told());
  assert.equal(await rounds(), [
    ['t-51', 't-150'],
    ['t-1', 't-50'],
  ]);
  assert.equal((await rounds())[0], ['t-1', 't-100']);
});

test('are asked for by nobody where their channel has another type since, and end where it is gone', async ({
  start,
  upstream,
}) => {
  const harness = await start();
  await submit(harness);
  await harness.settled();
  harness.setChannels([{ id: 1, type: 1, baseUrl: upstream.url, models }]);
  upstream.requests.length = 0;
  await harness.tasks.followUp();
  assert.equal([upstream.requests.length, harness.reports], [0, []]);
  harness.setChannels([]);
  for (const _ of [1, 2, 3]) await harness.tasks.followUp();
  const refunds = (await harness.rows()).filter(({ type }) => type === 4);
  assert.equal(
    refunds.map(({ facts }) => facts.admin_info),
    [{ fail_reason: 'its channel was deleted' }],
  );
});

const two = ({ url: baseUrl }: FakeUpstream, firstId = 1) => [
  { id: firstId, type: SUNO, baseUrl, models, keys: ['sk-one'], priority: 9 },
  { id: firstId + 1, type: SUNO, baseUrl, models, keys: ['sk-two'] },
];
const asker = ({ headers }: RecordedRequest) => String(headers.authorization);

test('are tried elsewhere only where certainly nothing was begun', async ({ start, upstream }) => {
  const harness = await start({ options: { RetryTimes: 2 } });
  let charged = 0;
  let id = 1;
  for (const [answer, tries] of [
    [jsonAnswer({ code: 'busy', message: 'limit' }, 429), 2],
    [jsonAnswer({ code: 'x', message: 'no' }, 403), 2],
    [jsonAnswer({ code: 'x', message: 'insufficient credits' }), 2],
    [jsonAnswer({ code: 'x', message: 'broken' }, 500), 1],
    [jsonAnswer({ code: 'invalid_request', message: 'too long' }), 1],
  ] as const) {
    id += 2;
    harness.setChannels(two(upstream, id));
    upstream.requests.length = 0;
    upstream.script((request) => (asker(request) === 'Bearer sk-one' ? answer : accepted()));
    const { status } = await submit(harness);
    assert.equal([upstream.requests.length, status === 200], [tries, tries === 2], JSON.stringify(answer));
    if (tries === 2) charged += MUSIC;
    assert.is((await harness.user()).usedQuota, charged);
  }
});

test('are asked for in the cheapest of several groups where the balance does not reach for a dearer one', async ({
  start,
  upstream,
}) => {
  const groups = { cheap: 0.5, dear: 2, cheapest: 0.25 };
  const harness = await start({
    user: { quota: MUSIC },
    token: { group: 'auto' },
    options: {
      RetryTimes: 2,
      AutoGroups: Object.keys(groups),
      UserUsableGroups: { auto: 'auto', cheap: 'cheap', dear: 'dear', cheapest: 'cheapest' },
      GroupRatio: groups,
    },
    channels: Object.keys(groups).map((group, index) => ({
      ...{ id: index + 1, type: SUNO, baseUrl: upstream.url, models, group },
      ...(group === 'dear' ? { limits: { cap: 1, tpm: 0, concurrency: 0 } } : {}),
    })),
  });
  upstream.script((_request, index) => (index === 0 ? jsonAnswer({ message: 'slow down' }, 429) : accepted()));
  assert.is((await submit(harness)).status, 200);
  await harness.settled();
  const [row, ...others] = await harness.rows();
  assert.equal([row?.group, row?.channelId, row?.quota, others.length], ['cheapest', 3, MUSIC / 4, 0]);
  assert.equal(Reflect.get(Object(row?.facts.admin_info), 'use_channel'), ['1', '3']);
  assert.is((await harness.user()).quota, (MUSIC * 3) / 4);
  // The key of the group that was passed over was sent nothing, and has room for what the balance does reach for.
  upstream.script((_request, index) => (index === 0 ? jsonAnswer({ message: 'slow down' }, 429) : accepted('t-2')));
  assert.is((await submit(harness, { prompt: 'hi' }, 'lyrics')).status, 200);
  await harness.settled();
  const lyrics = (await harness.rows()).at(-1);
  assert.equal([lyrics?.group, lyrics?.channelId, lyrics?.quota], ['dear', 2, LYRICS * 2]);
});

test('are asked for in a cheaper group where the balance does not reach for the first', async ({ start, upstream }) => {
  const groups = { dear: 2, cheap: 0.5 };
  const harness = await start({
    user: { quota: MUSIC },
    token: { group: 'auto' },
    options: {
      AutoGroups: Object.keys(groups),
      UserUsableGroups: { auto: 'auto', cheap: 'cheap', dear: 'dear' },
      GroupRatio: groups,
    },
    channels: Object.keys(groups).map((group, index) => ({
      ...{ id: index + 1, type: SUNO, baseUrl: upstream.url, models, group },
    })),
  });
  upstream.script(accepted());
  assert.is((await submit(harness)).status, 200);
  await harness.settled();
  const [row] = await harness.rows();
  assert.equal([row?.group, row?.channelId, row?.quota, upstream.requests.length], ['cheap', 2, MUSIC / 2, 1]);
  assert.is((await harness.user()).quota, MUSIC / 2);
  assert.is((await submit(harness)).status, 200);
  assert.is((await submit(harness)).body.code, 'quota_not_enough');
});

test('go on where they were begun, for their owner, and nowhere else', async ({ start, upstream }) => {
  const harness = await start({ channels: two(upstream), options: { RetryTimes: 2 } });
  await foreign(harness);
  const extend = { continue_clip_id: 'clip', continue_at: 12.5 };
  for (const task_id of ['theirs', 'none']) {
    const { status, body } = await submit(harness, { ...extend, task_id });
    assert.equal([status, body.code], [404, 'task_not_exist'], task_id);
  }
  assert.is((await submit(harness, extend)).body.code, 'invalid_request');
  const [first, second] = two(upstream);
  assert.ok(first && second);
  // Routing would prefer the other channel by now.
  harness.setChannels([
    { ...first, priority: 0 },
    { ...second, priority: 9 },
  ]);
  upstream.requests.length = 0;
  upstream.script(accepted('t-2'));
  assert.is((await submit(harness, { ...extend, task_id: 't-1' })).status, 200);
  assert.equal(upstream.requests.map(asker), ['Bearer sk-one']);
  upstream.script(jsonAnswer({ code: 'busy', message: 'limit' }, 429));
  assert.is((await submit(harness, { ...extend, task_id: 't-1' })).status, 429);
  assert.equal(upstream.requests.map(asker), ['Bearer sk-one', 'Bearer sk-one'], 'nobody else is asked');
  harness.setChannels([{ ...first, status: 2 }, second]);
  assert.is((await submit(harness, { ...extend, task_id: 't-1' })).body.code, 'task_channel_disable');
  harness.setChannels([second]);
  assert.is((await submit(harness, { ...extend, task_id: 't-1' })).body.code, 'channel_not_found');
});

test('are refused as every call is, in words that their clients know', async ({ start, upstream }) => {
  const poor = await start({ user: { quota: MUSIC - 1 } });
  const short = await submit(poor);
  assert.equal([short.status, short.body.code, short.body.data], [403, 'quota_not_enough', null]);
  const limited = await start({ token: { modelLimitsEnabled: true, modelLimits: 'suno_lyrics' } });
  const { status: seen, body: words } = await submit(limited);
  assert.equal([seen, words.code], [403, 'model_not_allowed']);
  const careful = await start({
    options: { CheckSensitiveEnabled: true, CheckSensitiveOnPromptEnabled: true, SensitiveWords: ['dragon'] },
  });
  const hit = await submit(careful, { prompt: 'hi', tags: 'Dragon pop' });
  assert.equal([hit.status, hit.body.code], [400, 'sensitive_words_detected']);
  for (const [action, body] of [
    ['concat', { prompt: 'hi' }],
    ['music', {}],
    ['lyrics', { gpt_description_prompt: 'hi' }],
  ] as const) {
    const { status, body: told } = await submit(careful, body, action);
    assert.equal([status, told.code, told.data], [400, 'invalid_request', null], action);
  }
  const broken = await careful.post('/suno/submit/music', '{');
  assert.equal([broken.status, (await broken.json()).code], [400, 'invalid_request']);
  assert.is((await careful.post('/suno/fetch/t-1', {})).status, 405);
  assert.is((await careful.post('/suno/account', {})).status, 404);
  assert.is(upstream.requests.length, 0);
});

test.run();
