/** What drawings cost, and what goes back when they fail (relay.md 8.5, 8.8, 8.9). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonAnswer } from '../support/fake-upstream.ts';
import type { GatewayHarness } from '../support/gateway-harness.ts';
import { drawingSecret } from '../support/task-parts.ts';
import { until } from '../support/until.ts';
import type { CheckedWorld } from './checked-books.ts';
import {
  accepted,
  callBack,
  drawingModels,
  drawsInWorlds,
  taskId as id,
  imagine,
  newestRow,
  PRICE,
  read,
  told,
} from './drawing-world.ts';
import { sent } from './task-world.ts';

const test = suite<CheckedWorld>('relay: bills of drawings');
drawsInWorlds(test);

test('gives the charge back once, however many bring the news of a failure', async ({ start, upstream }) => {
  const harness = await start({ options: { DataExportEnabled: true } });
  const before = await harness.user();
  await imagine(harness);
  assert.is((await harness.user()).quota, before.quota - PRICE);
  const failure = { status: 'FAILURE', failReason: 'banned', progress: '100%' };
  upstream.script(told(failure));
  await Promise.all([
    harness.tasks.followUp(),
    harness.tasks.followUp(),
    callBack(harness, failure),
    callBack(harness, failure),
  ]);
  await callBack(harness, failure);
  assert.is(await callBack(harness, { status: 'SUCCESS' }), 200, 'news that come late change nothing');
  const user = await harness.user();
  assert.equal([user.quota, user.usedQuota], [before.quota, before.usedQuota]);
  const token = await harness.database.stores.tokens.find(1);
  assert.equal([token?.usedQuota, token?.remainQuota], [0, PRICE * 100]);
  const ended = await newestRow(harness);
  assert.equal([ended.status, ended.failReason, ended.quota, ended.tokenQuota], ['FAILURE', 'banned', 0, 0]);
  const refunds = (await harness.rows()).filter(({ type }) => type === 4);
  assert.equal(
    refunds.map(({ quota, content, modelName }) => [quota, content, modelName]),
    [[PRICE, `IMAGINE task ${id} failed, refunded $0.100000`, 'mj_imagine']],
  );
  const hours = await harness.database.stores.quotaData.list({ userId: 1 }, { from: 0, until: 1e11 });
  assert.is(
    hours.reduce((sum, { quota }) => sum + quota, 0),
    -PRICE,
    'the harness counts no charges, and the refund once',
  );
});

test('says what an upstream answered, and bills what was taken on', async ({ start, upstream }) => {
  const harness = await start();
  const charged = async () => (await harness.user()).usedQuota;
  upstream.script(accepted({ code: 22, description: 'code":22' }));
  assert.equal((await imagine(harness)).body.code, 1, 'queued');
  assert.is(await charged(), PRICE);
  assert.is((await newestRow(harness)).code, 22);
  const refused = [
    [23, 'queue full'],
    [24, 'banned words'],
    [3, 'no account'],
    [4, 'bad image'],
  ] as const;
  for (const [code, description] of refused) {
    upstream.script(accepted({ code, description, result: '', properties: { bannedWord: 'x' } }));
    const { status, body } = await imagine(harness);
    assert.equal([status, body.code, body.properties], [200, code, { bannedWord: 'x' }]);
    assert.is(await charged(), PRICE, description);
    const kept = await newestRow(harness);
    assert.equal(
      [kept.status, kept.progress, kept.failReason, kept.quota],
      ['FAILURE', '100%', description, 0],
      description,
    );
  }
  upstream.script(jsonAnswer({ code: 0, success: false, message: 'limit' }));
  assert.is((await imagine(harness)).body.message, 'limit');
  upstream.script(jsonAnswer({ code: 22, description: 'queued?', result: id }, 400));
  const odd = await imagine(harness);
  assert.equal([odd.status, odd.body.code], [400, 22], 'nothing was taken on under a status that refuses');
  assert.is(await charged(), PRICE);
  assert.is(upstream.requests.length, 7, 'nothing is tried twice');
});

test('tells owners of refusals and failures without what belongs to the operator, who reads all but the key', async ({
  start,
  upstream,
}) => {
  const key = 'sk-drawings';
  const channel = { id: 1, type: 5, baseUrl: upstream.url, models: drawingModels, keys: [key] };
  const harness = await start({ channels: [channel] });
  const { host } = new URL(upstream.url);
  const said = `no account of ${key} at ${host} for boss@canary.example (channel 1)`;
  const masked = 'no account of *** at *** for *** (***)';
  upstream.script(accepted({ code: 4, description: said, result: '', error: said }));
  const { body } = await imagine(harness);
  assert.equal([body.description, body.error, body.result], [masked, masked, '']);
  const refused = await newestRow(harness);
  assert.equal([refused.description, refused.failReason], [masked, masked]);
  const forOperator = said.replace(key, '***');
  const [refusal] = await harness.rows();
  assert.is(refusal?.content, masked);
  const { attempts } = Object(refusal?.facts.admin_info);
  assert.equal([attempts[0].code, attempts[0].message], ['4', forOperator]);

  const failure = { status: 'FAILURE', failReason: said, description: said };
  for (const [taskId, hear] of [
    ['1768480200123457', () => harness.tasks.followUp()],
    ['1768480200123458', () => callBack(harness, { id: '1768480200123458', ...failure })],
  ] as const) {
    upstream.script(accepted({ result: taskId }));
    await imagine(harness);
    await harness.settled();
    upstream.script(jsonAnswer([{ id: taskId, ...failure }]));
    await hear();
    const task = await (await read(harness, `/mj/task/${taskId}/fetch`)).json();
    assert.equal([task.status, task.failReason, task.description], ['FAILURE', masked, masked]);
    const refund = (await harness.rows())
      .filter(({ type }) => type === 4)
      .find(({ content }) => content.includes(taskId));
    assert.equal(refund?.facts.admin_info, { fail_reason: forOperator });
  }

  upstream.script(accepted());
  await imagine(harness);
  upstream.script(told({ status: 'SUCCESS' }));
  await harness.tasks.followUp();
  upstream.script(jsonAnswer({ code: 1, description: said, result: '42' }));
  const seed = await (await read(harness, `/mj/task/${id}/image-seed`)).json();
  assert.equal(seed, { code: 1, description: masked, result: '42' });
});

test('hides what upstreams refuse with where the site hides it', async ({ start, upstream }) => {
  const harness = await start({ options: { 'global.hide_upstream_error_enabled': true } });
  upstream.script(accepted({ code: 24, description: 'banned words', result: '', properties: { bannedWord: 'x' } }));
  const { status, body } = await imagine(harness);
  const hidden = 'Upstream error with status code 502';
  assert.equal([status, body.code, body.description, body.properties], [200, 24, hidden, { bannedWord: 'x' }]);
  assert.is((await newestRow(harness)).failReason, hidden);
  const [row] = await harness.rows();
  assert.equal([row?.content, Object(row?.facts.admin_info).attempts[0].message], [hidden, 'banned words']);
  upstream.script(accepted());
  assert.is((await imagine(harness)).body.description, 'ok', 'an answer is no error');
  await harness.settled();
  await callBack(harness, { status: 'FAILURE', failReason: 'banned' });
  assert.is((await newestRow(harness)).failReason, hidden);
  assert.equal((await harness.rows()).at(-1)?.facts.admin_info, { fail_reason: 'banned' });
});

test('keeps for operators why a task failed that cost nothing', async ({ start, upstream }) => {
  const harness = await start({ options: { GroupRatio: { default: 0 } } });
  const said = 'no account for boss@canary.example';
  for (const failReason of [said, 'banned']) {
    await imagine(harness);
    upstream.script(told({ status: 'FAILURE', failReason }));
    await harness.tasks.followUp();
    upstream.script(accepted());
  }
  assert.is((await newestRow(harness)).failReason, 'banned');
  const events = (await harness.rows()).filter(({ type }) => type === 4);
  assert.equal(
    events.map(({ quota, content, facts }) => [quota, content, facts.admin_info]),
    [[0, `IMAGINE task ${id} failed`, { fail_reason: said }]],
    'what the owner reads in full needs no second place',
  );
});

test('tells nobody where its upstream calls back, nor what it calls its accounts', async ({ start, upstream }) => {
  const harness = await start({ options: { MjNotifyEnabled: true, ServerAddress: 'https://gate.example' } });
  const notifyHook = `https://gate.example/mj/notify?c=1&s=${drawingSecret(1)}`;
  const properties = { notifyHook, discordInstanceId: '1118138338562560102', finalPrompt: 'a cat --v 7' };
  upstream.script(accepted({ properties }));
  const { body } = await imagine(harness);
  assert.equal(body.properties, { discordInstanceId: '1118138338562560102', finalPrompt: 'a cat --v 7' });
  const shown = async () => (await (await read(harness, `/mj/task/${id}/fetch`)).json()).properties;
  assert.equal(await shown(), { finalPrompt: 'a cat --v 7' });
  await callBack(harness, { status: 'SUCCESS', properties: { ...properties, finalPrompt: 'a cat' } });
  assert.equal(await shown(), { finalPrompt: 'a cat' });
  assert.not.match((await newestRow(harness)).properties, /notify|discord/);
});

test('does not bill again what exists and was paid for', async ({ start, upstream }) => {
  const harness = await start();
  await imagine(harness);
  upstream.script(told({ status: 'SUCCESS', progress: '100%' }));
  await harness.tasks.followUp();
  const done = { status: 'SUCCESS', imageUrl: 'https://cdn.example/u.png' };
  const other = '1768480200999999';
  upstream.script(accepted({ code: 21, result: other, properties: done }));
  const change = { taskId: id, action: 'UPSCALE', index: 1 };
  const first = await (await harness.post('/mj/submit/change', change)).json();
  assert.is(first.code, 1);
  const kept = await newestRow(harness);
  assert.equal(
    [kept.mjId, kept.status, kept.progress, kept.imageUrl, kept.prompt],
    [other, 'SUCCESS', '100%', 'https://cdn.example/u.png', 'a cat'],
  );
  assert.is((await harness.user()).usedQuota, PRICE + 25_000);
  const again = await (await harness.post('/mj/submit/change', change)).json();
  assert.is(again.code, 1);
  assert.is((await harness.user()).usedQuota, PRICE + 25_000);
  const { total } = await harness.database.stores.midjourneys.list({}, { offset: 0, limit: 1 });
  assert.is(total, 2, 'the row that is there stays the only one');
});

test('opens dialogs for nothing and bills their end', async ({ start, upstream }) => {
  const harness = await start();
  await imagine(harness);
  upstream.script(told({ status: 'SUCCESS' }));
  await harness.tasks.followUp();
  const dialog = '1768480200777777';
  upstream.script(accepted({ code: 21, description: 'Waiting for window confirm', result: dialog }));
  const pressed = await harness.post('/mj/submit/action', { taskId: id, customId: 'MJ::Inpaint::1::h::SOLO' });
  assert.is((await pressed.json()).code, 21, 'clients open the mask on it');
  assert.equal([(await newestRow(harness)).status, (await newestRow(harness)).quota], ['MODAL', 0]);
  assert.is((await harness.user()).usedQuota, PRICE);
  upstream.script(accepted({ result: dialog }));
  const sentMask = await harness.post('/mj/submit/modal', { taskId: dialog, maskBase64: 'data:image/png;base64,AA' });
  assert.is((await sentMask.json()).code, 1, 'a dialog need not be finished to be answered');
  assert.is((await harness.user()).usedQuota, PRICE * 2);
  assert.equal([(await newestRow(harness)).action, (await newestRow(harness)).prompt], ['MODAL', 'a cat']);
  upstream.script(jsonAnswer([{ id: dialog, status: 'FAILURE' }]));
  await harness.tasks.followUp();
  assert.is((await harness.user()).usedQuota, PRICE, 'both rows end, and the paid one is refunded');
});

test('gives the hold back where the upstream says nothing of use', async ({ start, upstream }) => {
  const harness = await start({ options: { AutomaticDisableChannelEnabled: true } });
  const before = await harness.user();
  const cases = [
    [{ end: 'reset' }, 400, 5, 'do_request_failed'],
    [{ chunks: [] }, 400, 5, 'empty_response_body'],
    [{ chunks: ['<html>'] }, 400, 5, 'unmarshal_response_body_failed'],
    [{ status: 403, chunks: ['not logged in'] }, 400, 5, 'upstream_auth_failed'],
    [jsonAnswer({ message: 'slow down' }, 429), 429, 30, 'bad_response_status_code'],
  ] as const;
  for (const [script, status, code, word] of cases) {
    upstream.script(script);
    const { status: seen, body } = await imagine(harness);
    assert.equal([seen, body.code], [status, code], word);
    assert.ok(body.description.startsWith(`${word} `), body.description);
    // The pause is over before the next.
    harness.health.succeeded(pickOf(harness));
  }
  const after = await harness.user();
  assert.equal([after.quota, after.usedQuota], [before.quota, before.usedQuota]);
  assert.is(harness.disabled.length, 1, 'a wrong secret speaks against the channel');
});

function pickOf(harness: GatewayHarness) {
  const channel = harness.view.channels.get(1);
  const [key] = channel?.keys ?? [];
  assert.ok(channel !== undefined && key !== undefined);
  return { channel, key };
}

test('hears callbacks that know the channel’s secret and no others', async ({ start }) => {
  const harness = await start();
  await imagine(harness);
  const news = { status: 'SUCCESS', progress: '100%', imageUrl: 'https://cdn.example/x.png' };
  for (const query of ['', 'c=1', `c=2&s=${drawingSecret(1)}`, `c=1&s=${drawingSecret(2)}`]) {
    assert.is(await callBack(harness, news, query), 403, query);
  }
  assert.is(await callBack(harness, news, `c=2&s=${drawingSecret(2)}`), 404, 'another channel’s task');
  assert.is((await newestRow(harness)).status, 'SUBMITTED');
  const padded = { ...news, description: 'x'.repeat(600_000) };
  assert.is(await callBack(harness, padded), 400, 'more than half a megabyte');
  assert.is(await callBack(harness, { ...news, imageUrl: 'javascript:alert(1)', promptEn: 'p' }), 200);
  const ended = await newestRow(harness);
  assert.equal([ended.status, ended.imageUrl, ended.promptEn], ['SUCCESS', '', 'p']);
  assert.ok(ended.finishTime > 0);
});

test('takes what nobody has heard of for an hour for lost, and at once what its channel is gone for', async ({
  start,
  upstream,
}) => {
  const harness = await start();
  await imagine(harness);
  const first = await newestRow(harness);
  upstream.script(jsonAnswer([]));
  await harness.tasks.followUp();
  assert.is((await newestRow(harness)).status, 'SUBMITTED', 'an upstream may need a moment');
  harness.setChannels([{ id: 1, type: 5, baseUrl: upstream.url, models: drawingModels, status: 2 }]);
  const asked = upstream.requests.length;
  await harness.tasks.followUp();
  assert.is(upstream.requests.length, asked + 1, 'what a channel has begun is its own to finish');
  const { id: _, quota, ...old } = first;
  await harness.database.stores.midjourneys.insert({
    ...old,
    quota: 0,
    tokenQuota: 0,
    submitTime: Date.now() - 3_700_000,
  });
  await harness.tasks.followUp();
  const lost = await newestRow(harness);
  assert.equal([lost.status, lost.progress, lost.failReason], ['FAILURE', '100%', 'upload or task timeout']);
  assert.is((await harness.user()).usedQuota, quota, 'the younger one goes on');
  harness.setChannels([]);
  await harness.tasks.followUp();
  assert.is((await harness.user()).usedQuota, quota, 'a new channel may be unknown to a node for a moment');
  await harness.tasks.followUp();
  const reasons = (await harness.database.stores.midjourneys.findOfChannel(first.mjId, 1)).map((row) => row.failReason);
  assert.equal(reasons.sort(), ['the task cannot be followed any more', 'upload or task timeout']);
  assert.is((await harness.user()).usedQuota, 0);
});

test('takes for lost after an hour what its upstream knows no more, and not what it cannot be asked about', async ({
  start,
  upstream,
}) => {
  const harness = await start();
  await imagine(harness);
  const { id: _, ...young } = await newestRow(harness);
  const old = { status: 'IN_PROGRESS', progress: '40%', submitTime: Date.now() - 3_700_000 };
  await harness.database.stores.midjourneys.insert({ ...young, ...old, mjId: '17684', quota: 0, tokenQuota: 0 });
  upstream.script({ status: 500, chunks: ['away'] });
  await harness.tasks.followUp();
  assert.is((await newestRow(harness)).status, 'IN_PROGRESS');
  upstream.script(jsonAnswer([]));
  await harness.tasks.followUp();
  assert.equal([(await newestRow(harness)).status, (await harness.user()).usedQuota], ['FAILURE', PRICE]);
});

test('holds a missing account against the channel, but not the end of a task that goes on', async (context) => {
  const { start, upstream } = context;
  const harness = await start({ options: { AutomaticDisableChannelEnabled: true, AutomaticDisableFailures: 1 } });
  await imagine(harness);
  await callBack(harness, { status: 'SUCCESS' });
  upstream.script(accepted({ code: 3, description: 'task not found', result: '' }));
  const gone = await harness.post('/mj/submit/change', { taskId: id, action: 'REROLL' });
  assert.is((await gone.json()).code, 3);
  upstream.script(accepted({ code: 23, description: 'queue full', result: '' }));
  await imagine(harness);
  assert.equal(harness.disabled, []);
  upstream.script(accepted({ code: 3, description: 'no account', result: '' }));
  await imagine(harness);
  assert.is(harness.disabled.length, 1);
});

test('costs what the group pays, and gives back as much (relay.md 19.1 case 11)', async ({ start, upstream }) => {
  const channels = [{ id: 1, type: 2, baseUrl: upstream.url, models: drawingModels, group: 'vip' }];
  const harness = await start({ channels, user: { group: 'vip' }, options: { GroupRatio: { vip: 0.9 } } });
  const { quota } = await harness.user();
  await imagine(harness);
  assert.is((await harness.user()).quota, quota - 45_000);
  await callBack(harness, { status: 'FAILURE' });
  assert.is((await harness.user()).quota, quota);
});

test('keeps what was accepted for a client that has left', async ({ start, upstream }) => {
  const harness = await start();
  upstream.script({ ...accepted(), headersAfterMs: 60 });
  const leaving = new AbortController();
  const calling = harness.post('/mj/submit/imagine', { prompt: 'a cat' }, { signal: leaving.signal });
  await until(() => upstream.requests.length === 1);
  leaving.abort();
  await calling.catch(() => undefined);
  assert.is((await harness.user()).usedQuota, PRICE);
  assert.equal([(await newestRow(harness)).mjId, (await newestRow(harness)).quota], [id, PRICE]);
});

test('bills a task that could not be remembered, and reports its id', async ({ start }) => {
  const harness = await start();
  harness.tasks.drawings.insert = () => Promise.reject(new Error('no table'));
  const { body } = await imagine(harness);
  assert.equal([body.code, body.result], [1, id]);
  assert.is((await harness.user()).usedQuota, PRICE);
  const [lost] = harness.reports;
  assert.match(JSON.stringify(lost), new RegExp(`"taskId":"${id}","channelId":1`));
});

test('bills uploads and swapped faces, which end at once or like a drawing', async ({ start, upstream }) => {
  const harness = await start();
  upstream.script(accepted({ result: ['https://cdn.example/1.png'] }));
  const uploaded = await harness.post('/mj/submit/upload-discord-images', {
    base64Array: ['data:image/png;base64,AA'],
  });
  assert.equal((await uploaded.json()).result, ['https://cdn.example/1.png']);
  const upload = await newestRow(harness);
  assert.equal([upload.action, upload.status, upload.progress, upload.quota], ['UPLOAD', 'SUCCESS', '100%', 25_000]);
  upstream.script(accepted());
  const faces = { sourceBase64: 'data:image/png;base64,AA', targetBase64: 'data:image/png;base64,AB' };
  assert.is((await (await harness.post('/mj/insight-face/swap', faces)).json()).code, 1);
  assert.is(upstream.requests.at(-1)?.url, '/mj/insight-face/swap');
  assert.equal(sent(upstream.requests.at(-1)), faces);
  assert.is((await harness.rows()).at(-1)?.modelName, 'swap_face');
  assert.is((await harness.user()).usedQuota, 50_000);
});

test.run();
