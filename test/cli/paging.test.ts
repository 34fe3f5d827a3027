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

paging.run();
