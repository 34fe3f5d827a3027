/** What the line that ends a file of log rows is said as. Runs once: it looks at no database. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTotals, totalsText } from '../../cli/log-totals.ts';

const test = suite('cli: totals of log rows');

const heading = 'id,created_at,type,quota,prompt_tokens,completion_tokens,content,cost';

test('says what each sum is, of either form of the file alike', () => {
  const csv = 'total,,,30000000,3000000,1500000,300001 rows,7';
  const ndjson =
    '{"total":{"rows":300001,"quota":30000000,"prompt_tokens":3000000,"completion_tokens":1500000,"cost":7}}';
  for (const line of [csv, ndjson]) {
    assert.ok(isTotals(line));
    assert.equal(totalsText(line, heading), {
      en: '300001 rows: 30000000 units charged, cost 7 units; 3000000 prompt and 1500000 completion tokens',
      zh: '共 300001 行：扣费 30000000 单位，成本 7 单位；输入 3000000 token，输出 1500000 token',
    });
  }
});

test('says nothing of the cost where the file is for somebody who may not see it, and counts one row as one', () => {
  const text = totalsText('total,,,1,3,2,1 rows', heading.replace(',cost', ''));
  assert.is(text.en, '1 row: 1 unit charged; 3 prompt and 2 completion tokens');
});

test('takes no row for the totals', () => {
  assert.not.ok(isTotals('17,1,2,5,3,2,total,0'));
});

test.run();
