import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LowBalanceWatch } from '../../../daemon/domain/low-balance.ts';
import { type NoticeScene, openNoticeScene, watching } from '../../support/notice-scene.ts';

const low = suite('low balances');

interface Scene extends NoticeScene {
  readonly watch: LowBalanceWatch;
  /** Users that were read from the database. */
  readonly reads: number[];
  /** Lets the user's balance be this after a settlement, and everybody be told. */
  settle(userId: number, balance: number | undefined): Promise<void>;
}

async function inScene(run: (scene: Scene) => Promise<void>): Promise<void> {
  const notices = await openNoticeScene();
  const { reads, deps } = watching(notices, 'users');
  const watch = new LowBalanceWatch({ ...deps, bus: notices.world.bus });
  const settle = async (userId: number, balance: number | undefined) => {
    watch.settled({ userId, charge: 1 }, balance);
    await watch.judge();
    await notices.delivered();
  };
  try {
    watch.start();
    await run(Object.assign(notices, { watch, reads, settle }));
  } finally {
    await watch.stop();
    await notices.close();
  }
}

const hook = JSON.stringify({
  notify_type: 'webhook',
  webhook_url: 'https://example.org/hook',
  webhook_secret: 'mine',
  quota_warning_threshold: 250_000,
});

low('tells users once in two hours, by their own way and threshold', () =>
  inScene(async ({ told, user, settle, pass }) => {
    const [mailed, hooked] = [await user({ email: 'a@example.org' }), await user({ setting: hook })];
    await settle(mailed, 1000);
    assert.equal(told, [], 'the threshold of the site is 1000');
    await settle(mailed, 999);
    await settle(mailed, 500);
    await settle(hooked, 250_000);
    await settle(hooked, 249_999);
    assert.equal(told, [
      'a@example.org quota_exceed $0.001998',
      'https://example.org/hook mine quota_exceed $0.499998',
    ]);
    pass(7199);
    await settle(mailed, 400);
    assert.is(told.length, 2);
    pass(1);
    await settle(mailed, 300);
    assert.equal(told.slice(2), ['a@example.org quota_exceed $0.000600'], 'still below when the quiet time is over');
  }),
);

low('reads an account once for many settlements, and again only when it has changed', () =>
  inScene(async ({ world, reads, told, user, settle }) => {
    const id = await user({ email: 'a@example.org' });
    for (let at = 0; at < 5; at += 1) await settle(id, 5000);
    assert.equal(reads, [id]);
    await world.database.stores.users.update(id, { setting: JSON.stringify({ quota_warning_threshold: 6000 }) });
    await world.bus.announce(
      'users',
      await world.database.transaction((stores) => stores.revisions.bump('users')),
      String(id),
    );
    await settle(id, 5000);
    assert.equal(reads, [id, id]);
    assert.is(told.length, 1, 'the new threshold counts at once');
    await settle(id, 10);
    await settle(id, undefined);
    assert.equal(reads, [id, id], 'who was told is not looked at');
  }),
);

low('tells nobody twice, neither two nodes nor one that was started again', () =>
  inScene(async (first) => {
    const id = await first.user({ email: 'a@example.org' });
    await first.settle(id, 1);
    const again = new LowBalanceWatch({
      database: first.world.database,
      bus: first.world.bus,
      book: {
        rule: (kind) => ({ kind, enabled: false, quiet_minutes: 1, threshold: 0, window_minutes: 0, min_requests: 0 }),
      },
      desk: {
        raise: () => undefined,
        tellUser: async (user, notice, window) => {
          const { notices } = first.world.database.stores;
          const isFree = await notices.mark(`${notice.type}:${user.id}`, window, first.world.nowSeconds());
          assert.not.ok(isFree, 'told twice');
          return isFree;
        },
      },
      options: () => first.world.snapshots.current().options,
      now: () => 0,
      report: (cause) => {
        throw cause;
      },
      gatherMs: 60_000,
    });
    again.settled({ userId: id, charge: 1 }, 1);
    await again.stop();
    assert.is(first.told.length, 1);
  }),
);

low('says nothing to deleted users, to those without an address, and of calls that cost nothing', () =>
  inScene(async ({ world, told, user, settle, watch, reads }) => {
    const gone = await user({ email: 'gone@example.org' });
    await world.database.stores.users.softDelete(gone, new Date());
    await settle(gone, 1);
    await settle(await user({}), 1);
    watch.settled({ userId: 99, charge: 0 }, 1);
    await watch.judge();
    assert.equal(told, []);
    assert.not.ok(reads.includes(99));
  }),
);

low('holds no more balances than it may, and counts what it overlooks', () =>
  inScene(async ({ watch }) => {
    for (let id = 1; id <= 10_005; id += 1) watch.settled({ userId: id, charge: 1 }, 1);
    watch.settled({ userId: 1, charge: 1 }, 0);
    assert.is(watch.overlooked, 5);
  }),
);

low.run();
