/** What orders leave behind beside the balance: rows, audits, news for caches and operators; and exports of many. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { epayProvider } from '../../../daemon/integrations/payments/epay.ts';
import type { Database, Stores } from '../../../daemon/store/database.ts';
import { type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { OrderDesk } from '../../support/order-desk.ts';
import { paidNotice, signed } from '../../support/payment-site.ts';
import { codeOf } from '../../support/refusal-code.ts';

const orders = suite('orders in the books');

let world: DomainWorld;

orders.before.each(async () => {
  world = await openDomainWorld();
});

orders.after.each(() => world.close());

const window = { offset: 0, limit: 10 };
const rebate = { RebateEnabled: true, RebatePercentage: 10 };

async function purge({ users }: Pick<Stores, 'users'>, id: number): Promise<void> {
  await users.softDelete(id, new Date());
  await users.purge(id);
}

/** The database, where somebody purges each user the moment after it was looked up. */
function purging(database: Database): Database {
  return {
    ...database,
    stores: database.stores,
    transaction: (work, options) =>
      database.transaction((stores) => {
        const users = Object.create(stores.users);
        users.find = async (id: number) => {
          const found = await stores.users.find(id);
          await purge(stores, id);
          return found;
        };
        users.lockMany = (ids: readonly number[]) => stores.users.lockMany(ids);
        return work({ ...stores, users });
      }, options),
  };
}

orders('that are paid write a row each for buyer and inviter, and tell the caches of both', async () => {
  const desk = new OrderDesk(world, { options: rebate });
  const inviter = await desk.user('inviter');
  const buyer = await desk.user('buyer', inviter.id);
  const tradeNo = await desk.order(buyer);
  assert.is(await desk.service.notice(signed(paidNotice(tradeNo)), desk.call), true);
  const { logs } = world.database.stores;
  const rows = await Promise.all([buyer, inviter].map(({ id }) => logs.list({ userId: id }, window)));
  assert.equal(
    rows.flatMap(({ items }) =>
      items.map(({ username, type, quota, content, requestId }) => [username, type, quota, content, requestId]),
    ),
    [
      ['buyer', 4, 0, 'Your inviter received a rebate of $1.000000', 'a request'],
      ['buyer', 1, 5_000_000, 'Topped up $10.000000 online, paid 73.00 CNY', 'a request'],
      ['inviter', 4, 500_000, 'Rebate $1.000000 for a top-up of buyer', 'a request'],
    ],
  );
  assert.equal(desk.changed, [buyer.id, inviter.id]);
  const { callbacks } = await desk.service.get(tradeNo);
  assert.equal(
    callbacks.map(({ remoteIp, reason }) => [remoteIp, reason]),
    [['203.0.113.1', '']],
  );
  await desk.service.notice(signed(paidNotice(tradeNo)), desk.call);
  assert.is(desk.changed.length, 2, 'a repeated notification changed no balance');
});

orders('write no row of a rebate that comes to nothing, nor of one for an inviter who is gone', async () => {
  const desk = new OrderDesk(world, { options: { ...rebate, RebatePercentage: 0 } });
  const inviter = await desk.user('inviter');
  const buyer = await desk.user('buyer', inviter.id);
  await desk.service.notice(signed(paidNotice(await desk.order(buyer))), desk.call);
  const paying = new OrderDesk(world, { options: rebate });
  await purge(world.database.stores, inviter.id);
  assert.is(await paying.service.notice(signed(paidNotice(await desk.order(buyer))), desk.call), true);
  const { items } = await world.database.stores.logs.list({}, window);
  assert.equal(
    items.map(({ type, quota }) => [type, quota]),
    [
      [1, 5_000_000],
      [1, 5_000_000],
    ],
  );
});

orders('that an administrator completes say who did it, what was credited, and why only if told', async () => {
  const desk = new OrderDesk(world);
  const buyer = await desk.user('buyer');
  for (const reason of ['by bank', '']) {
    await desk.service.complete(desk.root, { tradeNo: await desk.order(buyer), reason, requestId: 'a request' });
  }
  const { logs, audits } = world.database.stores;
  const { items } = await logs.list({ userId: buyer.id }, window);
  assert.equal([items[0]?.requestId, items[0]?.username], ['a request', 'buyer']);
  assert.equal(JSON.parse(items[0]?.other ?? ''), {
    admin_info: { actor_id: 99, actor_name: 'root', ip: '127.0.0.1' },
  });
  const { items: acts } = await audits.list({ action: 'order.complete' }, window);
  const credited = { userId: buyer.id, quota: 5_000_000, money: '73.00', status: 'pending' };
  assert.equal(
    acts.map(({ detail }) => JSON.parse(detail)),
    [credited, { ...credited, reason: 'by bank' }],
  );
});

