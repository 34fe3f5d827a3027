import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionBus } from '../../../daemon/cluster/bus.ts';
import { alertKinds } from '../../../daemon/contract/alert-kinds.ts';
import { allKeysDisabled } from '../../../daemon/contract/status-reason.ts';
import { AlertBook } from '../../../daemon/domain/alert-book.ts';
import { defaultAlertSettings, ruleOf } from '../../../daemon/domain/alert-settings.ts';
import { AlertService } from '../../../daemon/domain/alerts.ts';
import { ErrorRates } from '../../../daemon/domain/error-rates.ts';
import { type Delivery, DeliveryFailure } from '../../../daemon/domain/notice-delivery.ts';
import { NoticeDesk } from '../../../daemon/domain/notice-desk.ts';
import { NoticeQueue } from '../../../daemon/domain/notice-queue.ts';
import { channelNotice, channelTestNotice } from '../../../daemon/domain/notice-texts.ts';
import { SharedErrorRates } from '../../../daemon/domain/shared-error-rates.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { until } from '../../support/until.ts';

const alerts = suite('alerts');
const root = actor({ role: 100 });

/** The code with which something is refused. */
async function refusal(attempt: Promise<unknown>): Promise<string> {
  const thrown = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof TollgateError)) throw new Error('it was not refused');
  return thrown.code;
}

interface Scene {
  readonly world: DomainWorld;
  readonly service: AlertService;
  readonly rates: ErrorRates;
  readonly told: string[];
  /** Resolves when everybody has been told. */
  done(): Promise<void>;
}

async function inScene(run: (scene: Scene) => Promise<void>): Promise<void> {
  const world = await openDomainWorld();
  const { database, bus, keyring, nowSeconds } = world;
  const context = { table: 'alert_settings', column: 'sealed', row: '1' };
  const told: string[] = [];
  const report = (cause: unknown) => {
    throw cause;
  };
  const options = () => world.snapshots.current().options;
  const deliver = async ({ to, notice, language }: Delivery) => {
    const where = to.by === 'mail' ? to.to : to.url;
    if (where.includes('broken')) throw new DeliveryFailure('the address answered 500', 'never');
    told.push(`${where} ${notice.type}: ${notice.texts[language].title}`);
  };
  const queue = new NoticeQueue({ deliver, report: () => undefined });
  const book = new AlertBook({
    database,
    bus,
    seal: (plain) => keyring.seal(context, plain),
    unseal: (sealed) => keyring.open(context, sealed),
    defaults: defaultAlertSettings(10),
    nowSeconds,
    report,
  });
  const desk = new NoticeDesk({ database, book, queue, options, language: 'en', nowSeconds, report });
  const rates = new ErrorRates(nowSeconds);
  const service = new AlertService({
    database,
    book,
    desk,
    rates: new SharedErrorRates({
      own: rates,
      counts: database.stores.errorCounts,
      processId: 'one',
      nowSeconds,
    }),
    deliver,
    acceptsAddress: (url) => !url.includes('10.0.0.1'),
    options,
    channelName: (id) => `channel ${id}`,
    channelNotices: { count: 2, seconds: 600 },
    nowSeconds,
  });
  try {
    await database.stores.options.set('SMTPServer', 'mail.example.org');
    await world.snapshots.reload('options');
    await database.stores.users.insert({ username: 'root', role: 100, email: 'root@example.org', createdAt: 1 });
    await book.start();
    await run({
      world,
      service,
      rates,
      told,
      done: async () => {
        await desk.settled();
        await queue.idle();
      },
    });
  } finally {
    book.stop();
    await queue.stop();
    await world.close();
  }
}

const disabled = {
  kind: 'channel_update_7_3',
  channelId: 7,
  channelName: 'main',
  status: 3,
  keyId: undefined,
  reason: 'no credit',
} as const;
const recovered = { ...disabled, kind: 'channel_update_7_1', status: 1, reason: '' } as const;

