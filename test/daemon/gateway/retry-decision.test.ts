import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { optionTable } from '../../../daemon/contract/options.ts';
import { mayRetry, type RetryQuestion } from '../../../daemon/gateway/retry-decision.ts';

const test = suite('gateway/retry-decision');

const question = (over: Partial<RetryQuestion>): RetryQuestion => ({
  nature: 'status',
  status: 500,
  scope: 'next-channel',
  contentSent: false,
  clientGone: false,
  attemptsLeft: 1,
  pinned: false,
  retryClass: 'A',
  statuses: optionTable.AutomaticRetryStatusCodes.default,
  ...over,
});

test('retries exactly the default statuses', () => {
  const never = new Set([400, 408, 504, 524]);
  for (let status = 300; status <= 599; status += 1) {
    assert.is(mayRetry(question({ status })), !never.has(status), String(status));
  }
  // Outside of what a list can name, none decides.
  for (const status of [0, 99, 600, 999]) {
    assert.is(mayRetry(question({ status, statuses: [] })), true, String(status));
    assert.is(mayRetry(question({ status, retryClass: 'B' })), false, String(status));
  }
  assert.is(mayRetry(question({ status: 100, statuses: [] })), false);
  assert.is(mayRetry(question({ status: 599, statuses: [] })), false);
});

test('obeys the operator’s own list of statuses', () => {
  const statuses = [{ from: 400, to: 400 }];
  assert.is(mayRetry(question({ status: 400, statuses })), true);
  assert.is(mayRetry(question({ status: 500, statuses })), false);
});

test('never goes on after bytes, without the client, without attempts, pinned or for its own refusals', () => {
  for (const over of [
    { contentSent: true },
    { clientGone: true },
    { attemptsLeft: 0 },
    { pinned: true },
    { nature: 'local' },
    { scope: 'never' },
  ] as const) {
    assert.is(mayRetry(question(over)), false, JSON.stringify(over));
  }
  // Nor where nothing was asked of the upstream yet.
  for (const nature of ['channel', 'unsent'] as const) {
    for (const over of [{ contentSent: true }, { clientGone: true }, { attemptsLeft: 0 }, { pinned: true }]) {
      assert.is(mayRetry(question({ nature, ...over })), false, JSON.stringify({ nature, ...over }));
    }
  }
});

test('goes on after everything that is no status, whatever the list says', () => {
  for (const nature of ['channel', 'unsent', 'broken', 'timeout', 'unusable'] as const) {
    assert.is(mayRetry(question({ nature, statuses: [] })), true, nature);
  }
});

test('repeats work that costs only where certainly none was done', () => {
  for (const status of [401, 403, 404, 429, 503]) assert.is(mayRetry(question({ retryClass: 'B', status })), true);
  for (const status of [400, 402, 500, 502]) assert.is(mayRetry(question({ retryClass: 'B', status })), false);
  for (const status of [401, 402, 403, 404, 429]) assert.is(mayRetry(question({ retryClass: 'C', status })), true);
  for (const status of [400, 500, 502, 503]) assert.is(mayRetry(question({ retryClass: 'C', status })), false);
  const statuses = [{ from: 500, to: 503 }];
  for (const status of [401, 404, 429, 503]) {
    assert.is(mayRetry(question({ nature: 'lost', retryClass: 'B', status })), false, 'nor what was taken on');
    assert.is(mayRetry(question({ nature: 'lost', status })), true, 'unless it costs little');
  }
  assert.is(mayRetry(question({ nature: 'lost', status: 400 })), false);
  for (const retryClass of ['B', 'C'] as const) {
    assert.is(mayRetry(question({ retryClass, status: 429, statuses })), false, 'nor what the operator leaves out');
    assert.is(mayRetry(question({ retryClass, status: 500, statuses })), false, 'nor what the operator adds');
    assert.is(mayRetry(question({ retryClass, status: 403, scope: 'never' })), false, 'nor the fault of the request');
  }
  assert.is(mayRetry(question({ retryClass: 'B', nature: 'unsent' })), true);
  for (const nature of ['broken', 'timeout', 'unusable'] as const) {
    assert.is(mayRetry(question({ retryClass: 'B', nature })), false, nature);
  }
});

test.run();
