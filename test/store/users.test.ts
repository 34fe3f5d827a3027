import * as assert from 'uvu/assert';
import { userRecord } from '../support/account-records.ts';
import { insertUser, onBothEngines } from './engine-suites.ts';

const everything = { offset: 0, limit: 100 };

onBothEngines('store/users', (test, database) => {
  const users = () => database().stores.users;

  test('fills a new user with the defaults of the schema', async () => {
    const user = await insertUser(database(), { username: 'Fresh' });
    assert.equal(user, userRecord({ id: user.id, username: 'Fresh', createdAt: 1 }));
    assert.equal(await users().find(user.id), user);
    assert.equal(await users().findMany([user.id, 987_654]), [user]);
    assert.is(await users().find(987_654), undefined);
  });

  test('refuses a name that differs only in case, whatever the alphabet', async () => {
    await insertUser(database(), { username: 'ÉCLAIR-Ж' });
    assert.equal(await users().insert({ username: 'éclair-ж', createdAt: 1 }), {
      inserted: false,
      conflict: 'username',
    });
    assert.is((await users().findByUsername('Éclair-ж'))?.username, 'ÉCLAIR-Ж');
  });

  test('names the field that another user has, deleted users included', async () => {
    const owner = await users().insert({
      username: 'owner',
      email: 'o@x.org',
      githubId: '7',
      affCode: 'CODE',
      createdAt: 1,
    });
    assert.ok(owner.inserted);
    await users().softDelete(owner.user.id, new Date());
    const tries = [
      [{ username: 'second', email: 'o@x.org' }, 'email'],
      [{ username: 'second', githubId: '7' }, 'githubId'],
      [{ username: 'second', affCode: 'CODE' }, 'affCode'],
      [{ username: 'OWNER' }, 'username'],
    ] as const;
    for (const [fields, conflict] of tries) {
      assert.equal(await users().insert({ ...fields, createdAt: 1 }), { inserted: false, conflict });
    }
  });

  test('lets any number of users have no address', async () => {
    await insertUser(database());
    await insertUser(database());
  });

  test('changes what the patch names and nothing else', async () => {
    const user = await insertUser(database());
    const result = await users().update(user.id, { displayName: 'Shown', email: 'new@x.org', password: undefined });
    assert.equal(result, { updated: true, user: { ...user, displayName: 'Shown', email: 'new@x.org' } });
    assert.equal(await users().update(user.id, {}), result);
    const cleared = await users().update(user.id, { email: null });
    assert.ok(cleared.updated && cleared.user.email === null);
  });

  test('reports a taken name on update, but not one’s own', async () => {
    const first = await insertUser(database(), { username: 'first-of-two' });
    const second = await insertUser(database(), { username: 'second-of-two' });
    assert.equal(await users().update(second.id, { username: 'FIRST-of-two' }), {
      updated: false,
      conflict: 'username',
    });
    const own = await users().update(first.id, { username: 'First-Of-Two' });
    assert.ok(own.updated && own.user.username === 'First-Of-Two');
    assert.equal(await users().update(987_654, { displayName: 'x' }), { updated: false });
  });

  test('gives one of two racing users the name', async () => {
    const racers = await Promise.all([insertUser(database()), insertUser(database())]);
    const results = await Promise.all(racers.map(({ id }) => users().update(id, { username: 'the-one-name' })));
    assert.is(results.filter((result) => result.updated).length, 1);
    assert.equal(
      results.filter((result) => !result.updated),
      [{ updated: false, conflict: 'username' }],
    );
  });

  test('gives one of two racing transactions the name', async () => {
    const racers = await Promise.all([insertUser(database()), insertUser(database())]);
    const results = await Promise.all(
      racers.map(({ id }) => database().transaction((stores) => stores.users.update(id, { username: 'one-winner' }))),
    );
    assert.is(results.filter((result) => result.updated).length, 1);
  });

  test('finds users by keyword without wildcards', async () => {
    await insertUser(database(), { username: 'percent%sign' });
    await insertUser(database(), { username: 'under_score' });
    await insertUser(database(), { username: 'back\\slash' });
    const names = async (keyword: string) => {
      const { items, total } = await users().list({ keyword }, everything);
      assert.is(items.length, total);
      return items.map((user) => user.username);
    };
    assert.equal(await names('t%s'), ['percent%sign']);
    assert.equal(await names('PERCENT%'), ['percent%sign']);
    assert.equal(await names('r_s'), ['under_score']);
    assert.equal(await names('k\\s'), ['back\\slash']);
    assert.equal(await names('%_'), []);
  });

  test('matches a keyword of one letter at the start only, and a number also as id', async () => {
    const user = await insertUser(database(), { username: 'zebra-q' });
    await users().update(user.id, { group: 'zoo' });
    assert.is((await users().list({ keyword: 'q', group: 'zoo' }, everything)).total, 0);
    assert.is((await users().list({ keyword: 'z', group: 'zoo' }, everything)).total, 1);
    assert.is((await users().list({ keyword: String(user.id), group: 'zoo' }, everything)).total, 1);
    assert.is((await users().list({ keyword: '99999999999999999999' }, everything)).total, 0);
  });

  test('lists newest first in pages, deleted users included, and filters by state', async () => {
    const made = [];
    for (let count = 0; count < 5; count++) {
      const user = await insertUser(database());
      await users().update(user.id, { group: 'paged', ...(count === 1 ? { status: 2 } : {}) });
      made.unshift(user.id);
    }
    await users().softDelete(made[0] ?? 0, new Date(1_700_000_000_123));
    const page = await users().list({ group: 'paged' }, { offset: 1, limit: 2 });
    assert.equal(
      page.items.map((user) => user.id),
      made.slice(1, 3),
    );
    assert.is(page.total, 5);
    assert.is((await users().list({ group: 'paged', status: 2 }, everything)).total, 1);
    assert.is((await users().list({ group: 'paged', status: 1 }, everything)).total, 3);
    const deleted = await users().list({ group: 'paged', status: -1 }, everything);
    assert.equal(deleted.items[0]?.deletedAt, new Date(1_700_000_000_123));
    assert.is((await users().list({ group: 'paged', role: 10 }, everything)).total, 0);
    assert.is((await users().list({ group: 'paged' }, { offset: 50, limit: 10 })).total, 5);
  });

  test('stores and takes away the access token', async () => {
    const user = await insertUser(database());
    await users().setAccessToken(user.id, 'a'.repeat(64), 99);
    assert.is((await users().findByAccessTokenHash('a'.repeat(64)))?.accessTokenExpiresAt, 99);
    await users().setAccessToken(user.id, null, 99);
    assert.is(await users().findByAccessTokenHash('a'.repeat(64)), undefined);
    assert.is((await users().find(user.id))?.accessTokenExpiresAt, 0);
  });

  test('changes a role only from the expected one', async () => {
    const user = await insertUser(database());
    assert.is((await users().setRole(user.id, { from: 1, to: 10 }))?.role, 10);
    assert.is(await users().setRole(user.id, { from: 1, to: 10 }), undefined);
    assert.is((await users().findFirstOfRole(10))?.id, user.id);
  });

  test('counts versions, invites, sign-ins and check-ins', async () => {
    const user = await insertUser(database());
    assert.is(await users().bumpAuthVersion(user.id), 2);
    assert.is(await users().bumpAuthVersion(987_654), undefined);
    await users().creditInvite(user.id, 500);
    await users().creditInvite(user.id, 0);
    await users().setLastLogin(user.id, 42);
    await users().setLastCheckIn(user.id, new Date(1_700_000_000_000));
    const changed = await users().find(user.id);
    assert.equal(
      [changed?.affCount, changed?.affQuota, changed?.affHistory, changed?.lastLoginAt, changed?.quota],
      [2, 500, 500, 42, 0],
    );
    assert.equal(changed?.lastCheckInTime, new Date(1_700_000_000_000));
  });

  test('deletes once, leaves a deleted user alone, and purges only the deleted', async () => {
    const user = await insertUser(database(), { username: 'leaving' });
    await users().setAccessToken(user.id, 'b'.repeat(64), 99);
    assert.is(await users().purge(user.id), undefined);
    assert.is((await users().softDelete(user.id, new Date()))?.accessTokenHash, null);
    assert.is(await users().softDelete(user.id, new Date()), undefined);
    assert.equal(await users().update(user.id, { displayName: 'x' }), { updated: false });
    assert.is((await users().purge(user.id))?.id, user.id);
    assert.is(await users().find(user.id), undefined);
  });

  test('finds users by address, identity and invite code', async () => {
    const made = await users().insert({
      username: 'findable',
      email: 'f@x.org',
      oidcId: 'sub',
      affCode: 'FIND',
      createdAt: 1,
    });
    assert.ok(made.inserted);
    assert.is((await users().findByEmail('f@x.org'))?.id, made.user.id);
    assert.is((await users().findByIdentity('oidcId', 'sub'))?.id, made.user.id);
    assert.is((await users().findByAffCode('FIND'))?.id, made.user.id);
    assert.is(await users().findByIdentity('githubId', 'sub'), undefined);
  });
});
