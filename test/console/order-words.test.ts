/** What the console says of an order. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buyerName, completionRefusal } from '../../console/pages/orders/order-words.ts';

const test = suite('console/order-words');

test('only orders that were neither credited nor closed are completed by hand', () => {
  assert.equal((['pending', 'expired', 'success', 'failed'] as const).map(completionRefusal), [
    undefined,
    undefined,
    'refused.completed',
    'refused.closed',
  ]);
});

test('a buyer whose account was purged is named by number', () => {
  assert.is(buyerName({ username: 'alice', user_id: 2 }), 'alice');
  assert.is(buyerName({ username: '', user_id: 2 }), '#2');
});

test.run();
