/** Orders whose database goes away once they are in the books. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FlakyDatabase } from '../../ledger/flaky-database.ts';
import { openDomainWorld } from '../../support/domain-world.ts';
import { OrderDesk } from '../../support/order-desk.ts';
import { paidNotice, signed } from '../../support/payment-site.ts';

const orders = suite('orders without an answer');

orders('are told as completed when nobody can say who invited their buyer', async () => {
  const world = await openDomainWorld();
  try {
    const database = new FlakyDatabase(world.database);
    const desk = new OrderDesk(world, {
      database,
      balanceChanged(userId) {
        desk.changed.push(userId);
        database.weather = 'away';
      },
    });
    const buyer = await desk.user('buyer');
    const tradeNos = [await desk.order(buyer), await desk.order(buyer)] as const;
    assert.is(await desk.service.notice(signed(paidNotice(tradeNos[0])), desk.call), true);
    database.weather = 'fair';
    const completed = await desk.service.complete(desk.root, { tradeNo: tradeNos[1], reason: '', requestId: 'r' });
    assert.is(completed.order.status, 'success');
    assert.equal(desk.changed, [buyer.id, buyer.id]);
    assert.is((await world.database.stores.users.find(buyer.id))?.quota, 10_000_000);
  } finally {
    await world.close();
  }
});

orders.run();
