import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ordered, orderOf } from '../../../cli/output/order.ts';

const order = suite('order of a list');

/** The values in order. */
function sorted(values: readonly unknown[], wish = 'v'): unknown[] {
  return ordered(
    values.map((v) => ({ v })),
    orderOf(wish),
  ).map(({ v }) => v);
}

order('is read from a field and the word behind it', () => {
  assert.equal(orderOf('quota'), { field: 'quota', direction: 'ascending' });
  assert.equal(orderOf('quota:asc'), { field: 'quota', direction: 'ascending' });
  assert.equal(orderOf('quota:desc'), { field: 'quota', direction: 'descending' });
  assert.equal(orderOf('quota:down'), { field: 'quota:down', direction: 'ascending' });
});

order('takes numbers by their value, also where they are written as text', () => {
  assert.equal(sorted([10, 9, -1, 1.5]), [-1, 1.5, 9, 10]);
  assert.equal(sorted(['12.5', '9.99', '12.10', '-3']), ['-3', '9.99', '12.10', '12.5']);
  assert.equal(sorted([true, false]), [false, true]);
});

order('takes texts by code point, and digits within them as numbers', () => {
  assert.equal(sorted(['b', 'a', 'Z', 'ä', '中']), ['Z', 'a', 'b', 'ä', '中']);
  // By UTF-16 the emoji would stand before the last letter of the plane below it.
  assert.equal(sorted(['\u{1f600}', '\uffe0']), ['\uffe0', '\u{1f600}']);
  assert.equal(sorted(['gpt-35', 'gpt-4', 'gpt-4-mini', 'gpt']), ['gpt', 'gpt-4', 'gpt-4-mini', 'gpt-35']);
  assert.equal(sorted(['1.10.0', '1.9.0']), ['1.9.0', '1.10.0']);
  assert.equal(sorted(['2026-11-21', '2026-02-03']), ['2026-02-03', '2026-11-21']);
});

order('puts what has no value at the end either way', () => {
  assert.equal(sorted(['', 'b', null, 'a', undefined]), ['a', 'b', '', null, undefined]);
  assert.equal(sorted([null, 1, 2], 'v:desc'), [2, 1, null]);
});

order('leaves equals as they were, also backwards', () => {
  const rows = [
    { id: 1, v: 'x' },
    { id: 2, v: 'a' },
    { id: 3, v: 'x' },
    { id: 4, v: 'a' },
  ];
  const ids = (wish: string) => ordered(rows, orderOf(wish)).map(({ id }) => id);
  assert.equal(ids('v'), [2, 4, 1, 3]);
  assert.equal(ids('v:desc'), [1, 3, 2, 4]);
});

order('finds one for anything', () => {
  assert.equal(sorted([['b'], 3, 'a', ['a']]).length, 4);
  assert.equal(sorted([{ a: 2 }, { a: 1 }]), [{ a: 1 }, { a: 2 }]);
});

order.run();
