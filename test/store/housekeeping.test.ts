import * as assert from 'uvu/assert';
import type { SessionRecord } from '../../daemon/store/sessions.ts';
import { onBothEngines } from './engine-suites.ts';

function session(idHash: string, over: Partial<SessionRecord> = {}): SessionRecord {
  return {
    idHash,
    userId: 1,
    data: '{}',
    authVersion: 1,
    createdAt: 1,
    lastSeenAt: 1,
    expiresAt: 100,
    ip: '',
    userAgent: '',
    ...over,
  };
}

onBothEngines('store/housekeeping', (test, database) => {
  test('keeps options by key, quotes and all', async () => {
    const { options } = database().stores;
    await options.set('Notice', 'it\'s "quoted" \\ ? % 你好');
    await options.set('Notice', "it's ? now");
    await options.set('Other', '');
    assert.equal(await options.all(), [
      { key: 'Notice', value: "it's ? now" },
      { key: 'Other', value: '' },
    ]);
    assert.equal(await options.find('Other'), { key: 'Other', value: '' });
    await options.delete(['Other', 'Unknown']);
    assert.is(await options.find('Other'), undefined);
  });

  test('lets one of many set the system up', async () => {
    const { setups } = database().stores;
    assert.is(await setups.find(), undefined);
    const tries = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        database().transaction((stores) => stores.setups.insert({ version: '1', initializedAt: at })),
      ),
    );
    assert.is(tries.filter((won) => won).length, 1);
    assert.is((await setups.find())?.version, '1');
  });

  test('raises a topic’s revision by one each time, however many do', async () => {
    const bumps = await Promise.all(
      Array.from({ length: 50 }, () => database().transaction((stores) => stores.revisions.bump('channels'))),
    );
    assert.equal(
      bumps.sort((left, right) => left - right),
      Array.from({ length: 50 }, (_, at) => at + 1),
    );
  });

  test('finds, touches and ends sessions', async () => {
    const { sessions } = database().stores;
    await sessions.insert(session('a'));
    await sessions.insert(session('b', { lastSeenAt: 5 }));
    await sessions.insert(session('c', { userId: null }));
    await sessions.touch('a', 9);
    assert.equal(
      (await sessions.listOfUser(1)).map((row) => [row.idHash, row.lastSeenAt]),
      [
        ['a', 9],
        ['b', 5],
      ],
    );
    assert.equal(await sessions.find('c'), session('c', { userId: null }));
    assert.is((await sessions.replaceData('c', { from: '{}', to: '{"n":1}' }))?.data, '{"n":1}');
    assert.is(await sessions.replaceData('c', { from: '{}', to: '{"n":2}' }), undefined);
    await sessions.setAuthVersion('a', 2);
    assert.is((await sessions.find('a'))?.authVersion, 2);
    assert.is(await sessions.deleteOfUser(1, 'a'), 1);
    assert.is(await sessions.delete('a'), true);
    assert.is(await sessions.delete('a'), false);
    await sessions.insert(session('old', { expiresAt: 50 }));
    assert.is(await sessions.deleteExpired(50, 10), 1);
    assert.ok(await sessions.find('c'));
  });

  test('keeps who did what', async () => {
    const { audits } = database().stores;
    const audit = {
      createdAt: 10,
      actorId: 1,
      actorName: 'root',
      ip: '::1',
      action: 'channel.key_read',
      target: 'channel:7',
      detail: '{"a":1}',
    };
    for (let at = 0; at < 5; at++) await audits.append({ ...audit, createdAt: 10 + at, actorId: at % 2 });
    const page = await audits.list({ actorId: 0 }, { offset: 1, limit: 1 });
    assert.equal([page.total, page.items[0]?.createdAt], [3, 12]);
    assert.equal(
      (await audits.listBefore({ from: 11, until: 13 }, { limit: 2 })).map((row) => row.createdAt),
      [13, 12],
    );
    assert.is((await audits.list({ action: 'other' }, { offset: 0, limit: 1 })).total, 0);
    assert.is((await audits.list({ target: 'channel:7' }, { offset: 0, limit: 1 })).total, 5);
    assert.is((await audits.list({ actorName: 'root' }, { offset: 0, limit: 1 })).total, 5);
    assert.is((await audits.list({ actorName: 'toor' }, { offset: 0, limit: 1 })).total, 0);
  });

  test('uses a code up once and stops after too many wrong tries', async () => {
    const { verificationCodes: codes } = database().stores;
    const subject = { purpose: 'email', subject: 'a@x.org' };
    const code = { ...subject, codeHash: 'right', createdAt: 1, expiresAt: 100 };
    const limits = { codeHash: 'right', nowSeconds: 50, maxAttempts: 5 };
    await codes.replace(code);
    assert.is(await codes.consume(subject, { ...limits, codeHash: 'wrong' }), false);
    assert.is(await codes.consume(subject, { ...limits, nowSeconds: 100 }), false);
    const uses = await Promise.all(Array.from({ length: 10 }, () => codes.consume(subject, limits)));
    assert.is(uses.filter((used) => used).length, 1);
    await codes.replace(code);
    const tries = await Promise.all(Array.from({ length: 8 }, () => codes.takeTry(subject, limits)));
    assert.is(tries.filter(Boolean).length, 5);
    await codes.giveTryBack(subject);
    assert.is((await codes.takeTry(subject, limits))?.attempts, 5);
    assert.is(await codes.takeTry(subject, limits), undefined);
    await codes.replace({ ...code, codeHash: 'new' });
    assert.equal(await codes.find(subject), { ...code, codeHash: 'new', attempts: 0 });
    assert.is(await codes.deleteExpired(100), 1);
    await codes.delete(subject);
  });

  test('adds up the hours of a user and model', async () => {
    const { quotaData } = database().stores;
    const gain = { userId: 1, username: 'ann', modelName: 'm', createdAt: 3600, tokenUsed: 5, count: 1, quota: 10 };
    await quotaData.add([gain, { ...gain, modelName: 'n' }, { ...gain, userId: 2, username: 'bob' }]);
    await quotaData.add([
      { ...gain, quota: -4, count: 0, tokenUsed: 0, username: 'anna' },
      { ...gain, createdAt: 7200 },
    ]);
    const own = await quotaData.list({ userId: 1 }, { from: 0, until: 3600 });
    assert.equal(
      own.map((row) => [row.modelName, row.username, row.quota, row.count]),
      [
        ['m', 'anna', 6, 1],
        ['n', 'ann', 10, 1],
      ],
    );
    const sums = await quotaData.list('all', { from: 0, until: 7200 });
    assert.equal(sums[0], {
      id: 0,
      userId: 0,
      username: '',
      modelName: 'm',
      createdAt: 3600,
      tokenUsed: 10,
      count: 2,
      quota: 16,
    });
    assert.is(sums.length, 3);
    const total = async (...asked: Parameters<typeof quotaData.total>) =>
      (await quotaData.total(...asked)).map(({ createdAt, tokenUsed, count, quota }) => [
        createdAt,
        tokenUsed,
        count,
        quota,
      ]);
    assert.equal(await total('all', { from: 0, until: 7200 }), [[0, 20, 4, 36]]);
    assert.equal(await total({ userId: 1 }, { from: 3600, until: 3600 }), [[3600, 10, 2, 16]]);
    assert.equal(await total({ username: 'bob' }, { from: 0, until: 7200 }), [[0, 5, 1, 10]]);
    assert.equal(await total('all', { from: 0, until: 3599 }), []);
  });

  test('takes a thousand hours at once from two nodes', async () => {
    const { quotaData } = database().stores;
    const gains = Array.from({ length: 1000 }, (_, user) => ({
      userId: user + 10,
      username: 'u',
      modelName: 'm',
      createdAt: 36_000,
      tokenUsed: 1,
      count: 1,
      quota: 1,
    }));
    await Promise.all([quotaData.add(gains), quotaData.add([...gains].reverse())]);
    assert.is((await quotaData.list('all', { from: 36_000, until: 36_000 }))[0]?.count, 2000);
  });

  test('answers a repeated call from its idempotency key', async () => {
    const { idempotencyKeys: keys } = database().stores;
    const claim = { actorId: 1, key: 'k', requestHash: 'h', createdAt: 5 };
    const claims = await Promise.all(Array.from({ length: 10 }, () => keys.claim(claim)));
    assert.is(claims.filter((won) => won).length, 1);
    assert.equal(await keys.find(claim), { ...claim, response: null });
    await keys.complete(claim, '{"data":1}');
    assert.is((await keys.find(claim))?.response, '{"data":1}');
    assert.is(await keys.claim({ ...claim, actorId: 2 }), true);
    assert.equal([await keys.deleteBefore(6, 1), await keys.deleteBefore(6, 10)], [1, 1]);
  });

  test('forgets messages between nodes by the clock of each that writes, however far apart the clocks are', async () => {
    const { nodeMessages } = database().stores;
    const message = { name: 'cooling', body: 'b' };
    await nodeMessages.insert([
      { ...message, sender: 'behind', createdAt: 1 },
      { ...message, sender: 'ahead', createdAt: 5000 },
      { ...message, sender: 'behind', createdAt: 2 },
      { ...message, sender: 'ahead', createdAt: 5300 },
    ]);
    const left = async () => (await nodeMessages.after(0)).map(({ createdAt }) => createdAt);
    await nodeMessages.deleteBehind({ sender: 'ahead', createdAt: 5000 });
    assert.equal(await left(), [1, 5000, 2, 5300]);
    await nodeMessages.deleteBehind({ sender: 'ahead', createdAt: 5001 });
    assert.equal(await left(), [2, 5300]);
  });

  test('knows which nodes are alive', async () => {
    const { nodes } = database().stores;
    const node = { id: 'n1', address: 'a', version: '1', startedAt: 1, heartbeatAt: 10 };
    await nodes.beat(node);
    await nodes.beat({ ...node, heartbeatAt: 20 });
    await nodes.beat({ ...node, id: 'n2' });
    assert.equal(await nodes.liveIds(20), ['n1']);
    assert.equal([...(await nodes.heartbeats())].sort(), [
      ['n1', 20],
      ['n2', 10],
    ]);
    assert.equal(await nodes.find('n2'), { ...node, id: 'n2', facts: '' });
    assert.is(await nodes.find('n3'), undefined);
    assert.equal(
      (await nodes.all()).map((row) => row.heartbeatAt),
      [20, 10],
    );
    assert.equal(await nodes.deleteSilent(20), ['n2']);
    await nodes.delete('n1');
    assert.equal(await nodes.all(), []);
  });

  test('remembers for a day where a response is kept, and whose it is', async () => {
    const { responseAffinity } = database().stores;
    const affinity = { responseId: 'a:1', idHash: 'a', userId: 1, channelId: 7, keyHash: 'k', expiresAt: 100 };
    await responseAffinity.insert([affinity, { ...affinity, responseId: 'b:1', idHash: null }]);
    await responseAffinity.insert([{ ...affinity, channelId: 8 }]);
    const find = (responseIds: string[], idHashes: string[], now = 99) =>
      responseAffinity.find({ responseIds, idHashes }, now);
    assert.equal(await find(['a:1'], []), [affinity]);
    assert.equal(await find(['a:2'], ['a']), [affinity]);
    assert.equal(await find(['b:1'], ['b']), [{ ...affinity, responseId: 'b:1', idHash: null }]);
    assert.equal(await find(['c:1'], ['c']), []);
    assert.equal(await find(['a:1'], ['a'], 100), []);
    assert.is(await responseAffinity.deleteExpired(100, 10), 2);
  });
});
