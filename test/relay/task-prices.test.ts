/** Which price a task has, and that none is had for nothing by the lack of one (relay.md 8.9, 15.2). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { GatewayHarness } from '../support/gateway-harness.ts';
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
} from './drawing-world.ts';

const test = suite<CheckedWorld>('relay: prices of tasks');
drawsInWorlds(test);

const ratioAlone = { ModelPrice: { mj_upscale: 0.05 }, ModelRatio: { mj_imagine: 10 } };

async function refusedUnpriced(harness: GatewayHarness): Promise<void> {
  const { status, body } = await imagine(harness);
  assert.is(status, 400);
  assert.match(body.description, /^model_not_priced /);
}

test('tasks without a price of their own are refused, since they have no tokens to be charged by', async (world) => {
  const { start, upstream } = world;
  await refusedUnpriced(await start({ options: ratioAlone }));
  const setting = JSON.stringify({ accept_unset_model_ratio_model: true });
  await refusedUnpriced(await start({ options: { ModelPrice: {}, ModelRatio: {} }, user: { setting } }));
  assert.equal(upstream.requests, []);
});

test('tasks cost nothing where their price is 0, or where the site is for its own use', async ({ start }) => {
  for (const options of [
    { ModelPrice: { mj_imagine: 0 } },
    { ModelPrice: {}, ModelRatio: { mj_imagine: 0 } },
    { ...ratioAlone, SelfUseModeEnabled: true },
  ]) {
    const harness = await start({ options });
    assert.is((await imagine(harness)).body.code, 1);
    assert.equal([(await harness.user()).usedQuota, (await newestRow(harness)).quota], [0, 0]);
  }
});

test('dialogs need no price, as what ends them has one', async ({ start, upstream }) => {
  const options = { ModelPrice: { mj_imagine: 0.1, mj_modal: 0.1 }, ModelRatio: {} };
  const harness = await start({ options, user: { quota: PRICE } });
  await imagine(harness);
  await callBack(harness, { status: 'SUCCESS' });
  upstream.script(accepted({ code: 21, result: '1768480200777777' }));
  const pressed = await harness.post('/mj/submit/action', { taskId: id, customId: 'MJ::Inpaint::1::h::SOLO' });
  assert.is((await pressed.json()).code, 21, 'nor a balance');
  assert.is((await harness.user()).usedQuota, PRICE);
  const ended = await harness.post('/mj/submit/modal', { taskId: '1768480200777777' });
  assert.match((await ended.json()).description, /^quota_not_enough /);
});

test('what goes on with a task has its own price, also where other models have a stand-in', async (world) => {
  const { start, upstream } = world;
  const chat = { id: 2, type: 1, baseUrl: upstream.url, models: 'gpt-4o-mini', keys: ['sk-chat'] };
  const drawing = { id: 1, type: 5, baseUrl: upstream.url, models: drawingModels.replace('mj_reroll,', '') };
  const harness = await start({
    channels: [{ ...drawing, keys: ['sk-one'] }, chat],
    options: { ModelFallbackAlias: { '*': 'gpt-4o-mini' } },
  });
  await imagine(harness);
  await callBack(harness, { status: 'SUCCESS' });
  upstream.script(accepted({ result: '1768480200777777' }));
  await harness.post('/mj/submit/change', { taskId: id, action: 'REROLL' });
  assert.is((await harness.user()).usedQuota, PRICE * 2);
  assert.is((await harness.rows()).at(-1)?.modelName, 'mj_reroll');
});

test.run();
