import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorRates, wholeSite } from '../../../daemon/domain/error-rates.ts';

const rates = suite('error rates');

rates('counts the calls of the last minutes by channel and forgets older ones', () => {
  let minute = 1000;
  const counted = new ErrorRates(() => minute * 60 + 30);
  counted.count(7, 'failed');
  counted.count(7, 'answered');
  minute = 1004;
  counted.count(7, 'failed');
  counted.count(wholeSite, 'answered');
  const latest = [
    { minute: 1004, channelId: 7, failed: 1, total: 1 },
    { minute: 1004, channelId: wholeSite, failed: 0, total: 1 },
  ];
  assert.equal(counted.byMinute(5), [{ minute: 1000, channelId: 7, failed: 1, total: 2 }, ...latest]);
  minute = 1005;
  assert.equal(counted.byMinute(5), latest);
  minute = 1120;
  counted.count(8, 'answered');
  assert.equal(counted.byMinute(200), [{ minute: 1120, channelId: 8, failed: 0, total: 1 }]);
});

rates('go on where the clock was set back, and forget what is far ahead', () => {
  let minute = 1000;
  const counted = new ErrorRates(() => minute * 60);
  counted.count(7, 'failed');
  minute = 900;
  counted.count(7, 'answered');
  assert.equal(counted.byMinute(5), [{ minute: 900, channelId: 7, failed: 0, total: 1 }]);
});

rates.run();
