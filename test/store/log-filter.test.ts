import * as assert from 'uvu/assert';
import { isWithinFilter } from '../../daemon/store/log-filter.ts';
import type { LogFilter, NewLogRow } from '../../daemon/store/logs.ts';
import { onBothEngines } from './engine-suites.ts';

const start = 3_600_000;
const names = ['a', 'A', 'ab', 'a%', 'a_b', '', 'é', '中文'];

function rowOf(at: number): NewLogRow {
  const pick = <T>(list: readonly T[], step: number): T | undefined => list[Math.floor(at / step) % list.length];
  return {
    userId: 1 + (at % 3),
    createdAt: start + (at % 50),
    type: at % 5 === 0 ? 3 : 2,
    content: '',
    username: pick(names, 3) ?? '',
    tokenName: pick(names, 2) ?? '',
    modelName: pick(names, 1) ?? '',
    quota: 1,
    promptTokens: 1,
    completionTokens: 1,
    useTime: 0,
    isStream: false,
    channelId: at % 4,
    tokenId: at % 6,
    group: pick(names, 5) ?? '',
    other: '',
    requestId: `r${at % 7}`,
    failed: at % 8 === 0,
    ip: null,
  };
}

const filters: readonly LogFilter[] = [
  {},
  ...names.flatMap((name): LogFilter[] => [
    { modelName: name },
    { modelPrefix: name },
    { username: name },
    { tokenName: name, type: 2 },
    { group: name, failed: false },
  ]),
  { userId: 2, channelId: 0 },
  { type: 3, failed: true },
  { tokenId: 4, requestId: 'r3' },
  { requestId: 'r5', afterId: 100 },
  { afterId: 150 },
  { from: start + 10, until: start + 20 },
  { from: start + 11 },
  { until: start + 20 },
  { from: start + 30, until: start + 20 },
];

onBothEngines('store/log-filter', (test, database) => {
  test('says of rows in memory what the database says of those it holds', async () => {
    const { logs } = database().stores;
    await logs.insert(Array.from({ length: 200 }, (_, at) => rowOf(at)));
    const rows = await logs.after(0, 1000);
    assert.is(rows.length, 200);
    for (const filter of filters) {
      const found = (await logs.list(filter, { offset: 0, limit: 1000 })).items.map(({ id }) => id);
      const kept = rows.filter((row) => isWithinFilter(row, filter)).map(({ id }) => id);
      assert.equal(
        kept.sort((a, b) => a - b),
        found.sort((a, b) => a - b),
        JSON.stringify(filter),
      );
    }
  });
});
