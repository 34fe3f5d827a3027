/** The calls of the seeds about channels, one test each, against a daemon with a live upstream. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rootPassword, startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { assertMembers, ConsoleSession, rowsOf } from './console-session.ts';
import { channelCalls } from './seed-calls.ts';

const seeds = suite('calls of the seeds: channels');

let daemon: TestDaemon;
let upstream: FakeUpstream;
let browser: ConsoleSession;
/** Ids of the channels, in the order in which they were made. */
const ids: number[] = [];

seeds.before(async () => {
  upstream = await startFakeUpstream(({ url }) => {
    if (url.startsWith('/v1/models'))
      return jsonAnswer({ object: 'list', data: [{ id: 'gpt-4o' }, { id: 'own-model' }] });
    if (url.includes('/billing/subscription')) return jsonAnswer({ hard_limit_usd: 20, access_until: 0 });
    if (url.includes('/billing/usage')) return jsonAnswer({ total_usage: 750 });
    return jsonAnswer({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'gpt-4o',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
  });
  daemon = await startTestDaemon();
  browser = new ConsoleSession(daemon.url);
  await browser.signIn('root', rootPassword);
});
seeds.after(async () => {
  await daemon.stop();
  await upstream.close();
});

const rowMembers =
  'auto_ban balance balance_updated_time base_url created_time group id key max_input_tokens model_mapping model_prefix ' +
  'models name openai_organization other other_info param_override priority response_time setting status ' +
  'status_code_mapping tag test_model test_time type used_quota weight';

/** What the drawer sends for a new channel. */
const form = {
  name: 'first',
  type: 1,
  key: 'sk-one,sk-two',
  openai_organization: '',
  max_input_tokens: 0,
  base_url: '',
  other: '',
  model_mapping: '',
  status_code_mapping: '',
  models: 'gpt-4o,gpt-4o-mini',
  auto_ban: 1,
  test_model: 'gpt-4o',
  group: 'default,vip',
  priority: 0,
  weight: 0,
  tag: '',
  model_prefix: '',
  setting: '',
  param_override: '',
};

const detail = (id: number | undefined) => browser.object('GET', `/api/channel/${id}`);

const exercises: Record<(typeof channelCalls)[number]['call'], () => Promise<void>> = {
  'POST /api/channel/': async () => {
    for (const name of ['first', 'second', 'third']) {
      const row = await browser.object('POST', '/api/channel/', { ...form, name, base_url: upstream.url });
      assertMembers(row, rowMembers.split(' '));
      assert.equal([row.name, row.key, row.status, row.models, row.group], [name, '', 1, form.models, 'default,vip']);
      ids.push(Number(row.id));
    }
    assert.is(await browser.refusal('POST', '/api/channel/', { ...form, name: '' }), 'channel_name_required');
    assert.is(await browser.refusal('POST', '/api/channel/', { ...form, key: '' }), 'channel_key_required');
    assert.is(await browser.refusal('POST', '/api/channel/', { ...form, models: '' }), 'channel_models_required');
    assert.is(await browser.refusal('POST', '/api/channel/', { ...form, setting: '{' }), 'channel_json_invalid');
    const region = { ...form, type: 41, key: '{}', other: '' };
    assert.is(await browser.refusal('POST', '/api/channel/', region), 'channel_region_required');
  },
  'GET /api/channel/': async () => {
    const body = await browser.succeed('GET', '/api/channel/?p=0&page_size=2&id_sort=false&tag_mode=false');
    const rows = rowsOf(body.data);
    assert.equal([rows.length, body.total, body.page, body.page_size, body.type_counts], [2, 3, 0, 2, { 1: 3 }]);
    assert.equal(
      rows.map(({ id }) => id),
      [ids[2], ids[1]],
    );
    assert.ok(rows.every(({ key }) => key === ''));
  },
  'GET /api/channel/search': async () => {
    const found = (query: string) =>
      browser
        .rows('GET', `/api/channel/search?${query}&id_sort=true&tag_mode=false`)
        .then((rows) => rows.map(({ id }) => id));
    assert.equal(await found('keyword=sec&group=&model='), [ids[1]]);
    assert.equal(await found('keyword=sk-two&group=vip&model=mini'), [...ids].reverse());
    assert.equal(await found('keyword=&group=svip&model='), []);
  },
  'GET /api/channel/{id}': async () => {
    const row = await detail(ids[0]);
    assert.equal([row.name, row.key, row.base_url], ['first', 'sk-one,sk-two', upstream.url]);
    assert.is(await browser.refusal('GET', '/api/channel/999999'), 'channel_not_found');
  },
  'PUT /api/channel/': async () => {
    const before = await detail(ids[0]);
    const changes: readonly Record<string, unknown>[] = [
      { status: 2 },
      { priority: 5 },
      { weight: 7 },
      { name: 'renamed' },
    ];
    for (const change of changes) {
      const row = await browser.object('PUT', '/api/channel/', { id: ids[0], ...change });
      assert.equal([row.id, row.key], [ids[0], '']);
    }
    const expected = { ...before, status: 2, priority: 5, weight: 7, name: 'renamed' };
    // Why and when it was disabled is the one thing beside.
    assert.equal({ ...(await detail(ids[0])), other_info: '' }, { ...expected, other_info: '' });
    assert.is(
      await browser.refusal('PUT', '/api/channel/', { id: ids[0], priority: -1000 }),
      'channel_priority_invalid',
    );
    assert.is(await browser.refusal('PUT', '/api/channel/', { id: ids[0], weight: -1 }), 'channel_weight_invalid');
    await browser.object('PUT', '/api/channel/', { id: ids[0], status: 1 });
  },
  'GET /api/channel/models': async () => {
    const models = await browser.rows('GET', '/api/channel/models');
    for (const { id, object } of models) assert.equal([typeof id, object], ['string', 'model']);
    assert.ok(models.length > 20);
  },
  'GET /api/channel/models_enabled': async () => {
    assert.equal(await browser.data('GET', '/api/channel/models_enabled'), ['gpt-4o', 'gpt-4o-mini']);
  },
  'POST /api/channel/fetch_models': async () => {
    const draft = { base_url: upstream.url, type: 1, key: 'sk-draft\nsk-other' };
    assert.equal(await browser.data('POST', '/api/channel/fetch_models', draft), ['gpt-4o', 'own-model']);
    assert.is(upstream.requests.at(-1)?.headers.authorization, 'Bearer sk-draft');
    const metadata = { ...draft, base_url: 'http://169.254.169.254' };
    assert.is(await browser.refusal('POST', '/api/channel/fetch_models', metadata), 'channel_base_url_refused');
  },
  'GET /api/channel/fetch_models/{id}': async () => {
    assert.equal(await browser.data('GET', `/api/channel/fetch_models/${ids[0]}`), ['gpt-4o', 'own-model']);
    assert.is(upstream.requests.at(-1)?.headers.authorization, 'Bearer sk-one');
  },
  'GET /api/channel/test/{id}': async () => {
    const body = await browser.succeed('GET', `/api/channel/test/${ids[0]}?model=gpt-4o-mini`);
    assert.equal([typeof body.time, body.data], ['number', null]);
    const { response_time, test_time } = await detail(ids[0]);
    assert.ok(Number(test_time) > 0 && Number(response_time) >= 0);
    assert.is(JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '').model, 'gpt-4o-mini');
  },
  'GET /api/channel/test': async () => {
    assert.is(await browser.data('GET', '/api/channel/test'), null);
  },
  'GET /api/channel/update_balance/{id}': async () => {
    const body = await browser.succeed('GET', `/api/channel/update_balance/${ids[0]}/`);
    assert.equal([body.balance, body.data], [12.5, null]);
    const { balance, balance_updated_time } = await detail(ids[0]);
    assert.is(balance, 12.5);
    assert.ok(Number(balance_updated_time) > 0);
  },
  'GET /api/channel/update_balance': async () => {
    assert.is(await browser.data('GET', '/api/channel/update_balance'), null);
  },
  'POST /api/channel/batch/tag': async () => {
    assert.is(await browser.data('POST', '/api/channel/batch/tag', { ids: ids.slice(0, 2), tag: 'pair' }), 2);
    assert.is((await detail(ids[1])).tag, 'pair');
    assert.is(await browser.refusal('POST', '/api/channel/batch/tag', { ids: [], tag: 'x' }), 'channel_ids_required');
    const byTag = await browser.rows('GET', '/api/channel/?p=0&page_size=10&tag_mode=true');
    assert.equal(byTag.map(({ id }) => Number(id)).sort(), ids.slice(0, 2).sort());
  },
  'PUT /api/channel/tag': async () => {
    await browser.data('PUT', '/api/channel/tag', { tag: 'pair', priority: 9 });
    await browser.data('PUT', '/api/channel/tag', { tag: 'pair', weight: 3 });
    const edit = { tag: 'pair', new_tag: 'couple', model_mapping: '{"a":"b"}', groups: 'vip', models: 'gpt-4o' };
    await browser.data('PUT', '/api/channel/tag', edit);
    for (const id of ids.slice(0, 2)) {
      const { tag, priority, weight, model_mapping, group, models } = await detail(id);
      assert.equal(
        [tag, priority, weight, model_mapping, group, models],
        ['couple', 9, 3, '{"a":"b"}', 'vip', 'gpt-4o'],
      );
    }
    assert.equal([(await detail(ids[2])).tag, (await detail(ids[2])).priority], [null, 0]);
    assert.is(
      await browser.refusal('PUT', '/api/channel/tag', { tag: 'couple', model_mapping: '[' }),
      'channel_json_invalid',
    );
  },
  'POST /api/channel/tag/disabled': async () => {
    await browser.data('POST', '/api/channel/tag/disabled', { tag: 'couple' });
    const status = await Promise.all(ids.map(async (id) => (await detail(id)).status));
    assert.equal(status, [2, 2, 1]);
    assert.is(await browser.refusal('POST', '/api/channel/tag/disabled', { tag: '' }), 'channel_tag_required');
  },
  'POST /api/channel/tag/enabled': async () => {
    await browser.data('POST', '/api/channel/tag/enabled', { tag: 'couple' });
    const status = await Promise.all(ids.map(async (id) => (await detail(id)).status));
    assert.equal(status, [1, 1, 1]);
    await browser.data('PUT', '/api/channel/tag', { tag: 'couple', new_tag: '' });
    assert.is((await detail(ids[0])).tag, null);
  },
  'POST /api/channel/fix': async () => {
    assert.is(await browser.data('POST', '/api/channel/fix'), 3);
  },
  'DELETE /api/channel/{id}': async () => {
    assert.is(await browser.data('DELETE', `/api/channel/${ids[0]}/`), null);
    assert.is(await browser.refusal('GET', `/api/channel/${ids[0]}`), 'channel_not_found');
  },
  'POST /api/channel/batch': async () => {
    assert.is(await browser.data('POST', '/api/channel/batch', { ids: [ids[1], 999_999] }), 1);
    assert.is(await browser.refusal('POST', '/api/channel/batch', { ids: [] }), 'channel_ids_required');
  },
  'DELETE /api/channel/disabled': async () => {
    await browser.object('PUT', '/api/channel/', { id: ids[2], status: 2 });
    assert.is(await browser.data('DELETE', '/api/channel/disabled'), 1);
    assert.equal(await browser.rows('GET', '/api/channel/?p=0&page_size=10'), []);
    assert.equal(await browser.data('GET', '/api/channel/models_enabled'), []);
  },
};

for (const [call, exercise] of Object.entries(exercises)) {
  const { at = [] } = channelCalls.find((known) => known.call === call) ?? {};
  seeds(`${call} (${at.join(', ')})`, exercise);
}

seeds.run();
