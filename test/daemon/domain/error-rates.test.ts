import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorRates, wholeSite } from '../../../daemon/domain/error-rates.ts';

const rates = suite('error rates');

rates('counts the calls of the last minutes by channel and forgets older ones', () => {
  let now = 0;
  const counted = new ErrorRates(() => now);
  counted.count(7, 'failed');
  counted.count(7, 'answered');
  now = 4 * 60_000;
  counted.count(7, 'failed');
  counted.count(wholeSite, 'answered');
  const latest = [
    { ago: 0, channelId: 7, failed: 1, total: 1 },
    { ago: 0, channelId: wholeSite, failed: 0, total: 1 },
  ];
  assert.equal(counted.byMinute(5), [{ ago: 4, channelId: 7, failed: 1, total: 2 }, ...latest]);
  now = 5 * 60_000;
  assert.equal(
    counted.byMinute(5),
    latest.map((rate) => ({ ...rate, ago: 1 })),
  );
  now = 120 * 60_000;
  counted.count(8, 'answered');
  assert.equal(counted.byMinute(60), [{ ago: 0, channelId: 8, failed: 0, total: 1 }]);
});

rates.run();
