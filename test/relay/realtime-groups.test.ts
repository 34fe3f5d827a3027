/** Which group a realtime session is opened in, where its key stands for several (relay.md 11.4, 15.4). */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RateLimitTable } from '../../daemon/contract/rate-limits.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import {
  eachInRealtimeWorld,
  hangUp,
  openSession,
  type RealtimeWorld,
  refusedSession,
} from '../support/realtime-world.ts';
import { until } from '../support/until.ts';

const model = 'gpt-realtime';
const key = 'sk-upstream';
const turn = { type: 'response.done', response: { usage: { input_tokens: 30, output_tokens: 20, total_tokens: 50 } } };

const test = suite<RealtimeWorld>('relay: groups of realtime sessions');
eachInRealtimeWorld(test, { type: 1, models: [model], key });

/** A balance in the place of the world's, and a channel for each group, asked in this order. */
async function withGroups(
  world: RealtimeWorld,
  ratios: Record<string, number>,
  quota: number,
  table: RateLimitTable = {},
): Promise<void> {
  await world.harness.stop();
  const names = Object.keys(ratios);
  const channel = { type: 1, baseUrl: world.server.url, models: model, keys: [key] };
  world.harness = await GatewayHarness.start({
    user: { quota },
    token: { group: 'auto' },
    channels: names.map((group, index) => ({ ...channel, id: index + 1, group })),
    options: {
      RetryTimes: 1,
      RateLimits: table,
      ModelRatio: { [model]: 1 },
      CompletionRatio: { [model]: 1 },
      AutoGroups: names,
      UserUsableGroups: Object.fromEntries(['auto', ...names].map((name) => [name, name])),
      GroupRatio: ratios,
    },
  });
}

/** A session that holds what its group costs, and a turn in it that is paid there: group, channel and quota of its row. */
async function expectTurnPaid(world: RealtimeWorld, expected: [group: string, channel: number, quota: number]) {
  const { harness } = world;
  const books = await LedgerInvariants.begin(harness.databaseUrl);
  try {
    const { client, upstream } = await openSession(world, model);
    const [hold] = await harness.database.stores.reservations.listOpenOfNode('test', Math.ceil(Date.now() / 1000) + 1);
    assert.ok((hold?.amount ?? 0) > 0);
    await books.check({ holds: 'open' });
    upstream.say(turn);
    await until(() => client.heard.length === 1);
    const row = await hangUp(world, client);
    assert.equal([row.group, row.channelId, row.quota], expected);
    await harness.settled();
    await books.check();
  } finally {
    await books.end();
  }
}

test('a group that the balance does not reach for is passed over, and the session billed in the one that serves it', async (world) => {
  await withGroups(world, { dear: 20, cheap: 1 }, 9000);
  const books = await LedgerInvariants.begin(world.harness.databaseUrl);
  try {
    const { client, upstream } = await openSession(world, model);
    upstream.say(turn);
    await until(() => client.heard.length === 1);
    const row = await hangUp(world, client);
    assert.equal([row.group, row.channelId, row.quota], ['cheap', 2, 50]);
    await world.harness.settled();
    await books.check();
  } finally {
    await books.end();
  }
});

test('a group without room for another session is passed over until one ends', async (world) => {
  await withGroups(world, { first: 1, next: 1 }, 9000, { group: { first: { concurrency: 1 } } });
  const first = await openSession(world, model);
  const second = await openSession(world, model);
  for (const { socket } of [second.client, first.client]) {
    socket.close();
    await once(socket, 'close');
  }
  await world.harness.settled();
  const third = await openSession(world, model);
  third.client.socket.close();
  const rows = await world.harness.rows();
  assert.equal(
    rows.map(({ group }) => group),
    ['next', 'first', 'first'],
  );
});

test('a free group that fails leaves nothing held, and what the next one costs is held then', async (world) => {
  await withGroups(world, { free: 0, paid: 1 }, 9000);
  const { harness, server } = world;
  harness.setChannels([
    { id: 1, type: 1, baseUrl: 'http://127.0.0.1:1', models: model, group: 'free', keys: [key] },
    { id: 2, type: 1, baseUrl: server.url, models: model, group: 'paid', keys: [key] },
  ]);
  await expectTurnPaid(world, ['paid', 2, 50]);
});

test('nothing counts as held of a group that the balance does not reach for, when the one after it is paid', async (world) => {
  await withGroups(world, { free: 0, dear: 20, cheap: 1 }, 9000);
  const { harness, server } = world;
  const channel = { type: 1, models: model, keys: [key] };
  harness.setChannels([
    { ...channel, id: 1, baseUrl: 'http://127.0.0.1:1', group: 'free' },
    { ...channel, id: 2, baseUrl: server.url, group: 'dear' },
    { ...channel, id: 3, baseUrl: server.url, group: 'cheap' },
  ]);
  await expectTurnPaid(world, ['cheap', 3, 50]);
});

test('a balance that reaches for no group is told so, and nobody is asked', async (world) => {
  await withGroups(world, { dear: 20, dearer: 40 }, 10);
  const { status, code } = await refusedSession(world, model);
  assert.equal([status, code, world.upstreams.length], [403, 'insufficient_user_quota', 0]);
  await world.harness.settled();
  assert.equal([(await world.harness.user()).quota, (await world.harness.rows()).length], [10, 0]);
});

test.run();
