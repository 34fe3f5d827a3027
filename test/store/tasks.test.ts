import * as assert from 'uvu/assert';
import type { NewMidjourney } from '../../daemon/store/midjourneys.ts';
import type { NewTask } from '../../daemon/store/tasks.ts';
import { onBothEngines } from './engine-suites.ts';

const everything = { offset: 0, limit: 100 };

function drawing(over: Partial<NewMidjourney> = {}): NewMidjourney {
  const texts = {
    channelKeyHash: '',
    requestId: '',
    promptEn: '',
    description: '',
    state: '',
    imageUrl: '',
    failReason: '',
    botType: '',
    customId: '',
    videoUrl: '',
    videoUrls: '',
    buttons: '',
    properties: '',
  };
  return {
    ...texts,
    createdAt: 1,
    code: 1,
    userId: 1,
    tokenId: 2,
    action: 'IMAGINE',
    mjId: 'mj1',
    prompt: 'cat',
    submitTime: 1_700_000_000_123,
    startTime: 0,
    finishTime: 0,
    status: 'SUBMITTED',
    progress: '0%',
    channelId: 3,
    quota: 40,
    tokenQuota: 40,
    ...over,
  };
}

function task(over: Partial<NewTask> = {}): NewTask {
  return {
    createdAt: 1,
    updatedAt: 1,
    taskId: 't1',
    platform: 'suno',
    userId: 1,
    channelId: 3,
    tokenId: 2,
    channelKeyHash: '',
    requestId: '',
    quota: 40,
    tokenQuota: 40,
    action: 'MUSIC',
    status: 'SUBMITTED',
    failReason: '',
    submitTime: 100,
    startTime: 0,
    finishTime: 0,
    progress: '0%',
    properties: '{}',
    data: 'null',
    ...over,
  };
}

onBothEngines('store/tasks', (test, database) => {
  test('finishes a drawing once, so that it is refunded once', async () => {
    const { midjourneys } = database().stores;
    const row = await midjourneys.insert(drawing());
    assert.equal(row, { ...drawing(), id: row.id });
    assert.is((await midjourneys.advance(row.id, { progress: '50%' }))?.progress, '50%');
    assert.is((await midjourneys.listUnfinished(10)).length, 1);
    const ends = await Promise.all(
      Array.from({ length: 10 }, () => midjourneys.advance(row.id, { progress: '100%', status: 'FAILURE' })),
    );
    assert.is(ends.filter((end) => end !== undefined).length, 1);
    assert.equal(await midjourneys.listUnfinished(10), []);
  });

  test('shows a drawing to its owner and lists by channel, id and time', async () => {
    const { midjourneys } = database().stores;
    const row = await midjourneys.insert(drawing({ mjId: 'mj2', userId: 5, channelId: 9 }));
    assert.is((await midjourneys.findOwned('mj2', 5))?.id, row.id);
    assert.is(await midjourneys.findOwned('mj2', 6), undefined);
    assert.is((await midjourneys.findByMjId('mj2'))?.id, row.id);
    assert.equal((await midjourneys.findManyOwned(['mj2', 'mj1'], 5)).length, 1);
    const total = async (filter: Parameters<typeof midjourneys.list>[0]) =>
      (await midjourneys.list(filter, everything)).total;
    assert.equal([await total({ channelId: 9 }), await total({ userId: 5 }), await total({ mjId: 'mj2' })], [1, 1, 1]);
    assert.equal([await total({ fromMs: 1_700_000_000_123 }), await total({ untilMs: 1_700_000_000_122 })], [2, 0]);
  });

  test('finishes a task once and filters by every documented field', async () => {
    const { tasks } = database().stores;
    const row = await tasks.insert(task());
    assert.equal(row, { ...task(), id: row.id });
    const other = await tasks.insert(
      task({
        taskId: 't2',
        userId: 2,
        channelId: 4,
        platform: 'x',
        action: 'LYRICS',
        status: 'QUEUED',
        submitTime: 200,
      }),
    );
    assert.is((await tasks.advance(row.id, { status: 'SUCCESS', data: '{"a":1}' }))?.data, '{"a":1}');
    assert.is(await tasks.advance(row.id, { status: 'FAILURE' }), undefined);
    assert.equal(
      (await tasks.listUnfinished('x', { limit: 10 })).map(({ id }) => id),
      [other.id],
    );
    assert.equal(await tasks.listUnfinished('x', { limit: 10, after: other.id }), []);
    assert.equal(await tasks.listUnfinished('suno', { limit: 10 }), []);
    assert.equal(
      (await tasks.findManyOwned(['t1', 't2'], 2)).map(({ id }) => id),
      [other.id],
    );
    const filters = [
      { userId: 2 },
      { channelId: 4 },
      { taskId: 't2' },
      { platform: 'x' },
      { action: 'LYRICS' },
      { status: 'QUEUED' },
      { from: 150 },
    ];
    for (const filter of filters) {
      assert.equal(
        (await tasks.list(filter, everything)).items.map(({ id }) => id),
        [other.id],
      );
    }
    assert.is((await tasks.list({ until: 150, status: '' }, everything)).total, 1);
  });

  test('keeps texts of others without the character that no row may have, and finds nothing by it', async () => {
    const { midjourneys, tasks } = database().stores;
    const row = await midjourneys.insert(drawing({ mjId: 'x\u0000y', userId: 7, prompt: 'a\u0000cat' }));
    assert.equal([row.mjId, row.prompt], ['xy', 'acat']);
    assert.is((await midjourneys.advance(row.id, { failReason: 'no\u0000', progress: '100%' }))?.failReason, 'no');
    await midjourneys.insert(drawing({ mjId: '', userId: 7 }));
    for (const unknown of ['', '\u0000', 'x\u0000y']) {
      assert.is(await midjourneys.findOwned(unknown, 7), undefined);
      assert.is(await midjourneys.findByMjId(unknown), undefined);
      assert.equal(await midjourneys.findOfChannel(unknown, 3), []);
    }
    assert.equal(
      (await midjourneys.findManyOwned(['', '\u0000', 'xy'], 7)).map(({ id }) => id),
      [row.id],
    );
    const song = await tasks.insert(task({ taskId: 'x\u0000y', userId: 7, properties: '{"input":"\u0000"}' }));
    assert.equal([song.taskId, song.properties], ['xy', '{"input":""}']);
    assert.is((await tasks.advance(song.id, { failReason: 'no\u0000', status: 'FAILURE' }))?.failReason, 'no');
    assert.equal(
      (await tasks.findManyOwned(['', 'x\u0000y', 'xy'], 7)).map(({ id }) => id),
      [song.id],
    );
  });
});
