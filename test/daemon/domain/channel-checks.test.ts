import { EventEmitter, once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryLeases } from '../../../daemon/cluster/leases.ts';
import { ChannelCheckService, type ChannelRunEvent } from '../../../daemon/domain/channel-checks.ts';
import { ChannelCooling } from '../../../daemon/domain/channel-cooling.ts';
import { ChannelHealth } from '../../../daemon/domain/channel-health.ts';
import type { ChannelProbe, ProbeCall } from '../../../daemon/domain/channel-probe.ts';
import { ChannelSwitch } from '../../../daemon/domain/channel-switch.ts';
import { ChannelWriter } from '../../../daemon/domain/channel-writer.ts';
import { TollgateError, UpstreamFailure } from '../../../daemon/errors.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { optionsView } from '../../support/options-view.ts';
import { codeOf } from '../../support/refusal-code.ts';
import { until } from '../../support/until.ts';

/** An upstream that answers each key as told. */
class ScriptedProbe implements ChannelProbe {
  readonly calls: ProbeCall[] = [];
  /** Key -> how a test of it ends; a key not named succeeds. */
  readonly endings = new Map<string, 'refuse' | 'unsupported' | 'unreachable' | 'break'>();
  timeMs = 120;
  usd = 3.5;
  /** What every test waits for before it answers. */
  gate: Promise<unknown> = Promise.resolve();
  readonly #world: DomainWorld;

  constructor(world: DomainWorld) {
    this.#world = world;
  }

  async test(channelId: number, call: ProbeCall) {
    this.calls.push(call);
    await this.gate;
    const channel = this.#world.snapshots.current().channels.get(channelId);
    const first = channel?.keys.find((key) => key.status === 1) ?? channel?.keys[0];
    const key = call.keyId === undefined ? first : channel?.keys.find(({ id }) => id === call.keyId);
    if (!channel || !key) throw new Error('no such key');
    const ending = this.endings.get(key.secret);
    if (ending === 'unsupported') throw new TollgateError('channel_test_unsupported');
    if (ending === 'break') throw new TypeError('a bug');
    const result = { model: call.model ?? 'gpt-4o', timeMs: this.timeMs, tokens: 0, pick: { channel, key } };
    if (ending === undefined) return { ...result, ok: true, status: 200, message: '' };
    if (ending === 'unreachable') {
      const failure = new UpstreamFailure({
        provider: 'openai',
        status: 502,
        type: 'tollgate_error',
        code: 'do_request_failed',
        clientText: 'unreachable',
        operatorText: 'unreachable',
        retry: 'next-channel',
        health: 'soft',
      });
      return { ...result, ok: false, status: 0, message: 'unreachable', failure };
    }
    const failure = new UpstreamFailure({
      provider: 'openai',
      upstreamStatus: 401,
      status: 401,
      type: 'authentication_error',
      code: 'invalid_api_key',
      clientText: 'refused',
      operatorText: 'key refused',
      retry: 'next-key',
      health: 'hard',
    });
    return { ...result, ok: false, status: 401, message: 'key refused', failure };
  }

  async listModels(upstream: number | { key: string; baseUrl: string }) {
    return typeof upstream === 'number' ? ['stored'] : [upstream.key, upstream.baseUrl];
  }

  async balance(channelId: number) {
    const keys = this.#world.snapshots.current().channels.get(channelId)?.keys ?? [];
    return { keyId: keys.find(({ status }) => status === 1)?.id ?? 0, usd: this.usd };
  }
}

interface Context {
  world: DomainWorld;
  probe: ScriptedProbe;
  checks: ChannelCheckService;
  /** The same service on another node, which shares the leases. */
  elsewhere(probe: ScriptedProbe): ChannelCheckService;
  /** Monotonic. */
  clock: { ms: number };
  health: ChannelHealth;
  events: ChannelRunEvent[];
  add(key: string, over?: { status?: number; autoBan?: number }): Promise<number>;
  statusOf(id: number): Promise<number | undefined>;
}

const checks = suite<Context>('domain/channel-checks');
const admin = actor({ userId: 2, username: 'admin' });
let threshold = 5;
const options = () =>
  optionsView({
    AutomaticDisableChannelEnabled: true,
    AutomaticEnableChannelEnabled: true,
    ChannelDisableThreshold: threshold,
  });

