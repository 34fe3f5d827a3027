import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorRates, wholeSite } from '../../../daemon/domain/error-rates.ts';

const rates = suite('error rates');

rates('sums the calls of the last minutes by channel and forgets older ones', () => {
  let now = 0;
  const counted = new ErrorRates(() => now);
  counted.count(7, 'failed');
  counted.count(7, 'answered');
  now = 4 * 60_000;
  counted.count(7, 'failed');
  counted.count(wholeSite, 'answered');
  assert.equal(counted.of(5), [
    { channelId: 7, failed: 2, total: 3 },
    { channelId: wholeSite, failed: 0, total: 1 },
  ]);
  now = 5 * 60_000;
  assert.equal(counted.of(5), [
    { channelId: 7, failed: 1, total: 1 },
    { channelId: wholeSite, failed: 0, total: 1 },
  ]);
  now = 120 * 60_000;
  counted.count(8, 'answered');
  assert.equal(counted.of(60), [{ channelId: 8, failed: 0, total: 1 }]);
});

rates.run();
