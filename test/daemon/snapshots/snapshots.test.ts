import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type SnapshotProblem, Snapshots } from '../../../daemon/snapshots/snapshots.ts';
import type { ChannelKeyRecord } from '../../../daemon/store/channel-keys.ts';
import type { ChannelRecord } from '../../../daemon/store/channels.ts';
import { channelKeyRecord, channelRecord, unseal } from '../../support/channel-records.ts';
import { until } from '../../support/until.ts';

const snapshots = suite('snapshots/snapshots');

type Listener = (topic: string, revision: number, detail?: string) => void | Promise<void>;

class World {
  options = new Map<string, string>();
  channels = new Map<number, ChannelRecord>();
  keys: ChannelKeyRecord[] = [];
  setup = false;
  /** What the next questions for the newest change of prices are answered; then 0. */
  priceVersions: number[] = [];
  revisions = new Map<string, number>();
  channelReads: (readonly number[] | undefined)[] = [];
  hold: Promise<void> | undefined;
  problems: SnapshotProblem[] = [];
  announce: Listener = () => undefined;
  readonly snapshots = new Snapshots({
    source: {
      revisions: async () => new Map(this.revisions),
      options: async () => [...this.options].map(([key, value]) => ({ key, value })),
      priceVersion: async () => this.priceVersions.shift() ?? 0,
      channels: async (ids) => {
        this.channelReads.push(ids);
        const rows = [...this.channels.values()].filter((row) => !ids || ids.includes(row.id));
        await this.hold;
        return rows;
      },
      channelKeys: async (ids) => this.keys.filter((key) => !ids || ids.includes(key.channelId)),
      rateRules: async () => [],
      setupDone: async () => this.setup,
    },
    bus: {
      onChange: (listener) => {
        this.announce = listener;
        return () => undefined;
      },
    },
    unseal,
    optionDefaults: { ModelRatio: { 'gpt-4o': 1.25 } },
    report: (problem) => this.problems.push(problem),
  });

  /** Has reads of channels end only after the call of what it returns; they show the rows of their beginning. */
  holdChannels(): () => void {
    const gate = { open: () => {} };
    this.hold = new Promise((resolve) => {
      gate.open = resolve;
    });
    return () => {
      this.hold = undefined;
      gate.open();
    };
  }

  add(over: Partial<ChannelRecord>, ...keys: string[]): void {
    const row = channelRecord(over);
    this.channels.set(row.id, row);
    keys.forEach((key, position) => {
      this.keys.push(channelKeyRecord(key, { id: row.id * 10 + position, channelId: row.id, position }));
    });
  }
}

async function started(prepare: (world: World) => void = () => undefined): Promise<World> {
  const world = new World();
  prepare(world);
  await world.snapshots.start();
  return world;
}

const candidateIds = (world: World) =>
  world.snapshots
    .current()
    .channels.candidates('default', 'gpt-4o')
    .map((ability) => ability.channel.record.id);

snapshots('holds options, channels with opened keys and the setup flag after the start', async () => {
  const world = await started((rows) => {
    rows.add({ id: 4 }, 'sk-a', 'sk-b');
    rows.options.set('RetryTimes', '3');
    rows.setup = true;
  });
  const view = world.snapshots.current();
  assert.equal(
    view.channels.get(4)?.keys.map((key) => [key.index, key.secret]),
    [
      [0, 'sk-a'],
      [1, 'sk-b'],
    ],
  );
  assert.is(view.options.get('RetryTimes'), 3);
  assert.is(view.options.get('DataExportInterval'), 5);
  assert.equal(view.options.get('ModelRatio'), { 'gpt-4o': 1.25 });
  assert.ok(view.setupDone);
  world.snapshots.stop();
});

snapshots('gives later requests the new world and leaves the earlier one as it was', async () => {
  const world = await started((rows) => rows.add({ id: 1 }, 'sk-a'));
  const before = world.snapshots.current();
  world.add({ id: 2 }, 'sk-b');
  await world.announce('channels', 2, '2');
  assert.equal(world.channelReads.at(-1), [2]);
  assert.equal(candidateIds(world), [1, 2]);
  assert.is(before.channels.get(2), undefined);
  assert.ok(world.snapshots.current().revision > before.revision);
  world.snapshots.stop();
});

snapshots('knows which change of prices its options are from, unless one came while they were read', async () => {
  const world = await started((rows) => rows.add({ id: 1 }, 'sk-a'));
  world.priceVersions = [7, 7];
  await world.snapshots.reload('options');
  assert.is(world.snapshots.current().options.priceVersion, 7);
  world.priceVersions = [7, 8];
  await world.snapshots.reload('options');
  assert.is(world.snapshots.current().options.priceVersion, undefined);
  world.snapshots.stop();
});

snapshots('compares all channels when an announcement names none', async () => {
  const world = await started((rows) => {
    rows.add({ id: 1 }, 'sk-a');
    rows.add({ id: 2 }, 'sk-b');
  });
  const kept = world.snapshots.current().channels.get(2);
  world.channels.delete(1);
  world.channels.set(2, channelRecord({ id: 2, usedQuota: 99, testTime: 5 }));
  await world.announce('channels', 2);
  assert.equal(candidateIds(world), [2]);
  assert.is(world.snapshots.current().channels.get(2), kept);
  world.snapshots.stop();
});

snapshots('sees a key that was disabled', async () => {
  const world = await started((rows) => rows.add({ id: 1 }, 'sk-a', 'sk-b'));
  world.keys = world.keys.map((key) => (key.position === 0 ? { ...key, status: 3 } : key));
  await world.announce('channels', 2, '1');
  assert.equal(
    world.snapshots
      .current()
      .channels.get(1)
      ?.keys.map((key) => key.status),
    [3, 1],
  );
  world.snapshots.stop();
});