checks.before.each(async (context) => {
  const world = await openDomainWorld();
  const { database, bus, nowSeconds } = world;
  await database.stores.users.insert({
    username: 'root',
    displayName: 'root',
    password: '',
    role: 100,
    status: 1,
    group: 'default',
    affCode: 'root',
    createdAt: 0,
  });
  context.clock = { ms: 0 };
  const now = () => context.clock.ms;
  const channelSwitch = new ChannelSwitch({ database, bus, options, nowSeconds, notify: () => undefined });
  const cooling = new ChannelCooling({ now, options });
  const report = (error: unknown) => assert.unreachable(String(error));
  context.world = world;
  context.events = [];
  context.probe = new ScriptedProbe(world);
  context.health = new ChannelHealth({ options, cooling, channelSwitch, database, now, nowSeconds, report });
  const leases = new MemoryLeases(now);
  const deps = {
    database,
    channelSwitch,
    health: context.health,
    leases,
    options,
    acceptsBaseUrl: (url: string) => !url.includes('169.254'),
    language: 'en' as const,
    nowSeconds,
    newRequestId: () => 'req-test',
    pause: async () => undefined,
    report: (event: ChannelRunEvent) => context.events.push(event),
  };
  context.elsewhere = (probe) => new ChannelCheckService({ ...deps, probe });
  context.checks = context.elsewhere(context.probe);
  const writer = new ChannelWriter({ database, bus, secrets: world.keyring, nowSeconds });
  context.add = async (key, over = {}) => {
    const fields = { type: 1, name: 'up', createdTime: 0, models: 'gpt-4o', group: 'default', ...over };
    const [record] = await writer.write((stores) => writer.insert(stores, [{ fields, keys: key.split(',') }]));
    return record?.id ?? 0;
  };
  context.statusOf = async (id) => (await database.stores.channels.find(id))?.status;
});
checks.after.each(({ world }) => world.close());

const never = new AbortController().signal;
const auto = { model: undefined, stream: 'auto', endpoint: 'auto', canary: false } as const;

checks('stores what a test found, with its history', async ({ world, checks, probe, add }) => {
  const id = await add('sk-a');
  const outcome = await checks.test(admin, id, { ...auto, model: 'o3', stream: 'on' });
  assert.equal(outcome, { code: undefined, reason: '', timeMs: 120, tokens: 0 });
  const row = await world.database.stores.channels.find(id);
  assert.equal([row?.responseTime, row?.testTime], [120, world.nowSeconds()]);
  const [test] = await world.database.stores.channelTests.list({ channelId: id, limit: 5 });
  assert.equal([test?.model, test?.ok, test?.timeMs, test?.actorId], ['o3', true, 120, 2]);
  assert.equal(probe.calls[0]?.owner.username, 'admin');
});

checks('tells of a failed test without disabling anything', async ({ checks, probe, add, statusOf, health }) => {
  const id = await add('sk-a');
  probe.endings.set('sk-a', 'refuse');
  const outcome = await checks.test(admin, id, auto);
  assert.equal(outcome, { code: 'channel_test_failed', reason: 'key refused', timeMs: 120, tokens: 0 });
  await health.drain();
  assert.is(await statusOf(id), 1);
});

checks('answers types that cannot be tested and channels that do not exist', async ({ checks, probe, add }) => {
  const id = await add('sk-a');
  probe.endings.set('sk-a', 'unsupported');
  assert.is((await checks.test(admin, id, auto)).code, 'channel_test_unsupported');
  assert.is(await codeOf(checks.test(admin, 999, auto)), 'channel_not_found');
});

checks('disables in a run what fails hard, and enables again what answers', async (context) => {
  const { world, checks, probe, add, statusOf, health, events } = context;
  const bad = await add('sk-bad');
  const byHand = await add('sk-hand', { status: 2 });
  const back = await add('sk-back');
  await world.database.stores.channels.moveStatus(back, { from: 1, to: 3, otherInfo: '{"status_reason":"x"}' });
  await world.snapshots.reload('channels');
  probe.endings.set('sk-bad', 'refuse');
  assert.ok(await checks.run(never));
  await health.drain();
  assert.equal([await statusOf(bad), await statusOf(byHand), await statusOf(back)], [3, 2, 1]);
  assert.equal(events, [{ kind: 'run-ended', tested: 2, failed: 1, outage: false }]);
});

checks('goes on in a run behind a channel whose test breaks, and reports which it was', async (context) => {
  const { world, checks, probe, add, statusOf, events } = context;
  const broken = await add('sk-broken');
  const back = await add('sk-back');
  await world.database.stores.channels.moveStatus(back, { from: 1, to: 3, otherInfo: '{"status_reason":"x"}' });
  await world.snapshots.reload('channels');
  probe.endings.set('sk-broken', 'break');
  assert.ok(await checks.run(never));
  assert.equal([await statusOf(broken), await statusOf(back)], [1, 1]);
  assert.equal(events, [
    { kind: 'channel-failed', channelId: broken, cause: new TypeError('a bug') },
    { kind: 'run-ended', tested: 1, failed: 0, outage: false },
  ]);
});