orders('stay open when their buyer is purged before or while they are completed', async () => {
  const desk = new OrderDesk(world);
  const buyer = await desk.user('buyer');
  const tradeNo = await desk.order(buyer);
  const completing = { tradeNo, reason: '', requestId: 'r' };
  const meanwhile = new OrderDesk(world, { database: purging(world.database) });
  assert.is(await codeOf(meanwhile.service.complete(desk.root, completing)), 'user_not_found');
  assert.is(await meanwhile.service.notice(signed(paidNotice(tradeNo)), desk.call), false);
  await purge(world.database.stores, buyer.id);
  assert.is(await codeOf(desk.service.complete(desk.root, completing)), 'user_not_found');
  const { order, username } = await desk.service.get(tradeNo);
  assert.equal([order.status, username, order.completeTime], ['pending', '', 0]);
});

orders('that are unknown are told to operators, unless the notification is forged', async () => {
  const desk = new OrderDesk(world);
  await desk.service.notice(signed(paidNotice('NOWHERE'), 'another key'), desk.call);
  assert.equal(desk.reports, []);
  await desk.service.notice(signed(paidNotice('NOWHERE')), desk.call);
  assert.is(desk.reports.length, 1);
});

orders(
  'that were asked for at the provider say so in the audit trail; why it could not be asked, operators learn',
  async () => {
    const answer = { code: 1, trade_no: '77', money: '73.00', status: 1 };
    let tradeNo = '';
    const provider = epayProvider(async () => ({
      status: 200,
      body: JSON.stringify({ ...answer, out_trade_no: tradeNo }),
    }));
    const desk = new OrderDesk(world, { provider });
    tradeNo = await desk.order(await desk.user('buyer'));
    await desk.service.query(desk.root, tradeNo);
    const { items } = await world.database.stores.audits.list({ action: 'order.query' }, window);
    assert.equal(
      items.map(({ target, detail }) => [target, JSON.parse(detail)]),
      [[`order:${tradeNo}`, { found: true, paid: true, money: '73.00' }]],
    );
    const silent = new OrderDesk(world);
    assert.is(await codeOf(silent.service.query(desk.root, tradeNo)), 'order_query_failed');
    assert.match(String(silent.reports[0]), /nobody is asked/);
  },
);

orders('are exported all, newest first, where they are more than are read at once', async () => {
  const desk = new OrderDesk(world);
  const buyer = await desk.user('buyer');
  const order = await desk.service.get(await desk.order(buyer));
  const { id: _, ...row } = order.order;
  const portions = async () => {
    const read: number[][] = [];
    for await (const some of desk.service.export({})) read.push(some.map(({ order: { id } }) => id));
    assert.equal(
      read.flat(),
      read.flat().sort((one, other) => other - one),
    );
    assert.is(new Set(read.flat()).size, read.flat().length);
    return read.map(({ length }) => length);
  };
  await world.database.transaction(async ({ topUps }) => {
    for (let made = 1; made < 500; made += 1) await topUps.insert({ ...row, tradeNo: `MORE${made}` });
  });
  assert.equal(await portions(), [500]);
  await desk.order(buyer);
  assert.equal(await portions(), [500, 1]);
});

orders('of their buyer alone are listed to a buyer, by what they ask for', async () => {
  const desk = new OrderDesk(world);
  const [buyer, other] = [await desk.user('buyer'), await desk.user('other')];
  const [paid] = [await desk.order(buyer), await desk.order(buyer), await desk.order(other)];
  await desk.service.notice(signed(paidNotice(paid)), desk.call);
  const own = await desk.service.listOwn({ ...desk.root, userId: buyer.id }, { status: 'success' }, window);
  assert.equal([own.total, own.items[0]?.tradeNo], [1, paid]);
});

orders.run();
