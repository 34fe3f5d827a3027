import * as assert from 'uvu/assert';
import type { ChannelRecord, NewChannel } from '../../daemon/store/channels.ts';
import type { Database } from '../../daemon/store/database.ts';
import { channelKeyRecord, channelRecord } from '../support/channel-records.ts';
import { onBothEngines } from './engine-suites.ts';

const everything = { offset: 0, limit: 1000 };
const ids = (channels: readonly ChannelRecord[]) => channels.map((channel) => channel.id);

function insertChannel(database: Database, over: Partial<NewChannel> = {}): Promise<ChannelRecord> {
  return database.stores.channels.insert({ type: 1, name: 'channel', createdTime: 1, ...over });
}

onBothEngines('store/channels', (test, database) => {
  const channels = () => database().stores.channels;
  const keys = () => database().stores.channelKeys;
  const abilities = () => database().stores.abilities;

  test.before.each(async () => {
    await channels().deleteByStatus([1, 2, 3]);
  });

  test('fills a new channel with the defaults of the schema', async () => {
    const channel = await insertChannel(database());
    const { id } = channel;
    const inserted = { id, name: 'channel', createdTime: 1, models: '' };
    assert.equal(channel, channelRecord({ ...inserted, statusCodeMapping: '' }));
    assert.equal(await channels().find(channel.id), channel);
    assert.equal(await channels().all([channel.id, 987_654]), [channel]);
  });

  test('orders by priority, then newest, and counts types', async () => {
    const low = await insertChannel(database(), { priority: null });
    const high = await insertChannel(database(), { priority: 5, type: 14 });
    const minus = await insertChannel(database(), { priority: -1 });
    const newer = await insertChannel(database(), { priority: 0, status: 2 });
    assert.equal(ids((await channels().list({}, 'priority', everything)).items), [high.id, newer.id, low.id, minus.id]);
    const page = await channels().list({}, 'id', { offset: 1, limit: 2 });
    assert.equal([ids(page.items), page.total], [[minus.id, high.id], 4]);
    assert.equal(
      await channels().countByType({}),
      new Map([
        [1, 3],
        [14, 1],
      ]),
    );
    assert.equal(ids((await channels().list({ status: 'disabled' }, 'id', everything)).items), [newer.id]);
    assert.equal((await channels().list({ status: 'auto' }, 'id', everything)).total, 0);
    assert.equal(await channels().countByType({ status: 'enabled', type: 1 }), new Map([[1, 2]]));
  });

  test('takes a group for a whole member of the list', async () => {
    const vip = await insertChannel(database(), { group: 'default,vip' });
    await insertChannel(database(), { group: 'vip2,VIP,svip' });
    const found = await channels().list({ group: 'vip' }, 'id', everything);
    assert.equal([ids(found.items), found.total], [[vip.id], 1]);
    assert.equal((await channels().list({ group: '%' }, 'id', everything)).total, 0);
  });

  test('finds by id, name, address, key and model', async () => {
    const one = await insertChannel(database(), { name: 'Main 100%', models: 'gpt-4o,o3' });
    const two = await insertChannel(database(), { name: 'other', baseUrl: 'https://Main.example', models: 'o1' });
    await keys().insert([{ channelId: two.id, position: 0, keyHash: 'feedfeedfeedfeed', keySealed: 's' }]);
    const search = async (what: Parameters<ReturnType<typeof channels>['search']>[0]) =>
      ids(await channels().search(what, 'id', 100));
    assert.equal(await search({ keyword: 'main' }), [two.id, one.id]);
    assert.equal(await search({ keyword: '0%' }), [one.id]);
    assert.equal(await search({ keyword: String(one.id) }), [one.id]);
    assert.equal(await search({ keyword: 'sk-something', keyHash: 'feedfeedfeedfeed' }), [two.id]);
    assert.equal(await search({ model: 'gpt-4' }), [one.id]);
    assert.equal(await search({ keyword: 'main', model: 'o1' }), [two.id]);
    assert.equal(await search({ keyword: 'main', group: 'nobody' }), []);
    assert.equal(await search({}), [two.id, one.id]);
  });

  test('pages tags by name and lists their channels', async () => {
    const beta = await insertChannel(database(), { tag: 'beta' });
    const alpha = await insertChannel(database(), { tag: 'Alpha' });
    const again = await insertChannel(database(), { tag: 'beta' });
    await insertChannel(database(), { tag: '' });
    await insertChannel(database());
    assert.equal(await channels().listTags({}, { offset: 0, limit: 1 }), { items: ['Alpha'], total: 2 });
    assert.equal(await channels().listTags({}, { offset: 1, limit: 5 }), { items: ['beta'], total: 2 });
    assert.equal(ids(await channels().listByTags(['Alpha', 'beta'], 'id')), [again.id, alpha.id, beta.id]);
    const moved = await channels().updateMany([beta.id, again.id, 987_654], { tag: null });
    assert.equal(ids(moved).sort(), [beta.id, again.id].sort());
    assert.is((await channels().find(beta.id))?.tag, null);
  });

  test('changes what the patch names, and empties what may be empty', async () => {
    const channel = await insertChannel(database(), { setting: '{"proxy":"x"}', weight: 3 });
    const changed = await channels().update(channel.id, { setting: '', weight: null, name: undefined });
    assert.equal(changed, { ...channel, setting: '', weight: null });
    assert.equal(await channels().update(channel.id, {}), changed);
    assert.is(await channels().update(987_654, { name: 'x' }), undefined);
  });

  test('disables automatically once, and only what is enabled', async () => {
    const channel = await insertChannel(database());
    const disable = () => channels().moveStatus(channel.id, { from: 1, to: 3, otherInfo: '{"status_reason":"x"}' });
    const results = await Promise.all([disable(), disable(), disable()]);
    assert.is(results.filter((result) => result?.status === 3).length, 1);
    await channels().update(channel.id, { status: 2 });
    assert.is(await channels().moveStatus(channel.id, { from: 3, to: 1, otherInfo: '' }), undefined);
  });

  test('stores balance and test results as they are', async () => {
    const channel = await insertChannel(database());
    assert.is((await channels().setBalance(channel.id, 12.34, 9))?.balance, 12.34);
    await channels().setTested(channel.id, { responseTime: 123, testTime: 8 });
    const stored = await channels().find(channel.id);
    assert.equal([stored?.responseTime, stored?.testTime, stored?.balanceUpdatedTime], [123, 8, 9]);
  });

  test('says which channels it removed', async () => {
    const [kept, gone, off] = [
      await insertChannel(database()),
      await insertChannel(database()),
      await insertChannel(database(), { status: 3 }),
    ];
    assert.equal(ids(await channels().delete([gone.id, 987_654])), [gone.id]);
    assert.equal(ids(await channels().deleteByStatus([2, 3])), [off.id]);
    assert.equal(ids(await channels().all()), [kept.id]);
  });

  test('adds keys without doubling any, in their order', async () => {
    const channel = await insertChannel(database());
    const key = (position: number, keyHash: string) => ({
      channelId: channel.id,
      position,
      keyHash,
      keySealed: keyHash,
    });
    await keys().insert([key(1, 'bbbb'), key(0, 'aaaa')]);
    const added = await keys().insert([key(2, 'aaaa'), key(3, 'cccc')]);
    assert.equal(
      added.map((row) => row.keyHash),
      ['cccc'],
    );
    const stored = await keys().all([channel.id]);
    assert.equal(
      stored.map((row) => row.keyHash),
      ['aaaa', 'bbbb', 'cccc'],
    );
    assert.equal(stored[0], channelKeyRecord('aaaa', { ...key(0, 'aaaa'), id: stored[0]?.id ?? 0 }));
  });

  test('keeps the state of each key apart', async () => {
    const channel = await insertChannel(database());
    const [first, second] = await keys().insert([
      { channelId: channel.id, position: 0, keyHash: 'k1', keySealed: 's' },
      { channelId: channel.id, position: 1, keyHash: 'k2', keySealed: 's' },
    ]);
    assert.ok(first && second);
    const off = { from: 1, to: 3, reason: 'dead', statusTime: 7 };
    assert.is((await keys().moveStatus(first.id, off))?.reason, 'dead');
    assert.is(await keys().moveStatus(first.id, off), undefined);
    assert.equal(
      (await keys().moveAll(channel.id, off)).map((row) => row.id),
      [second.id],
    );
    await keys().setStatus(first.id, { status: 1, reason: '', statusTime: 8 });
    await keys().recordUse([
      { id: first.id, lastUsed: 5 },
      { id: second.id, lastUsed: 6, lastError: 'broken' },
    ]);
    await keys().setPositions([{ id: first.id, position: 9 }]);
    await keys().setLimits(first.id, { cap: 100, tpm: 9000 });
    const stored = await keys().all([channel.id]);
    assert.equal(
      stored.map((row) => [row.keyHash, row.status, row.lastUsed, row.lastError, row.cap, row.tpm]),
      [
        ['k2', 3, 6, 'broken', 0, 0],
        ['k1', 1, 5, '', 100, 9000],
      ],
    );
    assert.equal(
      (await keys().delete([first.id])).map((row) => row.keyHash),
      ['k1'],
    );
    await keys().deleteOfChannels([channel.id]);
    assert.equal(await keys().all([channel.id]), []);
  });

  test('keeps what upstreams said of keys, without what PostgreSQL cannot store', async () => {
    const { id: channelId } = await insertChannel(database());
    const [key] = await keys().insert([{ channelId, position: 0, keyHash: 'k1', keySealed: 's' }]);
    assert.ok(key);
    await keys().recordUse([{ id: key.id, lastUsed: 5, lastError: 'bad\u0000key' }]);
    assert.is((await keys().find(key.id))?.lastError, 'badkey');
    const off = { from: 1, to: 3, reason: 'no\u0000', statusTime: 7 };
    assert.is((await keys().moveStatus(key.id, off))?.reason, 'no');
    const on = { ...off, from: 3, to: 1 };
    assert.equal(
      (await keys().moveAll(channelId, on)).map(({ reason }) => reason),
      ['no'],
    );
    assert.is((await keys().setStatus(key.id, { status: 3, reason: '\u0000why', statusTime: 8 }))?.reason, 'why');
    const tests = database().stores.channelTests;
    const failed = { channelId, model: 'm', createdAt: 1, ok: false, timeMs: 5, status: 401, actorId: 0 };
    assert.is((await tests.append({ ...failed, message: 'bad\u0000key' }))?.message, 'badkey');
    await tests.deleteOfChannels([channelId]);
    await keys().deleteOfChannels([channelId]);
  });

  test('removes more keys than fit into one statement', async () => {
    const { id: channelId } = await insertChannel(database());
    const many = Array.from({ length: 33_000 }, (_, position) => {
      return { channelId, position, keyHash: `k${position}`, keySealed: 's' };
    });
    await database().transaction(async ({ channelKeys }) => {
      const added = await channelKeys.insert(many);
      const removed = await channelKeys.delete(added.slice(1).map(({ id }) => id));
      assert.equal([added.length, removed.length, (await channelKeys.all([channelId])).length], [33_000, 32_999, 1]);
      await channelKeys.deleteOfChannels([channelId]);
    });
  });

  test('lets nodes note uses of the same keys at once', async () => {
    const many = Array.from({ length: 200 }, (_, position) => {
      return { channelId: 1, position, keyHash: `k${position}`, keySealed: 's' };
    });
    const added = (await keys().insert(many)).map(({ id }) => id);
    let runs = 0;
    const note = (order: readonly number[], lastUsed: number) =>
      database().transaction(({ channelKeys }) => {
        runs += 1;
        return channelKeys.recordUse(order.map((id) => ({ id, lastUsed })));
      });
    await Promise.all([note(added, 5), note(added.toReversed(), 5)]);
    // Neither stood in the way of the other, which would have been run again.
    assert.is(runs, 2);
    await keys().deleteOfChannels([1]);
  });

  test('replaces, changes and removes the abilities of a channel', async () => {
    const channel = await insertChannel(database());
    const row = (group: string, model: string) => ({ group, model, enabled: true, priority: 2, weight: 1, tag: null });
    await abilities().replace(channel.id, [row('a', 'old')]);
    await abilities().replace(channel.id, [row('a', 'm1'), row('b', 'm2')]);
    assert.equal(await abilities().list(channel.id), [
      { ...row('a', 'm1'), channelId: channel.id },
      { ...row('b', 'm2'), channelId: channel.id },
    ]);
    await abilities().update([channel.id], { enabled: false, tag: 't' });
    assert.equal(
      (await abilities().list(channel.id)).map(({ enabled, tag }) => [enabled, tag]),
      [
        [false, 't'],
        [false, 't'],
      ],
    );
    await channels().delete([channel.id]);
    assert.is(await abilities().deleteOrphans(), 2);
  });

  test('takes more abilities than fit into one statement', async () => {
    const channel = await insertChannel(database());
    const rows = Array.from({ length: 5001 }, (_, index) => ({
      group: 'many',
      model: `m${index}`,
      enabled: true,
      priority: 0,
      weight: 0,
      tag: null,
    }));
    await database().transaction((stores) => stores.abilities.replace(channel.id, rows));
    assert.is((await abilities().list(channel.id)).length, 5001);
    await abilities().deleteOfChannels([channel.id]);
    assert.is((await abilities().list(channel.id)).length, 0);
  });

  test('keeps the newest fifty tests of each model', async () => {
    const tests = database().stores.channelTests;
    const test = (model: string, createdAt: number) => ({
      channelId: 1,
      model,
      createdAt,
      ok: createdAt % 2 === 0,
      timeMs: 5,
      status: 200,
      message: '',
      actorId: 0,
    });
    for (let at = 0; at < 53; at++) await tests.append(test('m', at));
    await tests.append(test('other', 1));
    const stored = await tests.list({ channelId: 1, model: 'm', limit: 100 });
    assert.equal([stored.length, stored[0]?.createdAt, stored[0]?.ok, stored.at(-1)?.createdAt], [50, 52, true, 3]);
    assert.is((await tests.list({ channelId: 1, limit: 100 })).length, 51);
    await tests.deleteOfChannels([1]);
    assert.equal(await tests.list({ channelId: 1, limit: 100 }), []);
  });
});
