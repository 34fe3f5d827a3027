/** The drawing proxy before a scripted Midjourney proxy (relay.md 8): what is asked, by whom, of which upstream. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../daemon/relay/json.ts';
import { openCounters } from '../support/count-limits.ts';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import type { GatewayHarness } from '../support/gateway-harness.ts';
import { drawingSecret } from '../support/task-parts.ts';
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

const test = suite<CheckedWorld>('relay: drawings');
drawsInWorlds(test);

test('bills a drawing when it is accepted, follows it up and shows it to its owner', async ({ start, upstream }) => {
  const harness = await start({ options: { ServerAddress: 'https://gate.example', DataExportEnabled: true } });
  const { status, body } = await imagine(harness, { notifyHook: 'https://spy.example', state: 's' });
  assert.is(status, 200);
  assert.equal(body, { code: 1, description: 'ok', result: id, properties: { a: 1 } });
  const [request] = upstream.requests;
  assert.is(request?.url, '/mj/submit/imagine');
  assert.is(request?.headers['mj-api-secret'], 'sk-one');
  assert.is(request?.headers.authorization, undefined);
  assert.equal(sent(request), { prompt: 'a cat', state: 's' });
  const [log] = await harness.rows();
  assert.is(log?.modelName, 'mj_imagine');
  assert.is(log?.quota, PRICE);
  assert.equal([log?.promptTokens, log?.completionTokens], [0, 0]);
  assert.is(log?.content, `price $0.1, group ratio 1, action IMAGINE, task ${id}`);
  assert.equal([log?.facts.model_price, log?.facts.group_ratio, log?.facts.task_id], [0.1, 1, id]);
  const kept = await newestRow(harness);
  assert.equal(
    [kept.mjId, kept.status, kept.progress, kept.quota, kept.tokenQuota, kept.prompt, kept.channelId],
    [id, 'SUBMITTED', '0%', PRICE, PRICE, 'a cat', 1],
  );

  upstream.script(told({ status: 'IN_PROGRESS', progress: '40%', imageUrl: 'https://cdn.example/p.png' }));
  await harness.tasks.followUp();
  assert.is(upstream.requests.at(-1)?.url, '/mj/task/list-by-condition');
  assert.equal(sent(upstream.requests.at(-1)), { ids: [id] });
  const preview = await (await read(harness, `/mj/task/${id}/fetch`)).json();
  assert.is(preview.progress, '40%');
  assert.match(preview.imageUrl, new RegExp(`^https://gate\\.example/mj/image/${id}\\?rand=\\d+$`));

  const button = { customId: 'MJ::JOB::upsample::1::h', emoji: '', label: 'U1', type: 2, style: 2 };
  upstream.script(told({ status: 'SUCCESS', progress: '100%', buttons: [button], properties: { finalPrompt: 'p' } }));
  await harness.tasks.followUp();
  const done = await (await read(harness, `/mj/task/${id}/fetch`)).json();
  assert.is(done.status, 'SUCCESS');
  assert.is(done.imageUrl, `https://gate.example/mj/image/${id}`);
  assert.equal(done.buttons, [button]);
  assert.equal(done.properties, { finalPrompt: 'p' });
  const asked = upstream.requests.length;
  await harness.tasks.followUp();
  assert.is(upstream.requests.length, asked, 'what is final is asked for no more');
});

test('sends follow-ups where their task is known, and nowhere else', async ({ start, upstream }) => {
  const elsewhere = await startFakeUpstream(accepted());
  const harness = await start({
    channels: [{ id: 1, type: 2, baseUrl: upstream.url, models: drawingModels, keys: ['sk-one', 'sk-two'] }],
  });
  await imagine(harness);
  const used = upstream.requests[0]?.headers['mj-api-secret'];
  const second = { id: 2, type: 5, baseUrl: elsewhere.url, models: drawingModels, priority: 100 };
  const first = { id: 1, type: 2, baseUrl: upstream.url, models: drawingModels, keys: ['sk-two', 'sk-one'] };
  harness.setChannels([first, second]);
  const simple = { content: `${id} U2` };
  const early = await harness.post('/mj/submit/simple-change', simple);
  assert.is(early.status, 400);
  assert.match((await early.json()).description, /^task_status_not_success/);
  upstream.script(told({ status: 'SUCCESS' }));
  await harness.tasks.followUp();
  upstream.script(accepted({ result: '1768480200555555' }));
  const answer = await harness.post('/mj/submit/simple-change', simple);
  assert.is((await answer.json()).code, 1);
  assert.is(upstream.requests.at(-1)?.url, '/mj/submit/simple-change');
  assert.is(upstream.requests.at(-1)?.headers['mj-api-secret'], used);
  assert.equal([(await newestRow(harness)).action, (await newestRow(harness)).quota], ['UPSCALE', 25_000]);
  assert.is((await harness.rows()).at(-1)?.modelName, 'mj_upscale');

  upstream.script(jsonAnswer({ code: 1, description: 'ok', result: '4711' }));
  const seed = await read(harness, `/mj/task/${id}/image-seed`);
  assert.is((await seed.json()).result, '4711');
  assert.equal([upstream.requests.at(-1)?.method, upstream.requests.at(-1)?.url], ['GET', `/mj/task/${id}/image-seed`]);

  harness.setChannels([{ ...first, status: 2 }, second]);
  const off = await harness.post('/mj/submit/simple-change', simple);
  assert.match((await off.json()).description, /^task_channel_disabled/);
  harness.setChannels([second]);
  const gone = await harness.post('/mj/submit/simple-change', simple);
  assert.equal([gone.status, (await gone.json()).code], [400, 4]);
  assert.is(elsewhere.requests.length, 0);
  await elsewhere.close();
});

test('goes on with the key that its channel has now, where that has but one', async ({ start, upstream }) => {
  const channel = { id: 1, type: 2, baseUrl: upstream.url, models: drawingModels };
  const harness = await start({ channels: [{ ...channel, keys: ['sk-old'] }] });
  await imagine(harness);
  upstream.script(told({ status: 'SUCCESS' }));
  await harness.tasks.followUp();
  upstream.script(accepted({ result: '1768480200555555' }));
  const change = { taskId: id, action: 'REROLL' };
  harness.setChannels([{ ...channel, keys: ['sk-new', 'sk-more'] }]);
  const between = await harness.post('/mj/submit/change', change);
  assert.match((await between.json()).description, /^get_channel_info_failed/, 'another may be another account’s');
  harness.setChannels([{ ...channel, keys: ['sk-new'] }]);
  assert.is((await (await harness.post('/mj/submit/change', change)).json()).code, 1);
  assert.is(upstream.requests.at(-1)?.headers['mj-api-secret'], 'sk-new');
});

test('asks its upstream for seeds thirty times a minute at most, since nobody pays for them', async ({
  start,
  upstream,
}) => {
  const harness = await start({ limits: openCounters(60) });
  await imagine(harness);
  upstream.script(told({ status: 'SUCCESS' }));
  await harness.tasks.followUp();
  upstream.script(jsonAnswer({ code: 1, description: 'ok', result: '42' }));
  const before = upstream.requests.length;
  for (let left = 29; left >= 0; left -= 1) {
    const seed = await read(harness, `/mj/task/${id}/image-seed`);
    assert.equal([seed.status, seed.headers.get('x-ratelimit-remaining-requests')], [200, String(left)]);
    assert.is((await seed.json()).result, '42');
  }
  const refused = await read(harness, `/mj/task/${id}/image-seed`);
  assert.is(refused.status, 429);
  assert.match((await refused.json()).description, /^rate_limited:user_requests /);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.is(upstream.requests.length, before + 30);
});

test('keeps a row of each seed that was asked for, and of its failure', async ({ start, upstream }) => {
  const harness = await start();
  const { quota } = await harness.user();
  await imagine(harness);
  upstream.script(told({ status: 'SUCCESS' }));
  await harness.tasks.followUp();
  const seed = async () => {
    const answer = await read(harness, `/mj/task/${id}/image-seed`);
    return [answer.status, (await answer.json()).code];
  };
  const asked = async () => {
    const rows = (await harness.rows()).filter(({ modelName }) => modelName === 'mj_image_seed');
    return rows.map(({ type, quota: cost, channelId, failed, content }) => [type, cost, channelId, failed, content]);
  };
  upstream.script(jsonAnswer({ code: 1, description: 'ok', result: '42' }));
  assert.equal(await seed(), [200, 1]);
  const answered = [2, 0, 1, false, `price $0, group ratio 1, action IMAGE_SEED, task ${id}`];
  assert.equal(await asked(), [answered]);
  upstream.script(jsonAnswer({ code: 4, description: 'no seed', result: '' }));
  assert.equal(await seed(), [200, 4]);
  upstream.script({ status: 403, chunks: ['not logged in'] });
  assert.equal(await seed(), [400, 5]);
  const [, refused, forbidden] = await asked();
  assert.equal(
    [refused?.slice(0, 2), refused?.slice(3)],
    [
      [2, 0],
      [true, 'no seed'],
    ],
  );
  assert.is(forbidden?.[3], true);
  assert.is((await harness.user()).quota, quota - PRICE, 'nobody pays for a seed');
});

test('reads no more than half a megabyte of a callback', async ({ start }) => {
  const harness = await start();
  await imagine(harness);
  assert.is(await callBack(harness, { status: 'IN_PROGRESS', description: 'x'.repeat(500_000) }), 200);
  assert.is(await callBack(harness, { status: 'FAILURE', failReason: 'x'.repeat(512 * 1024) }), 400);
  assert.is((await newestRow(harness)).status, 'IN_PROGRESS');
});

test('asks by the rules of the channel, in orders and in polls', async ({ start, upstream }) => {
  const channel = {
    id: 1,
    type: 5,
    baseUrl: upstream.url,
    models: drawingModels,
    setting: JSON.stringify({
      pass_headers: ['x-tenant'],
      header_override: { 'x-plan': 'pro' },
      user_agent: 'Studio',
      expose_upstream_request_id: true,
    }),
    paramOverride: JSON.stringify({ botType: 'NIJI_JOURNEY' }),
  };
  const harness = await start({ channels: [channel] });
  upstream.script({ ...accepted(), headers: { 'x-request-id': 'up-7' } });
  const headers = { 'x-tenant': 'blue', traceparent: '00' };
  const begun = await harness.post('/mj/submit/imagine', { prompt: 'a cat' }, { headers });
  assert.is(begun.headers.get('x-upstream-request-id'), 'up-7');
  upstream.script(told({ status: 'SUCCESS' }));
  await harness.tasks.followUp();
  upstream.script(jsonAnswer({ code: 1, description: 'ok', result: '42' }));
  await read(harness, `/mj/task/${id}/image-seed`);
  const [order, poll, seed] = upstream.requests;
  assert.equal([sent(order).botType, sent(poll).botType], ['NIJI_JOURNEY', 'NIJI_JOURNEY']);
  for (const request of [order, poll, seed]) {
    assert.equal([request?.headers['x-plan'], request?.headers['user-agent']], ['pro', 'Studio'], request?.url);
  }
  assert.equal([order?.headers['x-tenant'], order?.headers.traceparent], ['blue', undefined]);
  harness.setChannels([{ ...channel, setting: JSON.stringify({ timeout_first_byte: 0.02 }) }]);
  upstream.script({ chunks: [], end: 'hang', headersAfterMs: 5000 });
  const slow = await imagine(harness);
  assert.match(slow.body.description, /^upstream_timeout /);
  const closed = { operations: [{ mode: 'return_error', value: { message: 'closed today', code: 'closed' } }] };
  harness.setChannels([{ ...channel, id: 2, paramOverride: JSON.stringify(closed) }]);
  const refused = await imagine(harness, { prompt: 'a dog' });
  assert.match(refused.body.description, /closed today/);
  assert.not(upstream.requests.some((request) => sent(request).prompt === 'a dog'));
});

test('shows nobody the tasks of others', async ({ start, upstream }) => {
  const harness = await start({ channels: [{ id: 1, type: 2, baseUrl: upstream.url, models: drawingModels }] });
  await imagine(harness);
  const { midjourneys } = harness.database.stores;
  const { id: _, ...mine } = await newestRow(harness);
  await midjourneys.insert({ ...mine, mjId: '2222222222222222', userId: 99, quota: 0, tokenQuota: 0 });
  for (const wanted of ['2222222222222222', '3333333333333333']) {
    const foreign = await read(harness, `/mj/task/${wanted}/fetch`);
    assert.is(foreign.status, 404);
    const body = await foreign.json();
    assert.match(body.description, /^task_no_found/);
    assert.equal([body.type, body.code], ['tollgate_error', 4]);
    const change = await harness.post('/mj/submit/change', { taskId: wanted, action: 'REROLL' });
    assert.is(change.status, 404);
    assert.match((await change.json()).description, /^task_not_found/);
  }
  const list = (ids: Json) => harness.post('/mj/task/list-by-condition', { ids });
  const found = await (await list(['2222222222222222', id, '3333333333333333', id])).json();
  assert.equal(
    found.map((task: { id: string }) => task.id),
    [id, id],
  );
  assert.equal(await (await list([])).json(), []);
  assert.is((await list(Array.from({ length: 101 }, () => id))).status, 400);
  assert.is((await read(harness, `/mj/task/${id}/fetch`, 'x'.repeat(48))).status, 401);
  assert.is(upstream.requests.length, 1, 'the database alone is asked');
});

test('refuses in its own words before anything is held or sent', async ({ start, upstream }) => {
  const harness = await start();
  const cases: [string, Json, string][] = [
    ['imagine', { prompt: ' ' }, 'prompt_is_required'],
    ['change', { action: 'UPSCALE', index: 1 }, 'task_id_is_required'],
    ['change', { taskId: id, index: 1 }, 'action_is_required'],
    ['change', { taskId: id, action: 'UPSCALE' }, 'index_is_required'],
    ['simple-change', {}, 'content_is_required'],
    ['simple-change', { content: 'no' }, 'content_parse_failed'],
    ['action', { taskId: id }, 'custom_id_is_required'],
    ['action', { taskId: id, customId: 'MJ::JOB::upsample' }, 'index_parse_failed'],
    ['action', { taskId: id, customId: 'MJ::BOOKMARK::x' }, 'unknown_action:MJ::BOOKMARK::x'],
    ['action', { taskId: id, customId: '::' }, 'unknown_action:::'],
  ];
  for (const [path, body, word] of cases) {
    const answer = await harness.post(`/mj/submit/${path}`, body);
    const said = await answer.json();
    assert.is(answer.status, 400, word);
    assert.ok(said.description.startsWith(`${word} `), said.description);
    assert.equal([said.code, said.type], [4, 'tollgate_error']);
  }
  for (const over of [{ taskId: 7 }, { taskId: id, task_id: [id] }, { taskId: id, task_id: '2222222222222222' }]) {
    const video = await harness.post('/mj/submit/video', { prompt: 'go on', ...over });
    assert.match((await video.json()).description, /^task_id_is_required as one text/, JSON.stringify(over));
  }
  const swap = await harness.post('/mj/insight-face/swap', { sourceBase64: 'x' });
  assert.match((await swap.json()).description, /^sour_base64_and_target_base64_is_required/);
  assert.match((await (await harness.post('/mj/submit/imagine', 'no json')).json()).description, /^bind_request_body/);
  const poor = await start({ user: { quota: PRICE - 1 } });
  const refused = await imagine(poor);
  assert.equal([refused.status, refused.body.code], [400, 4]);
  assert.match(refused.body.description, /^quota_not_enough /);
  assert.is((await poor.post('/mj/submit/video', { prompt: 'x' })).status, 404, 'a model that nobody offers');
  const checked = await start({ options: { SensitiveWords: ['secret sauce'] } });
  const spoken = await imagine(checked, { prompt: 'a jar of Secret Sauce' });
  assert.equal([spoken.status, spoken.body.code], [400, 4]);
  assert.match(spoken.body.description, /^sensitive_words_detected /);
  const limited = await start({ token: { modelLimitsEnabled: true, modelLimits: 'mj_describe' } });
  assert.is((await imagine(limited)).status, 403);
  const unknown = await fetch(`${harness.url}/mj/submit/imagine`, { method: 'POST', body: '{}' });
  assert.is(unknown.status, 401);
  assert.is((await unknown.json()).code, 4);
  assert.is(upstream.requests.length, 0);
});

test('passes on what the operator lets through, and the speed of the path', async ({ start, upstream }) => {
  const filter = { instanceId: 'i' };
  const asked = {
    prompt: 'a cat --fast --ar 1:1',
    accountFilter: filter,
    notifyHook: 'https://spy.example',
    more: [1],
  };
  const strict = await start({ options: { MjModeClearEnabled: true } });
  const post = async (harness: GatewayHarness, path: string) => {
    assert.is((await harness.post(path, asked)).status, 200, path);
    return sent(upstream.requests.at(-1));
  };
  assert.equal(await post(strict, '/mj/submit/imagine'), { prompt: 'a cat  --ar 1:1', more: [1] });
  assert.equal((await post(strict, '/mj-turbo/mj/submit/imagine')).accountFilter, { modes: ['TURBO'] });
  assert.is(upstream.requests.at(-1)?.url, '/mj/submit/imagine');
  for (const name of ['some-name', 'constructor']) {
    assert.is((await post(strict, `/${name}/mj/submit/imagine`)).accountFilter, undefined, name);
  }
  // Some servers read names in any case.
  const twins = { ...asked, AccountFilter: filter, NOTIFYHOOK: 'https://spy.example', Prompt: 'another', Own: 1 };
  assert.is((await strict.post('/mj/submit/imagine', twins)).status, 200);
  assert.equal(sent(upstream.requests.at(-1)), { prompt: 'a cat  --ar 1:1', more: [1], Own: 1 });
  const nowhere = await start({ options: { MjNotifyEnabled: true } });
  assert.is((await post(nowhere, '/mj/submit/imagine')).notifyHook, undefined, 'a site without an address');
  const open = await start({
    options: { MjAccountFilterEnabled: true, MjNotifyEnabled: true, ServerAddress: 'https://gate.example' },
  });
  const passed = await post(open, '/mj-fast/mj/submit/imagine');
  assert.equal(passed.accountFilter, filter);
  assert.is(passed.notifyHook, `https://gate.example/mj/notify?c=1&s=${drawingSecret(1)}`);
  assert.is(passed.prompt, asked.prompt);
});

test.run();