alerts('tell root of channels without any settings, as often as the site allows', () =>
  inScene(async ({ world, service, told, done }) => {
    for (let at = 0; at < 4; at += 1) service.channelChanged(disabled);
    service.channelChanged(recovered);
    await done();
    assert.equal([...told].sort(), [
      'root@example.org channel_update_7_1: channel main recovered',
      'root@example.org channel_update_7_3: channel main disabled',
      'root@example.org channel_update_7_3: channel main disabled',
    ]);
    world.clock.seconds += 600;
    service.channelChanged(disabled);
    await done();
    assert.is(told.length, 4);
  }),
);

alerts('tell of a channel that is down however many of its keys were told of before', () =>
  inScene(async ({ service, told, done }) => {
    for (let keyId = 1; keyId <= 3; keyId += 1) service.channelChanged({ ...disabled, status: 1, keyId });
    service.channelChanged({ ...disabled, reason: 'all keys disabled' });
    await done();
    // Two of the keys, and the channel.
    assert.is(told.length, 3);
  }),
);

alerts('wait for a mail server without counting as told', () =>
  inScene(async ({ world, service, told, done }) => {
    const mailServer = async (name: string) => {
      await world.database.stores.options.set('SMTPServer', name);
      await world.snapshots.reload('options');
    };
    await mailServer('');
    for (let at = 0; at < 3; at += 1) service.channelChanged(disabled);
    await done();
    assert.equal(told, []);
    assert.equal(service.figures, { waiting: 0, sent: 0, failed: 0, dropped: 0 });
    await mailServer('mail.example.org');
    service.channelChanged(disabled);
    await done();
    assert.is(told.length, 1);
  }),
);

alerts('go to every target that wants the kind, in its language, and to no other', () =>
  inScene(async ({ service, told, done }) => {
    const changed = await service.change(root, {
      rules: [{ kind: 'channel-recovered', enabled: false }],
      targets: [
        { id: 'ops', type: 'mail', address: 'Ops@Example.org', language: 'zh' },
        { id: 'off', type: 'mail', address: 'off@example.org', enabled: false },
        { id: 'rates', type: 'mail', address: 'rates@example.org', kinds: ['error-rate'] },
        { id: 'chat', type: 'robot', dialect: 'slack', address: 'https://example.org/robot', secret: 's' },
      ],
    });
    assert.is(changed.targets.length, 4);
    service.channelChanged(disabled);
    service.channelChanged(recovered);
    await done();
    assert.equal([...told].sort(), [
      'Ops@Example.org channel_update_7_3: 渠道「main」已被禁用',
      'https://example.org/robot channel_update_7_3: channel main disabled',
    ]);
  }),
);

alerts('watch the share of failing calls by channel and of the site', () =>
  inScene(async ({ service, rates, told, done }) => {
    await service.judgeErrorRates();
    await service.change(root, {
      rules: [{ kind: 'error-rate', enabled: true, threshold: 50, min_requests: 4, window_minutes: 5 }],
      targets: undefined,
    });
    const count = (channelId: number, results: string) => {
      for (const letter of results) rates.count(channelId, letter === 'f' ? 'failed' : 'answered');
    };
    count(0, 'ffaaaaaaaa');
    count(7, 'ffaa');
    count(8, 'faaa');
    count(9, 'fff');
    await service.judgeErrorRates();
    await service.judgeErrorRates();
    await done();
    assert.equal(told, ['root@example.org error_rate_7: many calls of channel channel 7 fail']);
  }),
);

alerts('watch balances that were read lately, of enabled channels', () =>
  inScene(async ({ world, service, told, done }) => {
    const { channels } = world.database.stores;
    const add = async (name: string, balance: number, at: number, status = 1) => {
      const { id } = await channels.insert({ type: 1, name, createdTime: 1, status });
      await channels.setBalance(id, balance, at);
    };
    const now = world.nowSeconds();
    await add('low', 4.99, now - 10);
    await add('enough', 5, now - 10);
    await add('old', 1, now - 100_000);
    await add('off', 1, now - 10, 2);
    await service.judgeBalances();
    await service.change(root, { rules: [{ kind: 'channel-balance', enabled: true }], targets: undefined });
    await service.judgeBalances();
    await service.judgeBalances();
    await done();
    assert.is(told.length, 1);
    assert.match(told[0] ?? '', /balance of channel low is low$/);
  }),
);