checks('disables nothing in a run that reaches hardly any upstream, and says so', async (context) => {
  const { checks, probe, add, statusOf, health, events } = context;
  const bad = await add('sk-bad');
  const slow = await add('sk-slow');
  probe.endings.set('sk-bad', 'refuse');
  probe.timeMs = 5001;
  const cut: number[] = [];
  for (let count = 0; count < 9; count += 1) {
    probe.endings.set(`sk-cut-${count}`, 'unreachable');
    cut.push(await add(`sk-cut-${count}`));
  }
  // Three runs: as many failures as would disable each of them.
  for (let run = 0; run < 3; run += 1) await checks.run(never);
  await health.drain();
  const statuses = await Promise.all([bad, slow, ...cut].map(statusOf));
  assert.equal([...new Set(statuses)], [1]);
  assert.equal(events.at(-1), { kind: 'run-ended', tested: 11, failed: 10, outage: true });
  // One more that answers: nine of twelve are no outage, and what each showed counts.
  await add('sk-well');
  await checks.run(never);
  await health.drain();
  assert.equal(
    [await statusOf(bad), await statusOf(slow), events.at(-1)],
    [3, 3, { kind: 'run-ended', tested: 12, failed: 10, outage: false }],
  );
});

checks('enables each dead key that answers again', async ({ world, checks, probe, add }) => {
  const id = await add('sk-a,sk-b,sk-c');
  const keys = await world.database.stores.channelKeys.all([id]);
  for (const key of keys.slice(1)) {
    await world.database.stores.channelKeys.setStatus(key.id, { status: 3, reason: 'dead', statusTime: 1 });
  }
  await world.snapshots.reload('channels');
  probe.endings.set('sk-c', 'refuse');
  await checks.test(admin, id, auto);
  const statuses = (await world.database.stores.channelKeys.all([id])).map(({ status }) => status);
  assert.equal(statuses, [1, 1, 3]);
});

checks('disables in a run what answers too slowly, unless the channel forbids it', async (context) => {
  const { checks, probe, add, statusOf, world } = context;
  const slow = await add('sk-a');
  const spared = await add('sk-b', { autoBan: 0 });
  probe.timeMs = 5001;
  await checks.test(admin, slow, auto);
  assert.is(await statusOf(slow), 1);
  await checks.run(never);
  assert.equal([await statusOf(slow), await statusOf(spared)], [3, 1]);
  assert.match(
    (await world.database.stores.channels.find(slow))?.otherInfo ?? '',
    /took 5.0 s to answer a test, more than the 5 s/,
  );
});

checks('begins a run anew, over all channels, when the lease of one whose node died is over', async (context) => {
  const { checks, probe, add, statusOf, health, clock, world } = context;
  const ids = [await add('sk-a'), await add('sk-b')];
  probe.endings.set('sk-b', 'refuse');
  const dead = new ScriptedProbe(world);
  dead.gate = new Promise(() => undefined);
  await context.elsewhere(dead).startRun(admin);
  await until(() => dead.calls.length === 1);
  clock.ms = 179_999;
  assert.equal([await checks.isRunning(), await checks.run(never)], [true, false]);
  clock.ms = 180_000;
  assert.equal([await checks.isRunning(), await checks.run(never)], [false, true]);
  await health.drain();
  assert.is(probe.calls.length, 2);
  assert.equal([await statusOf(ids[0] ?? 0), await statusOf(ids[1] ?? 0)], [1, 3]);
});

checks('lets one run go on at a time', async ({ checks, probe, add }) => {
  await add('sk-a');
  const open = new EventEmitter();
  probe.gate = once(open, 'open');
  await checks.startRun(admin);
  assert.is(await codeOf(checks.startRun(admin)), 'channel_test_running');
  assert.not(await checks.run(never));
  open.emit('open');
  await until(async () => !(await checks.isRunning()));
  assert.ok(await checks.run(never));
});

checks(
  'ends a run that was started by hand when the node stops, behind the channel that is tested',
  async (context) => {
    const { checks, probe, add } = context;
    for (const key of ['sk-a', 'sk-b', 'sk-c']) await add(key);
    const open = new EventEmitter();
    probe.gate = once(open, 'open');
    await checks.startRun(admin);
    await until(() => probe.calls.length === 1);
    const stopped = checks.stop();
    open.emit('open');
    await stopped;
    assert.not(await checks.isRunning(), 'the next start may begin one at once');
    assert.is(probe.calls.length, 1);
  },
);