snapshots('reloads once more for a write announced while a reload reads', async () => {
  const world = await started();
  const release = world.holdChannels();
  const first = world.snapshots.reload('channels');
  await until(() => world.channelReads.length === 2);
  world.add({ id: 1 }, 'sk-a');
  const second = world.snapshots.reload('channels', '1');
  const third = world.snapshots.reload('channels', '1');
  release();
  await first;
  assert.equal(candidateIds(world), []);
  await Promise.all([second, third]);
  assert.equal(candidateIds(world), [1]);
  assert.equal(world.channelReads, [undefined, undefined, [1]]);
  world.snapshots.stop();
});

snapshots('shows a change of several topics whole, whichever of them was announced or read first', async () => {
  const world = await started((rows) => rows.add({ id: 1 }, 'sk-a'));
  const change = (to: number) => {
    world.channels.set(1, channelRecord({ id: 1, group: `group-${to}` }));
    world.options.set('GroupRatio', `{"group-${to}":${to}}`);
    world.revisions = new Map([
      ['options', to],
      ['channels', to],
    ]);
  };
  const shown = () => {
    const { channels, options } = world.snapshots.current();
    return [channels.get(1)?.record.group, options.get('GroupRatio')];
  };
  change(2);
  await world.announce('channels', 2, '1');
  assert.equal(shown(), ['group-2', { 'group-2': 2 }]);
  change(3);
  await world.announce('options', 3);
  assert.equal(shown(), ['group-3', { 'group-3': 3 }]);

  // The channels of before and the options of after are read; neither shows until both are those of after.
  const release = world.holdChannels();
  const reads = world.channelReads.length;
  const reload = world.snapshots.reload('channels');
  await until(() => world.channelReads.length > reads);
  change(4);
  const options = world.snapshots.reload('options');
  release();
  await reload;
  assert.equal(shown(), ['group-4', { 'group-4': 4 }]);
  await options;
  world.snapshots.stop();
});

snapshots('sends no key to an address that it never went with, though both change while they are read', async () => {
  const world = await started((rows) => rows.add({ id: 1, baseUrl: 'https://before.example' }, 'sk-before'));
  const release = world.holdChannels();
  const reload = world.snapshots.reload('channels', '1');
  await until(() => world.channelReads.length === 2);
  world.keys = [];
  world.add({ id: 1, baseUrl: 'https://after.example' }, 'sk-after');
  world.revisions = new Map([['channels', 2]]);
  release();
  await reload;
  const channel = world.snapshots.current().channels.get(1);
  assert.equal(
    [channel?.record.baseUrl, channel?.keys.map((key) => key.secret)],
    ['https://after.example', ['sk-after']],
  );
  world.snapshots.stop();
});

snapshots('takes what it read when changes never pause', async () => {
  const world = await started((rows) => rows.add({ id: 1 }, 'sk-a'));
  let revision = 2;
  const { revisions } = world;
  Object.defineProperty(world, 'revisions', {
    get: () => {
      revision += 1;
      return new Map([...revisions, ['options', revision], ['channels', revision]]);
    },
  });
  world.options.set('RetryTimes', '3');
  await world.snapshots.reload('options');
  assert.is(world.snapshots.current().options.get('RetryTimes'), 3);
  world.snapshots.stop();
});

snapshots('keeps the last good value of an option whose stored text is bad, and says so', async () => {
  const world = await started((rows) => rows.options.set('RetryTimes', '3'));
  world.options.set('RetryTimes', 'many');
  await world.announce('options', 2);
  assert.is(world.snapshots.current().options.get('RetryTimes'), 3);
  assert.equal(world.problems, [{ kind: 'option', key: 'RetryTimes', reason: 'must be a whole number' }]);
  world.options.delete('RetryTimes');
  await world.announce('options', 3);
  assert.is(world.snapshots.current().options.get('RetryTimes'), 0);
  world.snapshots.stop();
});

snapshots('falls back to the default when there never was a good value', async () => {
  const world = await started((rows) => rows.options.set('GroupRatio', '{"default":'));
  assert.equal(world.snapshots.current().options.get('GroupRatio'), { default: 1, vip: 1, svip: 1 });
  assert.is(world.problems.length, 1);
  world.snapshots.stop();
});

snapshots('opens sealed secrets and reports those sealed under another secret', async () => {
  const world = await started((rows) => {
    rows.options.set('SMTPToken', 'sealed:mail password');
    rows.options.set('EpayKey', 'foreign');
  });
  assert.is(world.snapshots.current().options.get('SMTPToken'), 'mail password');
  assert.is(world.snapshots.current().options.get('EpayKey'), '');
  assert.equal(world.problems, [{ kind: 'option', key: 'EpayKey', reason: 'cannot be opened with this secret' }]);
  world.snapshots.stop();
});

snapshots('leaves out a channel key that cannot be opened and names it', async () => {
  const world = await started((rows) => {
    rows.add({ id: 1 }, 'sk-a');
    rows.keys.push(channelKeyRecord('x', { id: 99, channelId: 1, position: 1, keySealed: 'foreign' }));
  });
  assert.equal(
    world.snapshots
      .current()
      .channels.get(1)
      ?.keys.map((key) => key.secret),
    ['sk-a'],
  );
  assert.equal(world.problems, [{ kind: 'channel-key', channelId: 1, keyId: 99 }]);
  world.snapshots.stop();
});

snapshots.run();
