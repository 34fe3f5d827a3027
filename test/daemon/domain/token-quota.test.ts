import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TokenQuotaWatch } from '../../../daemon/domain/token-quota.ts';
import type { NewToken } from '../../../daemon/store/tokens.ts';
import { type NoticeScene, openNoticeScene, watching } from '../../support/notice-scene.ts';

const quota = suite('quota of relay keys');

interface Scene extends NoticeScene {
  readonly watch: TokenQuotaWatch;
  /** Keys that were read from the database. */
  readonly reads: number[];
  /** Makes a limited key with this much left; returns its id. */
  key(userId: number, left: number, fields?: Partial<NewToken>): Promise<number>;
  leave(tokenId: number, left: number): Promise<void>;
  /** A call was charged; everybody concerned is told. */
  settle(tokenId: number, charge?: number): Promise<void>;
  /** A call that needed this much was refused; everybody concerned is told. */
  refuse(tokenId: number, needed: number): Promise<void>;
}

async function inScene(run: (scene: Scene) => Promise<void>): Promise<void> {
  const notices = await openNoticeScene();
  const { database } = notices.world;
  const { stores } = database;
  const { reads, deps } = watching(notices, 'tokens');
  const watch = new TokenQuotaWatch(deps);
  const owners = new Map<number, number>();
  const judged = async () => {
    await watch.judge();
    await notices.delivered();
  };
  const scene: Scene = Object.assign(notices, {
    watch,
    reads,
    key: async (userId: number, left: number, fields: Partial<NewToken> = {}) => {
      const made = await stores.tokens.insert({
        userId,
        keyHash: `hash ${Math.random()}`,
        keySealed: '',
        keyHint: '',
        name: 'app',
        createdTime: 1,
        expiredTime: -1,
        unlimitedQuota: false,
        modelLimitsEnabled: false,
        modelLimits: '',
        allowIps: '',
        group: '',
        ...fields,
      });
      if (!made) throw new Error('the key exists');
      owners.set(made.id, userId);
      await scene.leave(made.id, left);
      return made.id;
    },
    leave: async (id: number, left: number) => {
      await database.transaction(({ ledger }) =>
        ledger.setTokenQuota({ id, userId: owners.get(id) ?? 0, remain: left }),
      );
    },
    settle: async (tokenId: number, charge = 1) => {
      watch.settled({ tokenId, tokenLimited: true, charge });
      await judged();
    },
    refuse: async (tokenId: number, needed: number) => {
      watch.refused(tokenId, needed);
      await judged();
    },
  });
  try {
    await run(scene);
  } finally {
    await watch.stop();
    await notices.close();
  }
}

const own = { email: 'a@example.org', setting: JSON.stringify({ quota_warning_threshold: 5000 }) };

quota('tell the owner once of a low key and once of its end, by the threshold of the key', () =>
  inScene(async ({ told, user, key, leave, settle, pass }) => {
    const id = await key(await user(own), 250_000, { quotaWarningThreshold: 250_000 });
    await settle(id);
    assert.equal(told, [], 'what is left is not below the threshold');
    await leave(id, 249_999);
    await settle(id);
    await settle(id);
    assert.equal(told, [`a@example.org token_quota_low_${id} ${id} app $0.499998`]);
    await leave(id, 0);
    await settle(id, 249_999);
    await settle(id);
    assert.equal(told.slice(1), [`a@example.org token_quota_exhausted_${id} ${id} app $0.000000`]);
    await leave(id, 100);
    pass(7199);
    await settle(id);
    assert.is(told.length, 2, 'told lately');
    pass(61);
    await settle(id);
    assert.equal(told.slice(2), [`a@example.org token_quota_low_${id} ${id} app $0.000200`]);
  }),
);

quota('follow the account where the key says nothing, and never tell of a key that says so', () =>
  inScene(async ({ told, user, key, leave, settle }) => {
    const userId = await user(own);
    const [follows, small, silent] = [
      await key(userId, 6000),
      await key(userId, 4000),
      await key(userId, 6000, { quotaWarningThreshold: 0 }),
    ];
    await leave(follows, 4999);
    await settle(follows);
    assert.equal(told, [], 'it never had more than the threshold, as far as the books say');
    await settle(small);
    assert.equal(told, []);
    await leave(small, 0);
    await settle(small, 4000);
    assert.equal(told.splice(0), [`a@example.org token_quota_exhausted_${small} ${small} app $0.000000`]);
    await leave(silent, 0);
    await settle(silent, 6000);
    assert.equal(told, []);
  }),
);

