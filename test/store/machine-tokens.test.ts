import * as assert from 'uvu/assert';
import type { NewMachineToken } from '../../daemon/store/machine-tokens.ts';
import { insertUser, onBothEngines } from './engine-suites.ts';

onBothEngines('store/machine-tokens', (test, database) => {
  const tokens = () => database().stores.machineTokens;

  const newToken = (userId: number, over: Partial<NewMachineToken> = {}): NewMachineToken => ({
    userId,
    name: 'ci',
    secretHash: `hash-${Math.random().toString(36).slice(2)}`,
    scopes: 'redemption:write',
    allowIps: '',
    role: 10,
    createdAt: 1,
    expiresAt: 4_102_444_800,
    ...over,
  });

  test('returns what was written, with whole numbers', async () => {
    const user = await insertUser(database());
    const given = newToken(user.id, { allowIps: '10.0.0.0/8' });
    const token = await tokens().insert(given);
    assert.equal(token, { ...given, id: token.id, previousHash: null, previousUntil: 0, lastUsedAt: 0 });
    assert.equal(await tokens().findByHash(given.secretHash), token);
  });

  test('finds a token by the secret before its rotation as well, and rotates from what was read alone', async () => {
    const user = await insertUser(database());
    const { id, secretHash: first } = await tokens().insert(newToken(user.id));
    const second = { secretHash: `second-${id}`, previousHash: first, previousUntil: 99 };
    assert.is((await tokens().replaceSecrets(id, first, second))?.previousUntil, 99);
    assert.is((await tokens().findByHash(first))?.id, id);
    assert.is((await tokens().findByHash(`second-${id}`))?.id, id);
    assert.is(await tokens().replaceSecrets(id, first, { ...second, secretHash: 'slower' }), undefined);
    const third = { secretHash: `third-${id}`, previousHash: null, previousUntil: 0 };
    await tokens().replaceSecrets(id, `second-${id}`, third);
    assert.is(await tokens().findByHash(first), undefined);
  });

  test('shows and ends a token for its owner only', async () => {
    const [owner, other] = [await insertUser(database()), await insertUser(database())];
    const [one, two] = [await tokens().insert(newToken(owner.id)), await tokens().insert(newToken(owner.id))];
    assert.is(await tokens().findOwned(one.id, other.id), undefined);
    assert.is(await tokens().delete(one.id, other.id), false);
    const listed = await tokens().listOfUser(owner.id);
    assert.equal(
      listed.map(({ id }) => id),
      [two.id, one.id],
    );
    assert.is(await tokens().delete(one.id, owner.id), true);
    assert.is(await tokens().findOwned(one.id, owner.id), undefined);
    assert.is(await tokens().deleteOfUser(owner.id), 1);
    assert.equal(await tokens().listOfUser(owner.id), []);
  });

  test('notes a use, and removes what ended long ago', async () => {
    const user = await insertUser(database());
    const [old, live] = [
      await tokens().insert(newToken(user.id, { expiresAt: 50 })),
      await tokens().insert(newToken(user.id, { expiresAt: 51 })),
    ];
    await tokens().touch(live.id, 7);
    assert.is(await tokens().deleteExpired(50), 1);
    assert.is(await tokens().findOwned(old.id, user.id), undefined);
    assert.is((await tokens().findOwned(live.id, user.id))?.lastUsedAt, 7);
  });
});