alerts('keep a secret while its host stays, drop it with another, and leave the rest of a target as it was', () =>
  inScene(async ({ world, service }) => {
    const hook = { id: 'hook', type: 'webhook' } as const;
    const set = async (target: { address?: string; secret?: string | null; enabled?: boolean }) => {
      const { targets } = await service.change(root, { rules: [], targets: [{ ...hook, ...target }] });
      return targets[0];
    };
    const first = await set({ address: 'https://a.example.org/x', secret: 'one' });
    assert.is(first?.secret, 'one');
    assert.is((await set({ address: 'https://a.example.org/y' }))?.secret, 'one');
    assert.is((await set({ enabled: false, secret: '' }))?.secret, 'one');
    assert.is((await set({}))?.address, 'https://a.example.org/y');
    assert.is((await set({}))?.enabled, false);
    assert.is((await set({ secret: null }))?.secret, '');
    await set({ secret: 'two' });
    assert.is((await set({ address: 'https://b.example.org/y' }))?.secret, '');
    const robot = { id: 'chat', type: 'robot', dialect: 'slack' } as const;
    const address = 'https://hooks.example.org/the-credential';
    await service.change(root, { rules: [], targets: [{ ...robot, address, secret: 'three' }] });
    const echoed = { rules: [], targets: [{ ...robot, address: 'hooks.example.org' }] };
    assert.equal((await service.change(root, echoed)).targets[0], {
      ...service.settings.targets[0],
      address,
      secret: 'three',
    });
    const stored = await world.database.stores.notices.findSettings();
    assert.not.ok(stored?.includes('example.org'), 'sealed at rest');
  }),
);

alerts('refuse targets and rules that could not work', () =>
  inScene(async ({ service }) => {
    const targets = [
      { id: 'a', type: 'mail', address: 'nobody' },
      { id: 'a', type: 'webhook', address: 'ftp://example.org' },
      { id: 'a', type: 'webhook', address: 'http://10.0.0.1/' },
      { id: 'a', type: 'webhook' },
      { id: 'a', type: 'robot', address: 'https://example.org' },
    ] as const;
    for (const target of targets) {
      const code = await refusal(service.change(root, { rules: [], targets: [target] }));
      assert.ok(code === 'alert_target_invalid' || code === 'email_invalid', JSON.stringify(target));
    }
    const twice = [targets[0], targets[0]].map((target) => ({ ...target, address: 'a@example.org' }));
    assert.is(await refusal(service.change(root, { rules: [], targets: twice })), 'alert_target_invalid');
    for (const rule of [{ threshold: 0 }, { threshold: 101 }, { min_requests: 0 }, { window_minutes: 0 }]) {
      const change = { rules: [{ kind: 'error-rate', ...rule } as const], targets: undefined };
      assert.is(await refusal(service.change(root, change)), 'alert_rule_invalid');
    }
    assert.is(service.settings.targets[0]?.id, 'owner', 'nothing of it was kept');
  }),
);

alerts('refuse a figure that the rule of a kind does not look at, and take its 0 as it is shown', () =>
  inScene(async ({ service }) => {
    const unread = [
      { kind: 'channel-disabled', threshold: 7 },
      { kind: 'channel-recovered', window_minutes: 5 },
      { kind: 'channel-balance', min_requests: 3 },
      { kind: 'user-balance', window_minutes: 5 },
    ] as const;
    for (const rule of unread) {
      const change = service.change(root, { rules: [rule], targets: undefined });
      assert.is(await refusal(change), 'alert_rule_unread', JSON.stringify(rule));
    }
    const { rules } = await service.change(root, { rules: service.settings.rules, targets: undefined });
    assert.equal(rules, service.settings.rules);
  }),
);

