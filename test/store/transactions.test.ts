import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../daemon/errors.ts';
import { insertUser, onBothEngines } from './engine-suites.ts';
import { rejectionOf } from './rejection.ts';

const session = {
  idHash: 'same',
  userId: null,
  data: '{}',
  authVersion: 0,
  createdAt: 1,
  lastSeenAt: 1,
  expiresAt: 2,
  ip: '',
  userAgent: '',
};

onBothEngines('store/database', (test, database) => {
  const revisions = async () => Object.fromEntries(await database().stores.revisions.byTopic());

  test('keeps what a transaction did and returns what it returned', async () => {
    const result = await database().transaction(async (stores) => {
      await stores.revisions.bump('kept');
      return stores.revisions.bump('kept');
    });
    assert.is(result, 2);
    assert.is((await revisions()).kept, 2);
  });

  test('undoes a transaction whose work throws, and passes the error on', async () => {
    const thrown = new TollgateError('user_not_found');
    const failing = database().transaction(async (stores) => {
      await stores.revisions.bump('undone');
      throw thrown;
    });
    assert.is(await rejectionOf(failing), thrown);
    assert.is((await revisions()).undone, undefined);
  });

  test('goes on after a failed statement in a transaction', async () => {
    const failed = database().transaction(async (stores) => {
      await stores.revisions.bump('before-failure');
      await stores.sessions.insert(session);
      await stores.sessions.insert(session);
    });
    assert.instance(await rejectionOf(failed), Error);
    assert.is((await revisions())['before-failure'], undefined);
    await database().transaction((stores) => stores.revisions.bump('after-failure'));
    assert.is((await revisions())['after-failure'], 1);
  });

  test('refuses a statement that comes after its transaction has ended', async () => {
    const late = await database().transaction(async (stores) => stores.revisions);
    assert.match(String(await rejectionOf(late.bump('late'))), 'already complete');
    assert.is((await revisions()).late, undefined);
  });

  test('shows nothing of an open transaction to others', async () => {
    await database().transaction(async (stores) => {
      await stores.revisions.bump('hidden');
      assert.is((await revisions()).hidden, undefined);
    });
    assert.is((await revisions()).hidden, 1);
  });

  test('loses no update of two hundred writers at once', async () => {
    const user = await insertUser(database());
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        if (index % 2 === 0) await database().stores.users.creditInvite(user.id, 1);
        else await database().transaction((stores) => stores.users.creditInvite(user.id, 1));
      }),
    );
    const changed = await database().stores.users.find(user.id);
    assert.equal([changed?.affCount, changed?.affQuota], [200, 200]);
  });

  test('reads while writers are busy', async () => {
    const user = await insertUser(database());
    const writing = Promise.all(
      Array.from({ length: 100 }, () => database().transaction((stores) => stores.users.creditInvite(user.id, 1))),
    );
    let last = 0;
    for (let read = 0; read < 50; read++) {
      const { affCount = 0 } = (await database().stores.users.find(user.id)) ?? {};
      assert.ok(affCount >= last);
      last = affCount;
    }
    await writing;
  });

  test('rolls back work that takes too long, and serves the others', async () => {
    const never = database().transaction(
      async (stores) => {
        await stores.revisions.bump('slow');
        await new Promise(() => undefined);
      },
      { timeoutMs: 50 },
    );
    const late = database().transaction(
      async (stores) => {
        await stores.revisions.bump('slow');
        await sleep(200);
        await stores.revisions.bump('slow');
      },
      { timeoutMs: 50 },
    );
    for (const error of await Promise.all([rejectionOf(never), rejectionOf(late)])) {
      const { code, cause } = error as TollgateError;
      assert.is(code, 'db_unavailable');
      assert.match(String(cause), '50 ms');
    }
    await database().transaction((stores) => stores.revisions.bump('after-slow'));
    assert.equal([(await revisions()).slow, (await revisions())['after-slow']], [undefined, 1]);
  });

  test('answers a ping', async () => {
    await database().ping();
  });
});
