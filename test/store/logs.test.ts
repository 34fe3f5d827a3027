import * as assert from 'uvu/assert';
import type { LogRecord, NewLogRow } from '../../daemon/store/logs.ts';
import { onBothEngines } from './engine-suites.ts';

const everything = { offset: 0, limit: 1000 };

/** Each test has a stretch of time of its own: what was deleted before stays hidden. */
let base = 0;

function logRow(over: Partial<NewLogRow> = {}): NewLogRow {
  return {
    userId: 1,
    createdAt: base + 1_000,
    type: 2,
    content: 'model ratio 1',
    username: 'ann',
    tokenName: 'main',
    modelName: 'gpt-4o',
    quota: 10,
    promptTokens: 3,
    completionTokens: 4,
    useTime: 1,
    isStream: true,
    channelId: 7,
    tokenId: 5,
    group: 'default',
    other: '{}',
    requestId: 'r1',
    failed: false,
    ip: null,
    ...over,
  };
}

const contents = (rows: readonly LogRecord[]) => rows.map((row) => row.content);

onBothEngines('store/logs', (test, database) => {
  const logs = () => database().stores.logs;

  test.before.each(async () => {
    base += 1_000_000;
    while ((await logs().deleteBefore(base, 1000)) > 0);
  });

  test('returns what was written, newest first', async () => {
    await logs().insert([
      logRow({ content: 'first' }),
      logRow({ content: 'second', ip: '::1', failed: true, isStream: false, cost: 5_000_000_000 }),
    ]);
    const { items, total } = await logs().list({}, everything);
    assert.is(total, 2);
    assert.equal(
      items.map(({ id, ...row }) => row),
      [
        logRow({ content: 'second', ip: '::1', failed: true, isStream: false, cost: 5_000_000_000 }),
        logRow({ content: 'first', cost: 0 }),
      ],
    );
    assert.type(items[0]?.id, 'number');
  });

  test('filters by every documented field, alone and together', async () => {
    await logs().insert([
      logRow({ content: 'a' }),
      logRow({ content: 'b', userId: 2, username: 'bob', createdAt: base + 2_000, requestId: 'r2' }),
      logRow({ content: 'c', type: 1, modelName: 'gpt-4%', createdAt: base + 3_000, channelId: 8 }),
      logRow({
        content: 'd',
        tokenName: 'other',
        tokenId: 6,
        group: 'vip',
        modelName: 'GPT-4o-mini',
        createdAt: base + 4_000,
      }),
    ]);
    const found = async (filter: Parameters<ReturnType<typeof logs>['list']>[0]) =>
      contents((await logs().list(filter, everything)).items).join('');
    assert.is(await found({}), 'dcba');
    assert.is(await found({ userId: 2 }), 'b');
    assert.is(await found({ username: 'ann' }), 'dca');
    assert.is(await found({ type: 1 }), 'c');
    assert.is(await found({ tokenName: 'other' }), 'd');
    assert.is(await found({ tokenId: 5 }), 'cba');
    assert.is(await found({ modelName: 'gpt-4o' }), 'ba');
    assert.is(await found({ modelName: 'gpt-4%' }), 'c');
    assert.is(await found({ modelPrefix: 'gpt-4' }), 'cba');
    assert.is(await found({ modelPrefix: 'gpt-4%' }), 'c');
    assert.is(await found({ channelId: 8 }), 'c');
    assert.is(await found({ group: 'vip' }), 'd');
    assert.is(await found({ requestId: 'r2' }), 'b');
    assert.is(await found({ from: base + 2_000, until: base + 3_000 }), 'cb');
    assert.is(await found({ username: 'ann', type: 2, from: base + 2_000, modelPrefix: 'GPT' }), 'd');
    assert.is(await found({ username: 'nobody' }), '');
  });

  test('pages by offset and by key alike', async () => {
    await logs().insert(Array.from({ length: 25 }, (_, index) => logRow({ content: String(index) })));
    const byOffset = await logs().list({}, { offset: 10, limit: 10 });
    assert.is(byOffset.total, 25);
    const first = await logs().listBefore({}, { limit: 10 });
    const second = await logs().listBefore({}, { before: first.at(-1), limit: 10 });
    assert.equal(second, byOffset.items);
    assert.equal(await logs().list({}, { offset: 100, limit: 10 }), { items: [], total: 25 });
  });

  test('sums consumption within the filter', async () => {
    await logs().insert([
      logRow({ quota: 5_000_000_000_000, createdAt: base + 1_000 }),
      logRow({ quota: 7, username: 'bob', createdAt: base + 2_000 }),
      logRow({ quota: 100, type: 1 }),
    ]);
    assert.equal(await logs().sums({}), { quota: 5_000_000_000_007, promptTokens: 6, completionTokens: 8 });
    assert.equal(await logs().sums({ username: 'bob', from: base + 1_500 }), {
      quota: 7,
      promptTokens: 3,
      completionTokens: 4,
    });
    assert.equal(await logs().sums({ username: 'nobody' }), { quota: 0, promptTokens: 0, completionTokens: 0 });
  });

  test('counts the calls of a minute without failures, tests and tools', async () => {
    await logs().insert([
      logRow({ createdAt: base + 100 }),
      logRow({ createdAt: base + 160 }),
      logRow({
        createdAt: base + 161,
        other: '{"tool":{"name":"web_search"},"frt":1}',
        promptTokens: 0,
        completionTokens: 0,
      }),
      logRow({ createdAt: base + 162, other: '{"is_test":true}' }),
      logRow({ createdAt: base + 163, failed: true }),
      logRow({ createdAt: base + 164, type: 1 }),
      logRow({ createdAt: base + 165, username: 'bob' }),
    ]);
    assert.equal(await logs().rate({ from: base + 1, until: base + 2 }, base + 150), { requests: 2, tokens: 14 });
    assert.equal(await logs().rate({ username: 'bob' }, base + 150), { requests: 1, tokens: 7 });
    assert.equal(await logs().rate({ username: 'nobody' }, base + 150), { requests: 0, tokens: 0 });
  });

  test('finds all rows of a call, newest first', async () => {
    await logs().insert([
      logRow({ content: 'main', requestId: 'rx' }),
      logRow({ content: 'tool', requestId: 'rx' }),
      logRow(),
    ]);
    const { items } = await logs().list({ requestId: 'rx' }, { offset: 0, limit: 10 });
    assert.equal(contents(items), ['tool', 'main']);
  });

  test('searches the start of the content, letters as they are', async () => {
    await logs().insert([
      logRow({ content: '100% done', type: 3 }),
      logRow({ content: '1000', type: 4 }),
      logRow({ content: 'not 100%', userId: 2 }),
    ]);
    assert.equal(contents(await logs().searchContent({ prefix: '100%', limit: 100 })), ['100% done']);
    assert.equal(contents(await logs().searchContent({ prefix: '100', limit: 1 })), ['1000']);
    assert.equal(await logs().searchContent({ prefix: '100', userId: 2, limit: 100 }), []);
  });

  test('removes old rows in portions', async () => {
    await logs().insert(Array.from({ length: 25 }, (_, index) => logRow({ createdAt: base + index })));
    assert.is(await logs().deleteBefore(base + 20, 15), 15);
    assert.is(await logs().deleteBefore(base + 20, 15), 5);
    assert.is(await logs().deleteBefore(base + 20, 15), 0);
    assert.is((await logs().list({}, everything)).total, 5);
  });

  test('keeps the texts of a call apart from its row', async () => {
    const bodies = database().stores.logBodies;
    const body = (requestId: string, createdAt: number) => ({
      requestId,
      userId: 1,
      createdAt,
      systemPrompt: null,
      context: '[]',
      inputContent: '你好',
      outputContent: 'hi',
    });
    await bodies.insert([body('b1', 1), body('b2', 2)]);
    await bodies.insert([body('b1', 9), body('b3', 3)]);
    const found = await bodies.findMany(['b1', 'b3', 'none']);
    assert.equal(
      found.sort((left, right) => left.createdAt - right.createdAt),
      [body('b1', 1), body('b3', 3)],
    );
    assert.is(await bodies.deleteBefore(3, 1), 1);
    assert.is(await bodies.deleteBefore(3, 10), 1);
  });
});