quota('tell of the account’s threshold once a key has had more than it', () =>
  inScene(async ({ world, told, user, key, settle }) => {
    const userId = await user(own);
    const id = await key(userId, 6000);
    // The ledger moves quota from what is left to what is used.
    await world.database.transaction(({ ledger }) => ledger.debitTokens([{ id, amount: 1001 }]));
    await settle(id, 1001);
    assert.equal(told, [`a@example.org token_quota_low_${id} ${id} app $0.009998`]);
  }),
);

quota('tell of a call that the key could not pay, unless running calls hold what it lacks', () =>
  inScene(async ({ world, told, user, key, refuse, pass }) => {
    const userId = await user(own);
    const id = await key(userId, 100, { quotaWarningThreshold: 10 });
    const hold = { requestId: 'r', userId, tokenId: id, group: 'default', amount: 95, tokenAmount: 95 };
    await world.database.transaction(async ({ ledger }) => {
      await ledger.debitTokens([{ id, amount: 95 }]);
      await ledger.insertHolds([{ ...hold, node: 'n', createdAt: 1 }]);
    });
    await refuse(id, 50);
    assert.equal(told, [], '95 of the 100 are held by a call that runs');
    await refuse(id, 400);
    await refuse(id, 500);
    assert.equal(told, [`a@example.org token_quota_exhausted_${id} ${id} app $0.000200 $0.000800`]);
    pass(61);
    await refuse(id, 400);
    assert.is(told.length, 1, 'the quiet time is not over');
  }),
);

quota('tell operators by their rule, by whatever the owner wants', () =>
  inScene(async ({ book, told, user, key, leave, settle }) => {
    await book.change(
      (kept) => ({
        rules: kept.rules.map((rule) =>
          rule.kind === 'token-quota' ? { ...rule, enabled: true, threshold: 500 } : rule,
        ),
        targets: [
          {
            id: 'ops',
            type: 'mail',
            name: '',
            enabled: true,
            dialect: null,
            language: null,
            kinds: [],
            address: 'ops@example.org',
            secret: '',
          },
        ],
      }),
      async () => undefined,
    );
    const userId = await user({ username: 'li' });
    const id = await key(userId, 500, { quotaWarningThreshold: 0 });
    await settle(id);
    assert.equal(told, []);
    await leave(id, 499);
    await settle(id);
    await settle(id, 400);
    assert.equal(told, [`ops@example.org token_quota_${id} ${id} app ${userId} li $0.000998 $0.001000`]);
  }),
);

quota('read a key once a minute, and sooner only when it may have come below a threshold', () =>
  inScene(async ({ user, key, settle, reads, pass, watch }) => {
    const id = await key(await user(own), 10_000, { quotaWarningThreshold: 1000 });
    for (let call = 0; call < 5; call += 1) await settle(id, 1000);
    assert.equal(reads, [id]);
    await settle(id, 5001);
    assert.equal(reads, [id, id], '9,001 were spent since it was read: 999 could be left');
    pass(60);
    await settle(id);
    assert.is(reads.length, 3);
    watch.settled({ tokenId: 99, tokenLimited: false, charge: 5 });
    watch.settled({ tokenId: 98, tokenLimited: true, charge: 0 });
    await watch.judge();
    assert.is(reads.length, 3, 'unlimited keys and calls that cost nothing are not looked at');
  }),
);

quota('say nothing of keys that are gone, without a limit, or of a deleted owner', () =>
  inScene(async ({ world, told, user, key, settle }) => {
    const userId = await user(own);
    const gone = await key(userId, 0);
    await world.database.stores.tokens.softDelete([gone], userId, new Date());
    await settle(gone);
    await settle(await key(userId, 0, { unlimitedQuota: true }));
    const left = await key(userId, 0);
    await world.database.stores.users.softDelete(userId, new Date());
    await settle(left);
    assert.equal(told, []);
  }),
);

quota.run();
