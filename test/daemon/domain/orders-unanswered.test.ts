/** Orders whose database goes away once they are in the books. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OrderService } from '../../../daemon/domain/orders.ts';
import { epayProvider } from '../../../daemon/integrations/payments/epay.ts';
import { FlakyDatabase } from '../../ledger/flaky-database.ts';
import { openDomainWorld } from '../../support/domain-world.ts';
import { optionsView } from '../../support/options-view.ts';
import { merchantKey, paidNotice, signed } from '../../support/payment-site.ts';

const orders = suite('orders without an answer');

const payment = {
  ServerAddress: 'https://gateway.example',
  PayAddress: 'https://pay.example',
  EpayId: '1001',
  EpayKey: merchantKey,
};

orders('are told as completed when nobody can say who invited their buyer', async () => {
  const world = await openDomainWorld();
  try {
    const database = new FlakyDatabase(world.database);
    const changed: number[] = [];
    const service = new OrderService({
      database,
      options: () => optionsView(payment),
      provider: epayProvider(() => Promise.reject(new Error('nobody is asked'))),
      language: 'en',
      balanceChanged(userId) {
        changed.push(userId);
        database.weather = 'away';
      },
      nowSeconds: world.nowSeconds,
      report: () => undefined,
    });
    const { users } = world.database.stores;
    const made = await users.insert({ username: 'buyer', createdAt: 1, role: 1, status: 1, group: 'default' });
    if (!made.inserted) throw new Error('the name is taken');
    const { id: userId } = made.user;
    const buyer = { userId, username: 'buyer', role: 1, status: 1, group: 'default', via: 'session', ip: '' } as const;
    const order = async () => (await service.pay(buyer, { amount: 10, method: 'zfb' })).fields.out_trade_no ?? '';
    const tradeNos = [await order(), await order()] as const;
    const call = { remoteIp: '203.0.113.1', requestId: 'r' };
    assert.is(await service.notice(signed(paidNotice(tradeNos[0])), call), true);
    database.weather = 'fair';
    const root = { ...buyer, userId: 99, username: 'root', role: 100 };
    const completed = await service.complete(root, { tradeNo: tradeNos[1], reason: '', requestId: 'r' });
    assert.is(completed.order.status, 'success');
    assert.equal(changed, [userId, userId]);
    assert.is((await users.find(userId))?.quota, 10_000_000);
  } finally {
    await world.close();
  }
});

orders.run();
