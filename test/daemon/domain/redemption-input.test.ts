/** What is written about redemption codes, where one rule ends and the next begins (management-api.md 3.12). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RedemptionInput, readBatch } from '../../../daemon/domain/redemption-input.ts';
import { TollgateError } from '../../../daemon/errors.ts';

const input = suite('domain/redemption-input');

function codeOf(members: RedemptionInput): string {
  try {
    readBatch({ name: 'code', quota: 1, ...members });
  } catch (error) {
    if (error instanceof TollgateError) return error.code;
    throw error;
  }
  return 'accepted';
}

input('ignores the count of a code of one’s own text, whatever it is', () => {
  for (const count of [0, -1, 10_001, 'many'])
    assert.is(readBatch({ name: 'code', quota: 1, key: 'OWN-1', count }).count, 1);
});

input('counts the characters of a name as people do', () => {
  assert.equal(
    [codeOf({ name: '🎁'.repeat(20) }), codeOf({ name: '🎁'.repeat(21) })],
    ['accepted', 'redemption_name_invalid'],
  );
});

input.run();
