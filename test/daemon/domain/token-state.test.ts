import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { refusalOfToken } from '../../../daemon/domain/token-state.ts';

const test = suite('domain/token-state');

const sound = { status: 1, expiredTime: 1000, unlimitedQuota: false, remainQuota: 1 };

test('lets a key be used until its last second begins, and for ever where it has none', () => {
  assert.is(refusalOfToken(sound, 999.999), undefined);
  assert.is(refusalOfToken(sound, 1000), 'token_expired');
  assert.is(refusalOfToken({ ...sound, expiredTime: -1 }, 1e11), undefined);
});

test('tells the first of several reasons', () => {
  const spent = { ...sound, remainQuota: 0 };
  assert.is(refusalOfToken(spent, 999), 'token_exhausted');
  assert.is(refusalOfToken(spent, 1000), 'token_expired');
  assert.is(refusalOfToken({ ...spent, unlimitedQuota: true }, 999), undefined);
  const told = [4, 3, 2].map((status) => refusalOfToken({ ...spent, status }, 1000));
  assert.equal(told, ['token_exhausted', 'token_expired', 'token_disabled']);
});

test.run();
