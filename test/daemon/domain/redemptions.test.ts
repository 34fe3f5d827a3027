/** What redemption codes leave behind in log and audit trail, and what becomes of them when their user is gone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryCounters } from '../../../daemon/cluster/memory-counters.ts';
import type { RedemptionInput } from '../../../daemon/domain/redemption-input.ts';
import { RedemptionService } from '../../../daemon/domain/redemptions.ts';
import { beginBehind } from '../../support/begin-behind.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { optionsView } from '../../support/options-view.ts';
import { codeOf, refusalOf } from '../../support/refusal-code.ts';

const codes = suite('redemption codes in the books');

let world: DomainWorld;
let service: RedemptionService;
let changed: number[];

codes.before.each(async () => {
  world = await openDomainWorld();
  changed = [];
  service = new RedemptionService({
    database: world.database,
    options: () => optionsView({ RebateEnabled: true, RebatePercentage: 10 }),
    language: 'en',
    balanceChanged: (userId) => changed.push(userId),
    counters: new MemoryCounters({ now: () => performance.now() }),
    nowSeconds: world.nowSeconds,
  });
});

codes.after.each(() => world.close());

const window = { offset: 0, limit: 20 };
const root = actor({ userId: 99, role: 100 });
const call = { requestId: 'a request', clientAddress: '203.0.113.1' };

async function user(username: string, inviterId = 0) {
  const row = { username, createdAt: 1, role: 1, status: 1, group: 'default', inviterId };
  const made = await world.database.stores.users.insert(row);
  if (!made.inserted) throw new Error('the name is taken');
  return actor({ userId: made.user.id, username, role: 1 });
}

const newestId = async () => (await service.list({}, window)).items[0]?.id ?? 0;

async function make(over: RedemptionInput = {}): Promise<{ key: string; id: number }> {
  const [key = ''] = await service.create(root, { name: 'made', quota: 500_000, ...over }, 'a request');
  return { key, id: await newestId() };
}

async function purge(userId: number): Promise<void> {
  const { users } = world.database.stores;
  await users.softDelete(userId, new Date());
  await users.purge(userId);
}

const audited = async () =>
  (await world.database.stores.audits.list({}, window)).items.map(({ action, detail }) => [action, JSON.parse(detail)]);

codes('are logged when they are made and when they are redeemed, for an inviter too', async () => {
  const inviter = await user('inviter');
  const buyer = await user('buyer', inviter.userId);
  const { key, id } = await make();
  assert.equal(await service.redeem(buyer, key, call), { quota: 500_000, isGift: false });
  const { items } = await world.database.stores.logs.list({}, window);
  const rows = items.map(({ username, type, quota, content }) => `${username} ${type} ${quota} ${content}`);
  assert.equal(rows.sort(), [
    `buyer 1 500000 Redeemed $1.000000 with code ${id}`,
    'buyer 4 0 Your inviter received a rebate of $0.100000',
    'inviter 4 50000 Rebate $0.100000 for a top-up of buyer',
    'root 3 0 Created 1 redemption codes of $1.000000 named made',
  ]);
  assert.equal(
    items.map(({ requestId }) => requestId),
    items.map(() => 'a request'),
  );
  assert.equal(changed, [buyer.userId, inviter.userId]);
});

codes(
  'pay a rebate from its first whole unit on, and tell the payer of none that its inviter did not get',
  async () => {
    const inviter = await user('inviter');
    const buyer = await user('buyer', inviter.userId);
    const { logs, users } = world.database.stores;
    const told = async () => (await logs.list({ userId: buyer.userId, type: 4 }, window)).total;
    await service.redeem(buyer, (await make({ quota: 9 })).key, call);
    assert.equal([(await users.find(inviter.userId))?.quota, await told()], [0, 0]);
    await service.redeem(buyer, (await make({ quota: 10 })).key, call);
    assert.equal([(await users.find(inviter.userId))?.quota, await told()], [1, 1]);
    await users.softDelete(inviter.userId, new Date());
    await service.redeem(buyer, (await make({ quota: 10 })).key, call);
    assert.is(await told(), 1);
  },
);

codes('tell of no rebate where the inviter is purged in the moment in which it would be paid', async () => {
  const inviter = await user('inviter');
  const buyer = await user('buyer', inviter.userId);
  const { key } = await make();
  await beginBehind(
    world.database,
    async ({ users }) => {
      await users.softDelete(inviter.userId, new Date());
      await users.purge(inviter.userId);
    },
    () => service.redeem(buyer, key, call),
  );
  const { items } = await world.database.stores.logs.list({ userId: buyer.userId }, window);
  assert.equal(
    items.map(({ type, quota }) => [type, quota]),
    [[1, 500_000]],
  );
});

codes('that are gifts are audited with their number of uses; what changed nothing is not audited', async () => {
  const { id } = await make({ is_gift: true, max_uses: 3 });
  const made = ['redemption.create', { name: 'made', count: 1, quota: 500_000, is_gift: true, max_uses: 3 }];
  await service.update(root, id, { name: 'made' });
  assert.is(await service.disableBatch(root, [id + 1]), 0);
  assert.is(await service.deleteDisabled(root), 0);
  assert.equal(await audited(), [made]);
  await service.setStatus(root, id, 2);
  await service.deleteDisabled(root);
  assert.equal((await audited())[0], ['redemption.delete', { status: 'disabled', count: 1 }]);
});

codes('keep what another administrator changes of them at the same moment', async () => {
  const { id } = await make();
  const renamed = await beginBehind(
    world.database,
    (stores) => stores.redemptions.updateUnused(id, { quota: 7, validUntil: 4_000_000_000 }),
    () => service.update(root, id, { name: 'renamed' }),
  );
  assert.equal([renamed.name, renamed.quota, renamed.validUntil], ['renamed', 7, 4_000_000_000]);
});

codes('that are none are refused as such, whatever is wanted of them', async () => {
  const refusals = await Promise.all([
    codeOf(service.update(root, 7, { name: 'x' })),
    codeOf(service.setStatus(root, 7, 2)),
    codeOf(service.delete(root, 7)),
    codeOf(service.uses(7, window)),
  ]);
  assert.equal([...new Set(refusals)], ['redemption_not_found']);
});

codes('that are none are refused by their field, as those that are disabled', async () => {
  const buyer = await user('buyer');
  const { key, id } = await make();
  await service.setStatus(root, id, 2);
  for (const text of ['unknown', key]) {
    const refusal = await refusalOf(service.redeem(buyer, text, call));
    assert.equal([refusal.code, refusal.field], ['redeem_invalid', 'key'], text);
  }
});

codes('change the balance of nobody but the user where nobody has invited that one', async () => {
  const buyer = await user('buyer');
  await service.redeem(buyer, (await make()).key, call);
  assert.equal(changed, [buyer.userId]);
});

codes('that are guessed let the address wait as long as it is told, and no longer', async () => {
  const buyer = await user('buyer');
  const { key } = await make();
  let refusal = await refusalOf(service.redeem(buyer, 'wrong', call));
  for (let tries = 0; refusal.code === 'redeem_invalid' && tries < 100; tries += 1) {
    refusal = await refusalOf(service.redeem(buyer, 'wrong', call));
  }
  const { code, params, retryAfterSeconds = 0 } = refusal;
  assert.equal([code, params], ['too_many_requests', { s: retryAfterSeconds }]);
  assert.ok(retryAfterSeconds > 0);
  world.clock.seconds += retryAfterSeconds - 1;
  assert.is((await refusalOf(service.redeem(buyer, key, call))).retryAfterSeconds, 1);
  world.clock.seconds += 1;
  assert.is((await service.redeem(buyer, key, call)).quota, 500_000);
});

codes('that are used, or not valid at this time, are no guesses, however often they are tried', async () => {
  const buyer = await user('buyer');
  const { key } = await make();
  const { key: later } = await make({ valid_from: world.clock.seconds + 60 });
  await service.redeem(buyer, key, call);
  const tries = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? key : later));
  const told: string[] = [];
  for (const text of tries) told.push(await codeOf(service.redeem(buyer, text, call)));
  assert.equal([...new Set(told)], ['redeem_used', 'redeem_not_yet']);
});

codes('may be guessed ten times an hour from one address, and from another as often', async () => {
  const buyer = await user('buyer');
  for (const clientAddress of ['203.0.113.1', '203.0.113.2']) {
    const told: string[] = [];
    for (let tries = 0; tries < 11; tries += 1)
      told.push(await codeOf(service.redeem(buyer, `wrong-${tries}`, { ...call, clientAddress })));
    assert.equal(told, [...Array.from({ length: 10 }, () => 'redeem_invalid'), 'too_many_requests'], clientAddress);
  }
});

codes('are good from the first second of their time to the last', async () => {
  const now = world.clock.seconds;
  const told: string[] = [];
  const buyer = await user('buyer');
  const { key } = await make({ is_gift: true, valid_from: now + 10, valid_until: now + 20 });
  for (const at of [9, 21]) {
    world.clock.seconds = now + at;
    told.push(await codeOf(service.redeem(buyer, key, call)));
  }
  for (const at of [10, 20]) {
    world.clock.seconds = now + at;
    told.push(await codeOf(service.redeem(await user(`buyer at ${at}`), key, call)));
  }
  assert.equal(told, ['redeem_not_yet', 'redeem_expired', 'accepted', 'accepted']);
});

codes('that somebody takes at the same moment are told as used up, and pay nothing', async () => {
  const [first, second] = [await user('first'), await user('second')];
  const [single, gift] = [await make(), await make({ is_gift: true, max_uses: 1 })];
  const { database } = world;
  const told = [
    await codeOf(
      beginBehind(
        database,
        ({ redemptions }) => redemptions.claim(single.id, first.userId, 1),
        () => service.redeem(second, single.key, call),
      ),
    ),
    await codeOf(
      beginBehind(
        database,
        ({ redemptions }) => redemptions.claimGift(gift.id, 1),
        () => service.redeem(second, gift.key, call),
      ),
    ),
  ];
  assert.equal(told, ['redeem_used', 'gift_exhausted']);
  assert.is((await database.stores.users.find(second.userId))?.quota, 0);
});

codes('stay good when the account is purged in the moment in which it redeems them', async () => {
  const inviter = await user('inviter');
  const [gone, buyer] = [await user('gone', inviter.userId), await user('buyer')];
  const { key } = await make();
  await world.database.stores.users.softDelete(gone.userId, new Date());
  const late = beginBehind(
    world.database,
    ({ users }) => users.purge(gone.userId),
    () => service.redeem(gone, key, call),
  );
  assert.is(await codeOf(late), 'user_gone');
  assert.is((await world.database.stores.users.find(inviter.userId))?.quota, 0);
  assert.is((await service.redeem(buyer, key, call)).quota, 500_000);
});

codes('stay good when the account that redeems them is purged', async () => {
  const [gone, buyer] = [await user('gone'), await user('buyer')];
  const { key } = await make();
  await purge(gone.userId);
  assert.is(await codeOf(service.redeem(gone, key, call)), 'user_gone');
  assert.is((await service.redeem(buyer, key, call)).quota, 500_000);
});

codes('that are gifts show their uses after the account was purged, without its name', async () => {
  const [gone, buyer] = [await user('gone'), await user('buyer')];
  const { key, id } = await make({ is_gift: true });
  for (const by of [gone, buyer]) await service.redeem(by, key, call);
  await purge(gone.userId);
  assert.equal(
    (await service.uses(id, window)).items.map(({ username, quota }) => [username, quota]),
    [
      ['buyer', 500_000],
      ['', 500_000],
    ],
  );
});

codes('that are gifts are told as exhausted to whoever comes after the last use', async () => {
  const [first, second] = [await user('first'), await user('second')];
  const { key } = await make({ is_gift: true, max_uses: 1 });
  await service.redeem(first, key, call);
  assert.is(await codeOf(service.redeem(second, key, call)), 'gift_exhausted');
});

codes('are handed out all, newest first, where they are more than are read at once', async () => {
  await service.create(root, { name: 'many', quota: 1, count: 251 }, 'a request');
  const pages: number[][] = [];
  for await (const page of service.all({})) pages.push(page.map(({ id }) => id));
  assert.equal(
    pages.map(({ length }) => length),
    [250, 1],
  );
  assert.equal(
    pages.flat(),
    pages.flat().sort((one, other) => other - one),
  );
  assert.is(new Set(pages.flat()).size, 251);
});

codes.run();
