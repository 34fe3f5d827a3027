import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { walk } from '../../cli/paging.ts';

const paging = suite('walks of lists');

async function walked(total: number, limit: number | undefined) {
  const many: number[] = [];
  const rows = walk<number>({
    page: async (number, size) => ({ items: Array.from({ length: size }, (_, at) => (number - 1) * size + at), total }),
    keyOf: (row) => row,
    limit,
    onMany: (rows) => many.push(rows),
  });
  let count = 0;
  for await (const row of rows) {
    count += 1;
    if (row >= 250) break;
  }
  return { many, count };
}

paging('point once to a better way where there are more than 20,000 rows to walk', async () => {
  assert.equal((await walked(20_001, undefined)).many, [20_001]);
  assert.equal((await walked(1_000_000, 30_000)).many, [30_000]);
  assert.equal((await walked(20_000, undefined)).many, []);
  assert.equal((await walked(1_000_000, 30)).many, []);
});

paging('keep nothing of pages that were read long ago', async () => {
  const pages: WeakRef<object>[] = [];
  const rows = walk<{ id: number }>({
    page: async (number, size) => {
      const items = Array.from({ length: size }, (_, at) => ({ id: number * size + at }));
      pages.push(new WeakRef(items));
      // An answer that is awaited from elsewhere, as all of them are.
      await nextTurn();
      return { items, total: 1_000_000 };
    },
    keyOf: ({ id }) => id,
    limit: 20_200,
  });
  let count = 0;
  for await (const _row of rows) count += 1;
  assert.is(count, 20_200);
  assert.is(pages.slice(0, 199).filter((page) => page.deref() !== undefined).length, 0);
});

paging.run();
