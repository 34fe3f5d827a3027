import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChannelCooling } from '../../../daemon/domain/channel-cooling.ts';
import { ChannelHealth } from '../../../daemon/domain/channel-health.ts';
import type { ChannelPick } from '../../../daemon/domain/channel-selection.ts';
import { type ChannelNotice, ChannelSwitch } from '../../../daemon/domain/channel-switch.ts';
import { UpstreamFailure, type UpstreamFailureFields } from '../../../daemon/errors.ts';
import { channelKeySealContext } from '../../../daemon/snapshots/channel-view.ts';
import { type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { optionsView } from '../../support/options-view.ts';

interface Context {
  world: DomainWorld;
  health: ChannelHealth;
  channelSwitch: ChannelSwitch;
  notices: ChannelNotice[];
  errors: unknown[];
  time: { nowMs: number };
}

const health = suite<Context>('domain/channel-health');

const options = () => optionsView({ AutomaticDisableChannelEnabled: true, AutomaticEnableChannelEnabled: true });

health.before.each(async (context) => {
  context.world = await openDomainWorld();
  context.notices = [];
  context.errors = [];
  context.time = { nowMs: 0 };
  const { world, time } = context;
  context.channelSwitch = new ChannelSwitch({
    database: world.database,
    bus: world.bus,
    options,
    nowSeconds: world.nowSeconds,
    notify: (notice) => context.notices.push(notice),
  });
  context.health = new ChannelHealth({
    options,
    cooling: new ChannelCooling({ now: () => time.nowMs, options }),
    channelSwitch: context.channelSwitch,
    database: world.database,
    now: () => time.nowMs,
    nowSeconds: world.nowSeconds,
    report: (error) => context.errors.push(error),
  });
});
health.after.each(({ world }) => world.close());

/** Stores a channel of group default that offers gpt-4o, and answers with its picks, one a key. */
async function channelWith(
  world: DomainWorld,
  keys: string[],
  over: { autoBan?: number } = {},
): Promise<ChannelPick[]> {
  const { stores } = world.database;
  const channel = await stores.channels.insert({ type: 1, name: 'up', createdTime: 0, models: 'gpt-4o', ...over });
  const rows = keys.map((key, position) => {
    const keyHash = world.keyring.channelKeyHash(key);
    const place = channelKeySealContext({ channelId: channel.id, keyHash });
    return { channelId: channel.id, position, keyHash, keySealed: world.keyring.seal(place, key) };
  });
  await stores.channelKeys.insert(rows);
  const ability = { group: 'default', model: 'gpt-4o', enabled: true, priority: 0, weight: 0, tag: null };
  await stores.abilities.replace(channel.id, [ability]);
  await world.snapshots.reload('channels');
  const view = world.snapshots.current().channels.get(channel.id);
  return view ? view.keys.map((key) => ({ channel: view, key })) : [];
}

function failure(over: Partial<UpstreamFailureFields> = {}): UpstreamFailure {
  return new UpstreamFailure({
    provider: 'openai',
    upstreamStatus: 500,
    status: 500,
    type: 'upstream_error',
    code: 'bad_response_status_code',
    clientText: 'failed',
    operatorText: 'the upstream failed',
    retry: 'next-channel',
    health: 'soft',
    ...over,
  });
}

const attempt = { requestId: 'req-1', model: 'gpt-4o', disabling: 'allowed' } as const;
const hard = () => failure({ status: 401, upstreamStatus: 401, health: 'hard', operatorText: 'invalid api key' });
const statusOf = async (world: DomainWorld, pick: ChannelPick) =>
  (await world.database.stores.channels.find(pick.channel.record.id))?.status;
const candidates = (world: DomainWorld) => world.snapshots.current().channels.candidates('default', 'gpt-4o').length;

health('disables a channel at once after a hard sign, with reason, time, request and one notice', async (context) => {
  const { world, notices } = context;
  const [pick] = await channelWith(world, ['sk-a']);
  assert.ok(pick);
  if (!pick) return;
  for (let at = 0; at < 5; at += 1) context.health.failed(pick, hard(), attempt);
  await context.health.drain();
  const row = await world.database.stores.channels.find(pick.channel.record.id);
  assert.is(row?.status, 3);
  assert.equal(JSON.parse(row?.otherInfo ?? ''), {
    status_reason: 'invalid api key',
    status_time: world.nowSeconds(),
    status_request_id: 'req-1',
  });
  assert.is(candidates(world), 0);
  assert.equal(
    notices.map(({ kind, status, keyId }) => ({ kind, status, keyId })),
    [{ kind: `channel_update_${pick.channel.record.id}_3`, status: 3, keyId: undefined }],
  );
  const abilities = await world.database.stores.abilities.list(pick.channel.record.id);
  assert.equal(
    abilities.map((ability) => ability.enabled),
    [false],
  );
  assert.equal(context.errors, []);
});

health('needs three soft failures in the window without a success between', async (context) => {
  const { world, time } = context;
  const [pick] = await channelWith(world, ['sk-a']);
  if (!pick) return assert.unreachable('no pick');
  const fail = () => context.health.failed(pick, failure(), attempt);
  fail();
  fail();
  context.health.succeeded(pick);
  fail();
  fail();
  time.nowMs = 300_000;
  fail();
  await context.health.drain();
  assert.is(await statusOf(world, pick), 1);
  fail();
  fail();
  await context.health.drain();
  assert.is(await statusOf(world, pick), 3);
});

health('never counts client errors, rate limits, overload and cancels', async (context) => {
  const { world } = context;
  const [pick] = await channelWith(world, ['sk-a']);
  if (!pick) return assert.unreachable('no pick');
  for (const status of [400, 413, 422, 429, 503, 529]) {
    for (let at = 0; at < 4; at += 1) context.health.failed(pick, failure({ status, upstreamStatus: status }), attempt);
  }
  context.health.failed(pick, failure({ health: 'none', status: 499 }), attempt);
  await context.health.drain();
  assert.is(await statusOf(world, pick), 1);
});

health('honours auto_ban and spares the calls of admins', async (context) => {
  const { world } = context;
  const [banned] = await channelWith(world, ['sk-a'], { autoBan: 0 });
  const [spared] = await channelWith(world, ['sk-b']);
  if (!banned || !spared) return assert.unreachable('no pick');
  context.health.failed(banned, hard(), attempt);
  context.health.failed(spared, hard(), { ...attempt, disabling: 'spared' });
  await context.health.drain();
  assert.is(await statusOf(world, banned), 1);
  assert.is(await statusOf(world, spared), 1);
  assert.not(
    await context.channelSwitch.disable({
      channelId: banned.channel.record.id,
      reason: 'balance exhausted',
      requestId: '',
    }),
  );
});

health('disables one key of several, and the channel with the last of them', async (context) => {
  const { world, notices } = context;
  const [first, second] = await channelWith(world, ['sk-a', 'sk-b']);
  if (!first || !second) return assert.unreachable('no picks');
  context.health.failed(first, hard(), attempt);
  await context.health.drain();
  assert.is(await statusOf(world, first), 1);
  assert.equal(
    world.snapshots
      .current()
      .channels.get(first.channel.record.id)
      ?.keys.map((key) => key.status),
    [3, 1],
  );
  context.health.failed(second, hard(), attempt);
  await context.health.drain();
  const row = await world.database.stores.channels.find(first.channel.record.id);
  assert.is(row?.status, 3);
  assert.match(row?.otherInfo ?? '', /all keys disabled/);
  assert.equal(
    notices.map(({ status, keyId }) => [status, keyId]),
    [
      [1, first.key.id],
      [3, undefined],
    ],
  );
});

health('disables both keys when they fail at the same moment', async (context) => {
  const { world } = context;
  const picks = await channelWith(world, ['sk-a', 'sk-b', 'sk-c']);
  for (const pick of picks) context.health.failed(pick, hard(), attempt);
  await context.health.drain();
  const [pick] = picks;
  assert.is(pick && (await statusOf(world, pick)), 3);
});

health('keeps 500 characters of a reason, which an upstream may write as long as it likes', async (context) => {
  const { world, notices } = context;
  const [pick] = await channelWith(world, ['sk-a']);
  if (!pick) return assert.unreachable('no pick');
  const operatorText = 'invalid api key '.repeat(100);
  const wordy = failure({ status: 401, upstreamStatus: 401, health: 'hard', operatorText });
  context.health.failed(pick, wordy, attempt);
  await context.health.drain();
  const row = await world.database.stores.channels.find(pick.channel.record.id);
  const kept = operatorText.slice(0, 500);
  assert.is(JSON.parse(row?.otherInfo ?? '').status_reason, kept);
  assert.equal(
    notices.map(({ reason }) => reason),
    [kept],
  );
});

health(
  'enables key and channel again after a successful test, but never what was disabled by hand',
  async (context) => {
    const { world, channelSwitch } = context;
    const [pick] = await channelWith(world, ['sk-a']);
    if (!pick) return assert.unreachable('no pick');
    const id = pick.channel.record.id;
    context.health.failed(pick, hard(), attempt);
    await context.health.drain();
    assert.ok(await channelSwitch.enable({ channelId: id, keyId: pick.key.id, requestId: 'test' }));
    const row = await world.database.stores.channels.find(id);
    assert.equal([row?.status, row?.otherInfo], [1, '']);
    assert.is(candidates(world), 1);
    await world.database.stores.channels.update(id, { status: 2 });
    const { channelKeys } = world.database.stores;
    await channelKeys.setStatus(pick.key.id, { status: 3, reason: 'dead', statusTime: 1 });
    assert.not(await channelSwitch.enable({ channelId: id, keyId: pick.key.id, requestId: 'test' }));
    assert.is(await statusOf(world, pick), 2);
    assert.is((await channelKeys.find(pick.key.id))?.status, 3, 'nor is a key of such a channel');
  },
);

health('cools what the adapter asks for and writes use and errors behind the requests', async (context) => {
  const { world } = context;
  const [pick] = await channelWith(world, ['sk-a']);
  if (!pick) return assert.unreachable('no pick');
  const limited = failure({ status: 429, cooling: { scope: 'key', cause: 'rate-limit', retryAfterMs: 9000 } });
  context.health.failed(pick, limited, attempt);
  assert.is(context.health.isCooling(pick.channel.record.id, pick.key.id, 'gpt-4o'), 9000);
  await context.health.flush();
  const key = await world.database.stores.channelKeys.find(pick.key.id);
  assert.equal([key?.lastUsed, key?.lastError], [world.nowSeconds(), 'the upstream failed']);
});

health.run();
