/** What drawings cost that go on with others, or were there before (relay.md 8.4, 8.5, 11.4). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonAnswer } from '../support/fake-upstream.ts';
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

const test = suite<CheckedWorld>('relay: drawings that were there before');
drawsInWorlds(test);

const other = '1768480200999999';

test('charges nothing for a task that was there before and has failed', async ({ start, upstream }) => {
  const harness = await start();
  await imagine(harness);
  await callBack(harness, { status: 'SUCCESS' });
  upstream.script(accepted({ code: 21, result: other, properties: { status: 'FAILURE' } }));
  await harness.post('/mj/submit/change', { taskId: id, action: 'UPSCALE', index: 1 });
  assert.is((await harness.user()).usedQuota, PRICE);
  const kept = await newestRow(harness);
  assert.equal([kept.mjId, kept.status, kept.quota], [other, 'FAILURE', 0], 'nobody will ask for it again');
});

test('bills the end of a dialog that its upstream calls a task that exists', async ({ start, upstream }) => {
  const harness = await start();
  await imagine(harness);
  await callBack(harness, { status: 'SUCCESS' });
  const dialog = accepted({ code: 21, description: 'Waiting for window confirm', result: other });
  const press = { taskId: id, customId: 'MJ::Inpaint::1::h::SOLO' };
  for (let times = 0; times < 2; times += 1) {
    upstream.script(dialog);
    await harness.post('/mj/submit/action', press);
  }
  const total = async () => (await harness.database.stores.midjourneys.list({}, { offset: 0, limit: 1 })).total;
  assert.equal([(await harness.user()).usedQuota, await total()], [PRICE, 2], 'a dialog that is opened twice is one');
  const done = { status: 'SUCCESS', imageUrl: 'https://cdn.example/m.png' };
  for (let times = 0; times < 2; times += 1) {
    upstream.script(accepted({ code: 21, result: other, properties: done }));
    await harness.post('/mj/submit/modal', { taskId: other });
    assert.equal([(await harness.user()).usedQuota, await total()], [PRICE * 2, 3], 'and is paid once');
  }
  const kept = await newestRow(harness);
  assert.equal([kept.action, kept.status, kept.quota], ['MODAL', 'SUCCESS', PRICE]);
});

test('bills what goes on under auto in the group of the channel that has it', async ({ start, upstream }) => {
  const channel = { id: 1, type: 5, baseUrl: upstream.url, models: drawingModels, group: 'vip' };
  const harness = await start({
    channels: [channel],
    token: { unlimitedQuota: true, group: 'auto' },
    options: {
      AutoGroups: ['default', 'vip'],
      GroupRatio: { default: 1, vip: 3 },
      UserUsableGroups: { default: '', vip: '', auto: '' },
    },
  });
  await imagine(harness);
  await callBack(harness, { status: 'SUCCESS' });
  upstream.script(jsonAnswer({ code: 1, description: 'ok', result: other }));
  const reroll = { taskId: id, action: 'REROLL' };
  await harness.post('/mj/submit/change', reroll);
  await harness.settled();
  const bills = async () => (await harness.rows()).map(({ group, quota }) => [group, quota]);
  const vip = ['vip', PRICE * 3];
  assert.equal(await bills(), [vip, vip]);
  harness.setChannels([{ ...channel, group: 'closed' }]);
  await harness.post('/mj/submit/change', reroll);
  await harness.settled();
  assert.equal(await bills(), [vip, vip, ['default', PRICE]], 'one that has left its groups is nobody else’s');
});

test.run();
