/** What stands in the field of a top-up's amount. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { amountText } from '../../console/pages/wallet/amount-text.ts';

const test = suite('console/top-up amount');

test('an amount is floored at 1, and loses what groups its digits', () => {
  assert.is(amountText('10'), '10');
  assert.is(amountText('0'), '1');
  assert.is(amountText('-3'), '1');
  assert.is(amountText('$1,500'), '1500');
  assert.is(amountText('007'), '7');
  assert.is(amountText('１，５００'), '1500', 'full-width');
  assert.is(amountText(''), '');
  assert.is(amountText('abc'), '');
});

test('an amount keeps its point, so that one and a half does not become fifteen', () => {
  for (const typed of ['1.', '1.5', '10.50', '1,5', '.5']) assert.is(amountText(typed), typed);
});

test.run();
