import * as assert from 'uvu/assert';
import type { LogFilter, LogRecord, NewLogRow } from '../../daemon/store/logs.ts';
import { onBothEngines } from './engine-suites.ts';

/** A small generator of numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const hour = 3600;
const start = 1_000 * hour;

function randomRow(random: (below: number) => number, at: number): NewLogRow {
  const user = random(4);
  return {
    userId: user,
    createdAt: start + at,
    type: random(10) === 0 ? 1 : 2,
    content: 'c',
    username: `user${user}`,
    tokenName: `token${random(3)}`,
    modelName: random(3) === 0 ? 'rare' : `model-${random(3)}`,
    quota: random(1000),
    promptTokens: random(100),
    completionTokens: random(100),
    useTime: 1,
    isStream: false,
    channelId: random(5),
    tokenId: user * 10,
    group: random(2) === 0 ? 'default' : 'vip',
    other: '{}',
    requestId: `r${at}`,
    failed: false,
    ip: null,
    cost: 0,
  };
}

function matches(row: NewLogRow, { modelPrefix, from, until, ...exact }: LogFilter): boolean {
  if (modelPrefix !== undefined && !row.modelName.startsWith(modelPrefix)) return false;
  if (row.createdAt < (from ?? 0) || row.createdAt > (until ?? Infinity)) return false;
  return Object.entries(exact).every(([field, value]) =>
    Object.entries(row).some(([k, v]) => k === field && v === value),
  );
}

const filters: LogFilter[] = [
  {},
  { type: 2 },
  { username: 'user1' },
  { userId: 2, modelName: 'rare' },
  { modelPrefix: 'model' },
  { channelId: 3, group: 'vip', type: 2 },
  { tokenName: 'token1', tokenId: 30 },
  { username: 'nobody' },
  { from: start + 10, until: start + 20 },
  { from: start + hour - 1, until: start + 2 * hour },
  { from: start + hour, until: start + 3 * hour - 1, username: 'user0' },
  { from: start + 3 * hour + 17 },
  { until: start + 2 * hour + 5, modelName: 'model-1' },
  { from: start + 500, until: start + 499 },
];

onBothEngines('store/log-lists', (test, database) => {
  const logs = () => database().stores.logs;
  let rows: NewLogRow[] = [];

  const expected = (filter: LogFilter) =>
    rows
      .map((row, index) => ({ row, index }))
      .filter(({ row }) => matches(row, filter))
      .sort((left, right) => right.row.createdAt - left.row.createdAt || right.index - left.index)
      .map(({ row }) => row);

  const bare = (found: readonly LogRecord[]) => found.map(({ id, ...row }) => row);

  async function compare(): Promise<void> {
    for (const filter of filters) {
      const all = expected(filter);
      for (const window of [
        { offset: 0, limit: 10 },
        { offset: 37, limit: 200 },
      ]) {
        const page = await logs().list(filter, window);
        assert.is(page.total, all.length);
        assert.equal(bare(page.items), all.slice(window.offset, window.offset + window.limit));
      }
      const consumed = all.filter((row) => row.type === 2);
      const sum = (field: 'quota' | 'promptTokens' | 'completionTokens') =>
        consumed.reduce((total, row) => total + row[field], 0);
      assert.equal(await logs().sums(filter), {
        quota: sum('quota'),
        promptTokens: sum('promptTokens'),
        completionTokens: sum('completionTokens'),
      });
    }
  }

  test.before(async () => {
    const random = numbers(7);
    rows = Array.from({ length: 900 }, () => random(5 * hour))
      .sort((left, right) => left - right)
      .map((at) => randomRow(random, at));
    await logs().insert(rows);
  });

  test('lists and sums exactly what matches, for every filter and page', compare);

  test('answers the same while rows are folded into the sums, and after', async () => {
    const { logSums } = database().stores;
    const fold = (limit: number) => database().transaction((stores) => stores.logSums.fold(limit));
    assert.is(await logSums.mark(1000), false);
    assert.is(await logSums.mark(1030), false, 'rows may still be on their way');
    assert.is(await logSums.mark(1060), true);
    assert.is(await fold(333), true);
    await compare();
    while (await fold(200));
    await compare();
    assert.is(await logSums.mark(2000), false, 'there is nothing new');
  });

  test('puts a row that comes late where its time belongs', async () => {
    const late = { ...randomRow(numbers(1), 30), requestId: 'late' };
    await logs().insert([late]);
    rows.push(late);
    await compare();
  });

  test('reads on from any row without a total', async () => {
    for (const filter of filters) {
      const found: NewLogRow[] = [];
      let before: LogRecord | undefined;
      for (;;) {
        const part = await logs().listBefore(filter, { before, limit: 37 });
        found.push(...bare(part));
        before = part.at(-1);
        if (!before) break;
      }
      assert.equal(found, expected(filter));
    }
  });

  test('knows nothing of deleted rows', async () => {
    const cutoff = start + hour + 1234;
    const some = () => database().transaction((stores) => stores.logs.deleteBefore(cutoff, 100));
    while ((await some()) > 0);
    rows = rows.filter((row) => row.createdAt >= cutoff);
    await compare();
  });
});
