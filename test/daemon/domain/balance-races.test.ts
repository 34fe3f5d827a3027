/** Saves of profiles and settings beside charges: the balance is exact to the unit (S5, W20). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startHttpHarness } from '../../support/http-harness.ts';

const races = suite('balances beside saves');

races('stay exact while the owner and an administrator save the account', async () => {
  const harness = await startHttpHarness();
  try {
    await harness.setup();
    const admin = await harness.addUser({ role: 10 });
    const user = await harness.addUser({ quota: 10_000 });
    const { database } = harness.world;
    const { id } = user.user;
    const charge = () =>
      database.transaction(async (stores) => {
        const paid = await stores.ledger.debitUsers([{ id, amount: 7 }]);
        assert.ok(paid.has(id));
      });
    // All wait for one row, none for longer than a connection may be waited for.
    const charges = Array.from({ length: 300 }, charge);
    const saves = Array.from({ length: 40 }, (_, index) =>
      Promise.all([
        harness.request('/api/user/self', {
          method: 'PUT',
          as: user,
          body: JSON.stringify({ ...user.user, display_name: `n${index}` }),
        }),
        harness.client(user).account.saveSetting({ notify_type: 'email', quota_warning_threshold: index + 1 }),
        harness.client(admin).users.update({ id, display_name: `a${index}`, group: index % 2 ? 'vip' : 'default' }),
        harness.client(admin).users.manage({ id, action: 'add_quota', mode: 'add', value: 3 }),
      ]),
    );
    await Promise.all([...charges, ...saves]);
    assert.is((await database.stores.users.find(id))?.quota, 10_000 - 300 * 7 + 40 * 3);
  } finally {
    await harness.close();
  }
});

races.run();
