import * as assert from 'uvu/assert';
import { insertUser, onBothEngines } from './engine-suites.ts';

onBothEngines('store/second-factors', (test, database) => {
  test('keeps a secret that was begun until it is enabled, and then lets nobody begin another', async () => {
    const { secondFactors } = database().stores;
    const { id: userId } = await insertUser(database());
    assert.is(await secondFactors.findTotp(userId), undefined);
    await secondFactors.beginTotp({ userId, secret: 'first', createdAt: 10 });
    const begun = await secondFactors.beginTotp({ userId, secret: 'second', createdAt: 20 });
    assert.equal(begun, { userId, secret: 'second', createdAt: 20, enabledAt: 0, lastStep: 0 });
    assert.is(await secondFactors.takeStep(userId, 5), false, 'not enabled yet');
    assert.is(await secondFactors.enableTotp({ userId, secret: 'first' }, { enabledAt: 30, lastStep: 5 }), undefined);
    const enabled = await secondFactors.enableTotp({ userId, secret: 'second' }, { enabledAt: 30, lastStep: 5 });
    assert.equal(enabled, { userId, secret: 'second', createdAt: 20, enabledAt: 30, lastStep: 5 });
    assert.is(await secondFactors.beginTotp({ userId, secret: 'third', createdAt: 40 }), undefined);
    assert.is((await secondFactors.findTotp(userId))?.secret, 'second');
  });

  test('lets a time step be used once, and none before it', async () => {
    const { secondFactors } = database().stores;
    const { id: userId } = await insertUser(database());
    await secondFactors.beginTotp({ userId, secret: 's', createdAt: 1 });
    await secondFactors.enableTotp({ userId, secret: 's' }, { enabledAt: 2, lastStep: 5 });
    const used = await Promise.all([6, 6, 6].map((step) => secondFactors.takeStep(userId, step)));
    assert.is(used.filter(Boolean).length, 1);
    assert.is(await secondFactors.takeStep(userId, 5), false);
    assert.is(await secondFactors.takeStep(userId, 7), true);
  });

  test('uses a recovery code up, and forgets all with the app', async () => {
    const { secondFactors } = database().stores;
    const [{ id: mine }, { id: other }] = [await insertUser(database()), await insertUser(database())];
    await secondFactors.replaceRecoveryCodes(mine, ['a', 'b', 'c']);
    await secondFactors.replaceRecoveryCodes(other, ['a']);
    const used = await Promise.all([1, 2].map(() => secondFactors.takeRecoveryCode(mine, 'a')));
    assert.equal(used.sort(), [false, true]);
    assert.is(await secondFactors.countRecoveryCodes(mine), 2);
    await secondFactors.replaceRecoveryCodes(mine, ['d']);
    assert.is(await secondFactors.takeRecoveryCode(mine, 'b'), false);
    assert.is(await secondFactors.removeTotp(mine), false, 'no app was enabled');
    assert.is(await secondFactors.countRecoveryCodes(mine), 0);
    await secondFactors.beginTotp({ userId: other, secret: 's', createdAt: 1 });
    await secondFactors.enableTotp({ userId: other, secret: 's' }, { enabledAt: 2, lastStep: 1 });
    assert.equal(await secondFactors.removeAll(other), { totp: true, passkeys: 0 });
    assert.is(await secondFactors.findTotp(other), undefined);
    assert.is(await secondFactors.countRecoveryCodes(other), 0);
  });
});