alerts('show no figure that a kind does not look at, though it was kept before that was refused', () => {
  const defaults = defaultAlertSettings(10);
  const rules = defaults.rules.map((rule) => ({ ...rule, threshold: 7, window_minutes: 5, min_requests: 3 }));
  const figures = alertKinds.map((kind) => {
    const { threshold, window_minutes, min_requests } = ruleOf({ ...defaults, rules }, kind, defaults);
    return [kind, threshold, window_minutes, min_requests];
  });
  assert.equal(figures, [
    ['channel-disabled', 0, 0, 0],
    ['channel-recovered', 0, 0, 0],
    ['channel-balance', 7, 0, 0],
    ['error-rate', 7, 5, 3],
    ['user-balance', 7, 0, 0],
    ['token-quota', 7, 0, 0],
  ]);
});

alerts('that one node changes hold on another, and stand when it starts again', () =>
  inScene(async ({ world, service }) => {
    const { database, keyring, nowSeconds } = world;
    const context = { table: 'alert_settings', column: 'sealed', row: '1' };
    const bus = new RevisionBus({
      readRevisions: () => database.stores.revisions.byTopic(),
      report: () => undefined,
      pollMs: 10,
    });
    const other = new AlertBook({
      database,
      bus,
      seal: (plain) => keyring.seal(context, plain),
      unseal: (sealed) => keyring.open(context, sealed),
      defaults: defaultAlertSettings(10),
      nowSeconds,
      report: (cause) => {
        throw cause;
      },
    });
    try {
      await bus.start();
      await service.change(root, { rules: [{ kind: 'error-rate', enabled: true }], targets: [] });
      await other.start();
      assert.equal(other.settings, service.settings, 'what was saved before');
      await service.change(root, { rules: [{ kind: 'error-rate', threshold: 42 }], targets: undefined });
      await until(() => other.rule('error-rate').threshold === 42);
      assert.equal(other.settings, service.settings);
    } finally {
      other.stop();
      await bus.stop();
    }
  }),
);

alerts('are tested target by target, and tell what failed', () =>
  inScene(async ({ service, told }) => {
    await service.change(root, {
      rules: [],
      targets: [
        { id: 'owner', type: 'owner' },
        { id: 'broken', type: 'webhook', address: 'https://broken.example.org' },
        { id: 'off', type: 'mail', address: 'off@example.org', enabled: false },
      ],
    });
    assert.equal(await service.test({ target: undefined, kind: 'channel-disabled' }), [
      { target: 'owner', ok: true, reason: '' },
      { target: 'broken', ok: false, reason: 'the address answered 500' },
    ]);
    assert.equal(await service.test({ target: 'off', kind: undefined }), [{ target: 'off', ok: true, reason: '' }]);
    assert.is(told.length, 2);
    assert.is(await refusal(service.test({ target: 'nobody', kind: undefined })), 'alert_target_unknown');
  }),
);

alerts('tell root how tests of all channels ended, as often as the site allows, whatever the rules say', () =>
  inScene(async ({ world, service, told, done }) => {
    const quiet = { kind: 'channel-disabled', quiet_minutes: 1440 } as const;
    await service.change(root, { rules: [quiet], targets: undefined });
    const end = async () => {
      for (let at = 0; at < 3; at += 1) service.channelTestEnded({ tested: 5, failed: 1, outage: false });
      await done();
    };
    await end();
    assert.equal(told, Array(2).fill('root@example.org channel_test: the channels are tested'));
    world.clock.seconds += 601;
    await end();
    assert.is(told.length, 4);
  }),
);

alerts('say of a run that nothing was disabled because nothing could be reached', () => {
  const { texts } = channelTestNotice({ tested: 9, failed: 9, outage: true }, '');
  assert.match(texts.en.paragraphs.join(' '), /no channel was disabled/);
  assert.match(texts.zh.paragraphs.join(' '), /没有禁用/);
  const usual = channelTestNotice({ tested: 9, failed: 1, outage: false }, '');
  assert.is(usual.texts.en.paragraphs.length, 1);
});

alerts('a notice tells why the last key took its channel along in the language of its reader', () => {
  const { zh, en } = channelNotice({ ...disabled, keyId: undefined, reason: allKeysDisabled }, '').texts;
  assert.equal([zh.paragraphs[1], en.paragraphs[1]], ['原因：全部密钥均已禁用', 'Reason: all keys disabled']);
});

alerts.run();
