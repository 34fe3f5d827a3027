/** What is written about redemption codes, where one rule ends and the next begins (management-api.md 3.12). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RedemptionInput, readBatch, readRedemptionPatch } from '../../../daemon/domain/redemption-input.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import type { RedemptionRecord } from '../../../daemon/store/redemptions.ts';

const input = suite('domain/redemption-input');

const stored: RedemptionRecord = {
  id: 1,
  userId: 1,
  key: 'code',
  status: 1,
  name: 'code',
  quota: 5,
  createdTime: 1,
  redeemedTime: 0,
  usedUserId: 0,
  isGift: true,
  maxUses: 9,
  usedCount: 3,
  validFrom: 100,
  validUntil: 200,
  deletedAt: null,
};

function refusalOf(members: RedemptionInput, current?: RedemptionRecord): TollgateError | undefined {
  try {
    if (current) readRedemptionPatch(members, current);
    else readBatch({ name: 'code', quota: 1, ...members });
  } catch (error) {
    if (error instanceof TollgateError) return error;
    throw error;
  }
  return undefined;
}

function codeOf(members: RedemptionInput, current?: RedemptionRecord): string {
  return refusalOf(members, current)?.code ?? 'accepted';
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

input('takes names of one line, and lets one stay that was made when others were taken', () => {
  assert.equal([codeOf({ name: 'a\nb' }), codeOf({ name: 'a\nb' }, stored)], ['invalid_input', 'invalid_input']);
  const old = { ...stored, name: 'a\nb' };
  assert.equal([codeOf({ name: old.name }, old), codeOf({ quota: 7 }, old)], ['accepted', 'accepted']);
});

input('holds one end of the time in which a code is valid against the other, which stays', () => {
  const { validFrom, validUntil } = readRedemptionPatch({ valid_from: 150 }, stored);
  assert.equal([validFrom, validUntil], [150, 200]);
  for (const members of [{ valid_from: 200 }, { valid_until: 100 }, { valid_until: 99 }]) {
    assert.is(codeOf(members, stored), 'redemption_window_invalid');
  }
  assert.is(codeOf({ valid_from: 200, valid_until: 0 }, stored), 'accepted', 'open at its end');
});

input('takes the least and the most of every member, and names the member of what is beyond', () => {
  const taken: RedemptionInput[] = [
    { name: 'a', quota: 1, count: 1 },
    { name: ' '.repeat(9) + 'n'.repeat(20), quota: 10 ** 12, count: 10_000 },
    { is_gift: true, max_uses: 1 },
    { is_gift: true, max_uses: 2_147_483_647 },
    { key: ' abcd ', valid_until: 1 },
    { key: 'x'.repeat(32), valid_from: 1, valid_until: null },
    { key: '', count: '', max_uses: '', valid_from: '' },
  ];
  assert.equal(
    taken.map((members) => codeOf(members)),
    taken.map(() => 'accepted'),
  );
  const refused: [RedemptionInput, string][] = [
    [{ name: ' ' }, 'redemption_name_invalid name'],
    [{ name: 'n'.repeat(21) }, 'redemption_name_invalid name'],
    [{ name: 'a\tb' }, 'invalid_input name'],
    [{ quota: 0 }, 'redemption_quota_invalid quota'],
    [{ quota: 10 ** 12 + 1 }, 'redemption_quota_invalid quota'],
    [{ quota: null }, 'redemption_quota_invalid quota'],
    [{ count: 0 }, 'redemption_count_invalid count'],
    [{ count: 10_001 }, 'redemption_count_max count'],
    [{ is_gift: true, max_uses: 0 }, 'redemption_max_uses_invalid max_uses'],
    [{ is_gift: true, max_uses: 2_147_483_648 }, 'redemption_max_uses_invalid max_uses'],
    [{ key: 'abc' }, 'redemption_key_invalid key'],
    [{ key: 'x'.repeat(33) }, 'redemption_key_invalid key'],
  ];
  for (const [members, told] of refused) {
    const { code, field } = refusalOf(members) ?? {};
    assert.is(`${code} ${field}`, told);
  }
});

input('names of the time in which a code is valid the end that is wrong', () => {
  const wrong = [{ valid_from: -1 }, { valid_from: 1.5 }, { valid_until: -1 }, { valid_from: 5, valid_until: 5 }];
  assert.equal(
    wrong.map((members) => refusalOf(members)?.field),
    ['valid_from', 'valid_from', 'valid_until', 'valid_until'],
  );
});

input('leaves a gift no fewer uses than it has had, and other codes theirs', () => {
  assert.equal(
    [codeOf({ max_uses: 2 }, stored), codeOf({ max_uses: 3 }, stored)],
    ['redemption_max_uses_invalid', 'accepted'],
  );
  assert.is(readRedemptionPatch({ max_uses: -1 }, stored).maxUses, -1);
  assert.is(readRedemptionPatch({ max_uses: 7 }, { ...stored, isGift: false }).maxUses, undefined);
});

input.run();
