import * as assert from 'uvu/assert';
import { insertToken, insertUser, newToken, onBothEngines } from './engine-suites.ts';

onBothEngines('store/tokens', (test, database) => {
  const tokens = () => database().stores.tokens;

  test('returns a record with true booleans and whole numbers', async () => {
    const user = await insertUser(database());
    const given = { ...newToken(user.id), unlimitedQuota: true, allowIps: null, expiredTime: 4_102_444_800 };
    const token = await tokens().insert(given);
    assert.ok(token);
    assert.equal(token, {
      ...given,
      id: token.id,
      status: 1,
      accessedTime: 0,
      remainQuota: 0,
      usedQuota: 0,
      deletedAt: null,
      modelMapping: '',
      conversion: 'drop',
      quotaWarningThreshold: -1,
      rpmLimit: 0,
      tpmLimit: 0,
      concurrencyLimit: 0,
      budgets: '[]',
    });
    assert.equal(await tokens().findByKeyHash(given.keyHash), token);
    assert.equal(await tokens().find(token.id), token);
  });

  test('finds several at once, those that are deleted left out', async () => {
    const user = await insertUser(database());
    const kept = await insertToken(database(), user.id, { quotaWarningThreshold: 8_000_000_000_000 });
    const deleted = await insertToken(database(), user.id);
    await tokens().softDelete([deleted.id], user.id, new Date());
    const found = await tokens().findMany([kept.id, deleted.id, kept.id + 1000]);
    assert.equal(
      found.map(({ id, quotaWarningThreshold }) => [id, quotaWarningThreshold]),
      [[kept.id, 8_000_000_000_000]],
    );
    assert.equal(await tokens().findMany([]), []);
  });

  test('does not insert a key twice', async () => {
    const user = await insertUser(database());
    const token = newToken(user.id);
    assert.ok(await tokens().insert(token));
    assert.is(await tokens().insert(token), undefined);
  });

  test('shows a token to its owner only', async () => {
    const [owner, other] = [await insertUser(database()), await insertUser(database())];
    const token = await insertToken(database(), owner.id);
    assert.is((await tokens().findOwned(token.id, owner.id))?.id, token.id);
    assert.is(await tokens().findOwned(token.id, other.id), undefined);
    assert.is(await tokens().update(token.id, other.id, { name: 'stolen' }), undefined);
    assert.equal(await tokens().softDelete([token.id], other.id, new Date()), []);
  });

  test('lists newest first and searches names without wildcards', async () => {
    const user = await insertUser(database());
    const first = await insertToken(database(), user.id, { name: '100% mine' });
    const second = await insertToken(database(), user.id, { name: '1000 mine' });
    const page = await tokens().list(user.id, { offset: 0, limit: 1 });
    assert.equal([page.items.map((token) => token.id), page.total], [[second.id], 2]);
    assert.equal(
      (await tokens().search(user.id, '0%', 100)).items.map((token) => token.id),
      [first.id],
    );
    assert.equal((await tokens().search(user.id, 'MINE', 100)).total, 2);
    assert.equal(
      (await tokens().search(user.id, '', 1)).items.map((token) => token.id),
      [second.id],
    );
    assert.is(await tokens().count(user.id), 2);
  });

  test('changes what the patch names; quota is not among it', async () => {
    const user = await insertUser(database());
    const token = await insertToken(database(), user.id);
    const changed = await tokens().update(token.id, user.id, {
      name: 'renamed',
      unlimitedQuota: true,
      group: undefined,
    });
    assert.equal(changed, { ...token, name: 'renamed', unlimitedQuota: true });
    assert.equal(await tokens().update(token.id, user.id, {}), changed);
  });

  test('marks a key as expired once, when its time is over', async () => {
    const user = await insertUser(database());
    const token = await insertToken(database(), user.id, { expiredTime: 1000 });
    const endless = await insertToken(database(), user.id, { expiredTime: -1 });
    assert.is(await tokens().markExpired(token.id, 999), undefined);
    assert.is(await tokens().markExpired(endless.id, 1000), undefined);
    assert.is((await tokens().markExpired(token.id, 1000))?.status, 3);
    assert.is(await tokens().markExpired(token.id, 1000), undefined);
  });

  test('marks a key as exhausted when nothing is left and no running call may give some back', async () => {
    const user = await insertUser(database());
    const spent = await insertToken(database(), user.id);
    const unlimited = await insertToken(database(), user.id, { unlimitedQuota: true });
    const rich = await insertToken(database(), user.id);
    await database().stores.ledger.debitTokens([{ id: rich.id, amount: -1 }]);
    const place = { userId: user.id, group: 'default', node: 'n', createdAt: 1 };
    const hold = { ...place, requestId: `held-${spent.id}`, tokenId: spent.id, amount: 5, tokenAmount: 5 };
    await database().stores.ledger.insertHolds([hold]);
    for (const { id } of [spent, unlimited, rich]) assert.is(await tokens().markExhausted(id), undefined);
    const end = { requestId: hold.requestId, state: 'settled', charged: 5, reason: 'complete', closedAt: 2 } as const;
    await database().stores.ledger.closeHolds([end]);
    assert.is((await tokens().markExhausted(spent.id))?.status, 4);
    assert.is(await tokens().markExhausted(spent.id), undefined);
  });

  test('deletes, after which the key is unknown and stays taken', async () => {
    const user = await insertUser(database());
    const token = await insertToken(database(), user.id);
    const rest = await insertToken(database(), user.id);
    const at = new Date(1_700_000_000_000);
    const deleted = await tokens().softDelete([token.id, 987_654], user.id, at);
    assert.equal(
      deleted.map((row) => [row.keyHash, row.deletedAt]),
      [[token.keyHash, at]],
    );
    assert.is(await tokens().findByKeyHash(token.keyHash), undefined);
    assert.is(await tokens().insert({ ...newToken(user.id), keyHash: token.keyHash }), undefined);
    assert.equal((await tokens().list(user.id, { offset: 0, limit: 9 })).items, [rest]);
    assert.is(await tokens().purge(user.id), 2);
  });
});