checks('asks an upstream for models before it is saved, with the first key alone', async ({ checks, add }) => {
  const draft = (over: object) => checks.fetchDraftModels({ type: 1, baseUrl: '', key: '', ...over });
  assert.equal(await draft({ key: ' a\nb', baseUrl: 'https://up.example/' }), ['a', 'https://up.example']);
  assert.is(await codeOf(draft({ type: 49 })), 'channel_type_unknown');
  assert.is(await codeOf(draft({ baseUrl: 'http://169.254.169.254' })), 'channel_base_url_refused');
  assert.equal(await checks.fetchModels(await add('sk-a')), ['stored']);
});

checks('stores balances and disables an exhausted channel', async ({ world, checks, probe, add, statusOf }) => {
  const id = await add('sk-a');
  assert.is(await checks.updateBalance(id), 3.5);
  assert.is((await world.database.stores.channels.find(id))?.balance, 3.5);
  probe.usd = 0;
  await checks.updateBalances();
  assert.is(await statusOf(id), 3);
  assert.match((await world.database.stores.channels.find(id))?.otherInfo ?? '', /balance exhausted/);
});

checks(
  'takes one key of several out when its balance is exhausted, and the channel with the last of them',
  async (context) => {
    const { world, checks, probe, add, statusOf } = context;
    const id = await add('sk-a,sk-b');
    probe.usd = 0;
    await checks.updateBalance(id);
    const statuses = async () => (await world.database.stores.channelKeys.all([id])).map(({ status }) => status);
    assert.equal([await statusOf(id), await statuses()], [1, [3, 1]]);
    await checks.updateBalance(id);
    assert.equal([await statusOf(id), await statuses()], [3, [3, 3]]);
  },
);

checks('brings no channel back by a key that somebody switched off', async ({ world, checks, add, statusOf }) => {
  const id = await add('sk-a,sk-b', { status: 3 });
  const [first, second] = await world.database.stores.channelKeys.all([id]);
  if (first === undefined || second === undefined) throw new Error('no keys');
  await world.database.stores.channelKeys.setStatus(first.id, { status: 2, reason: 'off', statusTime: 1 });
  await world.database.stores.channelKeys.setStatus(second.id, { status: 3, reason: 'dead', statusTime: 1 });
  await world.snapshots.reload('channels');
  await checks.testKey(admin, id, { ...auto, keyHash: first.keyHash });
  assert.is(await statusOf(id), 3);
  await checks.testKey(admin, id, { ...auto, keyHash: second.keyHash });
  assert.is(await statusOf(id), 1);
});

checks(
  'leaves what answers too slowly out of routing until it is quicker, with no turn in between',
  async (context) => {
    const { checks, probe, add, statusOf, world } = context;
    const slow = await add('sk-a', { status: 3 });
    const before = (await world.database.stores.audits.list({}, { offset: 0, limit: 100 })).total;
    probe.timeMs = 5001;
    await checks.run(never);
    assert.is(await statusOf(slow), 3);
    assert.is((await world.database.stores.audits.list({}, { offset: 0, limit: 100 })).total, before);
    threshold = 0;
    await checks.run(never);
    threshold = 5;
    assert.is(await statusOf(slow), 1, 'without a threshold nothing is too slow');
    await world.database.stores.channels.update(slow, { status: 3 });
    probe.timeMs = 100;
    await checks.run(never);
    assert.is(await statusOf(slow), 1);
  },
);

checks(
  'asks for balances of enabled channels on schedule, one run at a time, and keeps auto_ban 0 in routing',
  async ({ checks, probe, add, statusOf, world }) => {
    probe.usd = 0;
    const kept = await add('sk-a', { autoBan: 0 });
    const emptied = await add('sk-b');
    const off = await add('sk-c', { status: 2 });
    assert.equal(await Promise.all([checks.runBalances(never), checks.runBalances(never)]), [true, false]);
    assert.equal([await statusOf(kept), await statusOf(emptied), await statusOf(off)], [1, 3, 2]);
    assert.is((await world.database.stores.channels.find(off))?.balanceUpdatedTime, 0);
  },
);

checks('ends a scheduled run when the node stops', async ({ checks, probe, add }) => {
  await add('sk-a');
  assert.ok(await checks.run(AbortSignal.abort()));
  assert.is(probe.calls.length, 0);
  assert.ok(await checks.run(never));
  assert.equal(probe.calls[0]?.owner.username, 'root');
});

checks.run();
