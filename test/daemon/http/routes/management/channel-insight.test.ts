import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../../../../daemon/contract/client.ts';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { jsonAnswer, startFakeUpstream } from '../../../../support/fake-upstream.ts';
import { until } from '../../../../support/until.ts';

const insight = suite<{ daemon: TestDaemon }>('http/routes/management (routing explanations, test history)');

insight.before(async (context) => {
  context.daemon = await startTestDaemon();
});
insight.after(({ daemon }) => daemon.stop());

async function refusalOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
}

insight('says who would serve a call, with which share, and who is left out and why', async ({ daemon }) => {
  const { root } = daemon;
  const base_url = 'http://127.0.0.1:9';
  const first = await daemon.addChannel({ base_url, models: 'gpt-4o', name: 'first', priority: 5 });
  const second = await daemon.addChannel({ base_url, models: 'gpt-4o', name: 'second', weight: 10 });
  const third = await daemon.addChannel({ base_url, models: 'gpt-4o', name: 'third', weight: 30 });
  const off = await daemon.addChannel({ base_url, models: 'gpt-4o', name: 'off', status: 2 });
  const vip = await daemon.addChannel({ base_url, models: 'gpt-4o', name: 'vip', group: 'vip' });
  const answer = await root.channels.explain({ model: 'gpt-4o' });
  assert.equal(
    answer.candidates.map(({ channel_id, tier, share, usable_keys }) => [
      channel_id,
      tier,
      Math.round(share * 100),
      usable_keys,
    ]),
    [
      [first, 0, 100, 1],
      [second, 1, 33, 1],
      [third, 1, 67, 1],
    ],
  );
  assert.equal(
    answer.excluded.map(({ channel_id, reason }) => [channel_id, reason]),
    [
      [off, 'disabled'],
      [vip, 'other-group'],
    ],
  );
  assert.equal([answer.group, answer.model, answer.refusal], ['default', 'gpt-4o', null]);
  assert.is(answer.price?.billing_model, 'gpt-4o');
  const embeddings = await root.channels.explain({ model: 'gpt-4o', group: 'vip' });
  assert.equal(
    embeddings.candidates.map(({ channel_id }) => channel_id),
    [vip],
  );
});

insight('tells a model that is switched off alone from a channel of other groups', async ({ daemon }) => {
  const { root } = daemon;
  const id = await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'o3,gpt-5', model_prefix: 'x/' });
  await root.channels.setModelStatus({ id, model: 'o3', status: 2 });
  const off = await root.channels.explain({ model: 'x/o3' });
  assert.equal([off.candidates, off.excluded[0]?.reason], [[], 'model-disabled']);
  assert.is((await root.channels.explain({ model: 'x/gpt-5' })).candidates.length, 1);
});

insight('judges by the user and the key that are named', async ({ daemon }) => {
  const { root } = daemon;
  const base_url = 'http://127.0.0.1:9';
  await daemon.addChannel({ base_url, models: 'gpt-4o-mini' });
  const user = await root.users.create({ username: 'routed', password: 'a good password' });
  const open = await root.channels.explain({ model: 'gpt-4o-mini', user_id: user.id });
  assert.equal([open.group, open.refusal, open.candidates.length], ['default', null, 1]);
  const closed = await root.channels.explain({ model: 'gpt-4o-mini', user_id: user.id, group: 'nobody' });
  assert.equal([closed.refusal?.code, closed.candidates.length], ['group_not_usable', 0]);
  const key = await root.tokens.create({
    name: 'limited',
    expired_time: -1,
    unlimited_quota: true,
    model_limits_enabled: true,
    model_limits: 'o3',
  });
  const limited = await root.channels.explain({ model: 'gpt-4o-mini', token_id: key.id });
  assert.is(limited.refusal?.code, 'model_not_allowed');
  const unpriced = await root.channels.explain({ model: 'never-heard-of-it' });
  assert.equal([unpriced.refusal?.code, unpriced.price, unpriced.candidates], ['model_not_priced', null, []]);
});

insight('refuses endpoints, users and keys that do not exist', async ({ daemon }) => {
  const { explain } = daemon.root.channels;
  const model = 'gpt-4o';
  assert.is(await refusalOf(explain({ model, endpoint: '/v1/nothing' })), 'channel_endpoint_unknown');
  assert.is(await refusalOf(explain({ model, user_id: 9999 })), 'user_not_found');
  assert.is(await refusalOf(explain({ model, token_id: 9999 })), 'token_not_found');
});

insight('lists what tests have found, by model and time', async ({ daemon }) => {
  const { root } = daemon;
  const message = { role: 'assistant', content: 'hi' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const upstream = await startFakeUpstream(
    jsonAnswer({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [{ index: 0, message }], usage }),
  );
  const id = await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o,o3' });
  await root.channels.test({ id, model: 'gpt-4o' });
  await root.channels.test({ id, model: 'o3' });
  await upstream.close();
  const all = await root.channels.tests({ id });
  assert.equal(
    all.map(({ model, ok, status }) => [model, ok, status]),
    [
      ['o3', true, 200],
      ['gpt-4o', true, 200],
    ],
  );
  assert.is((await root.channels.tests({ id, model: 'o3' })).length, 1);
  assert.is((await root.channels.tests({ id, since: Math.ceil(Date.now() / 1000) + 60 })).length, 0);
  assert.is(await refusalOf(root.channels.tests({ id: 9999 })), 'channel_not_found');
});

insight('tells what a channel cost and earned as often as one looks, while reports are limited', async ({ daemon }) => {
  const { root } = daemon;
  const message = { role: 'assistant', content: 'hi' };
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const upstream = await startFakeUpstream(
    jsonAnswer({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [{ index: 0, message }], usage }),
  );
  try {
    const setting = '{"cost_ratio":0.5}';
    const fields = { base_url: upstream.url, models: 'gpt-4o-mini', priority: 1000, setting };
    const id = await daemon.addChannel(fields);
    const key = await daemon.addKey();
    const asked = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] };
    const answer = await fetch(`${daemon.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(asked),
    });
    assert.is(answer.status, 200, await answer.text());
    let shown = await root.usageReports.ofChannel({ id });
    await until(async () => {
      shown = await root.usageReports.ofChannel({ id });
      return shown.requests > 0;
    });
    // (100 + 4 x 10) x 0.075, and half of it.
    assert.equal([shown.requests, shown.quota, shown.cost], [1, 11, 5]);
    for (let round = 0; round < 35; round += 1) await root.usageReports.ofChannel({ id });
    const reports: string[] = [];
    for (let round = 0; round < 31; round += 1)
      reports.push(await refusalOf(root.usageReports.report({ channel: id })));
    assert.equal([reports[0], reports.at(-1)], ['accepted', 'too_many_requests']);
  } finally {
    await upstream.close();
  }
});

insight('says of tasks that are priced by tokens that they have no price, as calls are told', async ({ daemon }) => {
  const { root } = daemon;
  await daemon.addChannel({ type: 2, base_url: 'http://127.0.0.1:9', models: 'mj_imagine' });
  const explained = async () => {
    const { refusal, price, candidates } = await root.channels.explain({ model: 'mj_imagine', endpoint });
    return [refusal?.code, price?.billing_model, candidates.length];
  };
  const endpoint = '/mj/submit/imagine';
  assert.equal(await explained(), [undefined, 'mj_imagine', 1]);
  await root.options.set({ key: 'ModelPrice', value: '{}' });
  await root.options.set({ key: 'ModelRatio', value: '{"mj_imagine":10}' });
  assert.equal(await explained(), ['model_not_priced', undefined, 1]);
});

insight.run();
