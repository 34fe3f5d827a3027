/** Setting prices and showing them (management-api.md 3.17; models without a price, batch set), through a whole daemon. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { newLogRow } from '../../../../support/log-records.ts';
import { assertQuick } from '../../../../support/processor-time.ts';
import { assertRefused } from '../../../../support/refusals.ts';

const prices = suite('prices');

let daemon: TestDaemon;

prices.before(async () => {
  daemon = await startTestDaemon();
  await logCalls();
  await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'gpt-4o-mini,house-model,house-image', key: 'k' });
});

prices.after(() => daemon.stop());

/** Four calls of the last day, one of which failed, and an older failure. */
async function logCalls(): Promise<void> {
  const { database, nowSeconds } = daemon.daemon.foundation;
  const row = newLogRow({
    createdAt: nowSeconds(),
    username: 'root',
    modelName: 'gpt-4o-mini',
    group: 'default',
  });
  const failure = { ...row, failed: true };
  await database.transaction(async ({ logs }) => {
    await logs.insert([row, row, row, failure, { ...failure, createdAt: row.createdAt - 200_000 }]);
  });
}

const entryOf = async (name: string) =>
  (await daemon.root.prices.list({ keyword: name })).items.find(({ model_name }) => model_name === name);
const shown = async (name: string) =>
  (await daemon.root.pricing.list()).data.find(({ model_name }) => model_name === name);

prices('are shown with every ratio, what the model may be asked for, and how well it has been answering', async () => {
  const response = await fetch(`${daemon.url}/api/pricing`);
  const body = await response.json();
  assert.is(Object.hasOwn(body, 'message'), false);
  const row = await shown('gpt-4o-mini');
  assert.is(row?.health, 0.75);
  assert.equal(row?.endpoints, ['chat']);
  assert.equal(row?.enable_groups, ['default']);
  const ratios = [row?.cache_ratio, row?.create_cache_ratio, row?.audio_ratio, row?.image_ratio];
  for (const ratio of ratios) assert.type(ratio, 'number');
});

prices('tell which offered models have none, until one is set for several of them at once', async () => {
  const unset = async () => (await daemon.root.prices.list({ unset: true })).items.map(({ model_name }) => model_name);
  assert.equal(await unset(), ['house-image', 'house-model']);
  assert.is(await shown('house-model'), undefined);
  const changes = await daemon.root.prices.set({
    models: { 'house-model': { model_ratio: 0.5, completion_ratio: 4 }, 'house-image': { model_price: 0.04 } },
  });
  assert.equal(changes, [
    { model_name: 'house-model', member: 'model_ratio', old: null, new: 0.5 },
    { model_name: 'house-model', member: 'completion_ratio', old: null, new: 4 },
    { model_name: 'house-image', member: 'model_price', old: null, new: 0.04 },
  ]);
  assert.equal(await unset(), []);
  const [model, image] = [await shown('house-model'), await shown('house-image')];
  assert.equal([model?.quota_type, model?.model_ratio, model?.completion_ratio], [0, 0.5, 4]);
  assert.equal([image?.quota_type, image?.model_price, image?.model_ratio], [1, 0.04, 0]);
});

prices('change all or none', async () => {
  const models = { 'house-model': { model_ratio: 9 }, 'gpt-4o-mini': { model_price: 1 } };
  await assertRefused(daemon.root.prices.set({ models }), 'price_kind_flip');
  assert.is((await entryOf('house-model'))?.model_ratio, 0.5);
  await assertRefused(daemon.root.prices.set({ models: {} }), 'invalid_params');
  await assertRefused(daemon.root.prices.set({ models: { m: { model_ratio: -1 } } }), 'invalid_params');
});

prices('change their kind only when that is wished', async () => {
  const toToken = { models: { 'house-image': { model_ratio: 2 } } };
  await assertRefused(daemon.root.prices.set(toToken), 'price_kind_flip');
  const changes = await daemon.root.prices.set({ ...toToken, change_kind: true });
  assert.equal(
    changes.map(({ member, old, new: now }) => [member, old, now]),
    [
      ['model_ratio', null, 2],
      ['model_price', 0.04, null],
    ],
  );
  assert.is((await entryOf('house-image'))?.quota_type, 0);
});

prices('by call end every ratio, so that none waits to charge by tokens once they are gone', async () => {
  const models = { 'house-image': { completion_ratio: 3, cache_ratio: 0.5, image_ratio: 4 } };
  await daemon.root.prices.set({ models });
  const changes = await daemon.root.prices.set({
    models: { 'house-image': { model_price: 0.04 } },
    change_kind: true,
  });
  assert.equal(changes.map(({ member, old, new: now }) => [member, old, now]).sort(), [
    ['cache_ratio', 0.5, null],
    ['completion_ratio', 3, null],
    ['image_ratio', 4, null],
    ['model_price', null, 0.04],
    ['model_ratio', 2, null],
  ]);
  await daemon.root.prices.set({ models: { 'house-image': { model_price: null } } });
  assert.is((await entryOf('house-image'))?.quota_type, null);
});

prices('are taken away by null, which leaves the model without one', async () => {
  await daemon.root.prices.set({ models: { 'house-image': { model_ratio: 2 } } });
  await daemon.root.prices.set({ models: { 'house-image': { model_ratio: null } } });
  assert.equal(await entryOf('house-image'), {
    model_name: 'house-image',
    enabled: true,
    channels: 1,
    groups: ['default'],
    quota_type: null,
    model_ratio: null,
    completion_ratio: null,
    cache_ratio: null,
    create_cache_ratio: null,
    audio_ratio: null,
    audio_completion_ratio: null,
    image_ratio: null,
    image_completion_ratio: null,
    model_price: null,
  });
});

prices('go back to the shipped table, message and all', async () => {
  await daemon.root.prices.set({ models: { 'gpt-4o-mini': { model_ratio: 77 } } });
  assert.is((await shown('gpt-4o-mini'))?.model_ratio, 77);
  const response = await fetch(`${daemon.url}/api/option/rest_model_ratio`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${daemon.accessToken}` },
  });
  const answer = await response.json();
  assert.equal([answer.success, answer.data, answer.message === ''], [true, null, false]);
  assert.is((await shown('gpt-4o-mini'))?.model_ratio, 0.075);
  assert.is((await entryOf('house-model'))?.model_ratio, null);
});

prices('are reckoned for the rows of a page alone, however long the table is', async () => {
  const names = Array.from({ length: 40_000 }, (_, at) => `long-table-${at}`);
  const value = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1.5])));
  await daemon.root.options.set({ key: 'ModelRatio', value });
  // All of them took seconds, and what was reckoned stayed in memory.
  await assertQuick(800, async () => {
    const { items, total } = await daemon.root.prices.list({ keyword: 'long-table-', page_size: 20 });
    assert.equal([items[0]?.model_ratio, items.length, total], [1.5, 20, names.length]);
  });
});

prices.run();
