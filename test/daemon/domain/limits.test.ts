import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Counters } from '../../../daemon/cluster/counters.ts';
import { MemoryCounters } from '../../../daemon/cluster/memory-counters.ts';
import type { OptionValues } from '../../../daemon/contract/options.ts';
import { ModelRequestLimits, type RequestPlace, type RequestRefusal } from '../../../daemon/domain/limits.ts';
import { optionsView } from '../../support/options-view.ts';

const test = suite('model request limits');

const on: OptionValues = {
  ModelRequestRateLimitEnabled: true,
  ModelRequestRateLimitDurationMinutes: 2,
  ModelRequestRateLimitCount: 3,
  ModelRequestRateLimitSuccessCount: 2,
};

/** Limits over counters in memory, at a clock the test moves. */
function world(options: OptionValues) {
  const clock = { ms: 0 };
  const limits = new ModelRequestLimits({ counters: new MemoryCounters({ now: () => clock.ms }) });
  const take = (userId = 1, group = 'default') => {
    const place = limits.take({ userId, group, options: optionsView(options) });
    assert.not.instance(place, Promise);
    return place instanceof Promise ? undefined : place;
  };
  return { clock, take };
}

function allowed(place: RequestPlace | RequestRefusal | undefined): RequestPlace {
  if (place === undefined || place.refusal !== undefined) throw new Error('was refused');
  return place;
}

test('ask nothing while they are off or their period is zero', () => {
  assert.is(world({ ...on, ModelRequestRateLimitEnabled: false }).take(), undefined);
  assert.is(world({ ...on, ModelRequestRateLimitDurationMinutes: 0 }).take(), undefined);
});

test('refuse the request after the last success with its code, limit, minutes and retry time', () => {
  const { take, clock } = world(on);
  allowed(take()).finish('success');
  clock.ms = 30_000;
  allowed(take()).finish('success');
  clock.ms = 45_000;
  const refused = take();
  assert.is(refused?.refusal?.code, 'rate_limited:user_success');
  assert.equal(refused?.refusal?.params, { limit: 2, minutes: 2 });
  assert.is(refused?.refusal?.retryAfterSeconds, 75);
  assert.equal(refused?.headers, [
    ['Retry-After', '75'],
    ['X-RateLimit-Limit-Requests', '2'],
    ['X-RateLimit-Remaining-Requests', '0'],
    ['X-RateLimit-Reset-Requests', '75s'],
  ]);
  assert.is(take(2)?.refusal, undefined, 'another user has a limit of his own');
  clock.ms = 120_000;
  assert.is(take()?.refusal, undefined, 'the first has left the window');
});

test('name the window of successes where both are full, and round the time to wait up', () => {
  const { take, clock } = world({ ...on, ModelRequestRateLimitCount: 2 });
  for (let at = 0; at < 2; at += 1) allowed(take()).finish('success');
  clock.ms = 60_001;
  const refused = take();
  assert.equal([refused?.refusal?.code, refused?.refusal?.retryAfterSeconds], ['rate_limited:user_success', 60]);
  clock.ms = 60_999;
  assert.is(take()?.headers.find(([name]) => name === 'Retry-After')?.[1], '60');
  clock.ms = 61_000;
  assert.is(take()?.refusal?.retryAfterSeconds, 59);
});

test('take the place at the start, so that a burst cannot pass while answers run', () => {
  const { take } = world(on);
  assert.equal(
    [take(), take(), take()].map((place) => place?.refusal?.code),
    [undefined, undefined, 'rate_limited:user_success'],
  );
});

test('give the success back on failure, once, and keep counting the request', () => {
  const { take } = world(on);
  for (let at = 0; at < 3; at += 1) {
    const place = allowed(take());
    place.finish('failure');
    place.finish('failure');
  }
  assert.is(take()?.refusal?.code, 'rate_limited:user_requests');
});

test('do not count what they refuse', () => {
  const { take, clock } = world({ ...on, ModelRequestRateLimitCount: 2, ModelRequestRateLimitSuccessCount: 5 });
  take();
  take();
  clock.ms = 100_000;
  for (let at = 0; at < 10; at += 1) assert.ok(take()?.refusal);
  clock.ms = 120_001;
  assert.is(take()?.refusal, undefined);
});

test('count nothing of a request that another limit refused', () => {
  const { take } = world({ ...on, ModelRequestRateLimitCount: 1, ModelRequestRateLimitSuccessCount: 1 });
  for (let at = 0; at < 5; at += 1) {
    const place = allowed(take());
    place.finish('refused');
    place.finish('failure');
  }
  allowed(take()).finish('failure');
  assert.is(take()?.refusal?.code, 'rate_limited:user_requests');
});

test('leave all requests uncounted where their limit is zero', () => {
  const { take } = world({ ...on, ModelRequestRateLimitCount: 0, ModelRequestRateLimitSuccessCount: 1 });
  for (let at = 0; at < 20; at += 1) allowed(take()).finish('failure');
  allowed(take()).finish('success');
  assert.is(take()?.refusal?.code, 'rate_limited:user_success');
});

test('use the numbers of the group where it has some', () => {
  const { take } = world({ ...on, ModelRequestRateLimitGroup: { vip: [0, 50] } });
  for (let at = 0; at < 50; at += 1) assert.is(take(1, 'vip')?.refusal, undefined);
  assert.ok(take(1, 'vip')?.refusal);
  assert.is(take(2, 'toString')?.headers[0]?.[1], '2', 'a name of Object.prototype is no group');
});

test('show the tighter of both windows on allowed answers', () => {
  const { take } = world({ ...on, ModelRequestRateLimitCount: 10 });
  assert.equal(take()?.headers, [
    ['X-RateLimit-Limit-Requests', '2'],
    ['X-RateLimit-Remaining-Requests', '1'],
    ['X-RateLimit-Reset-Requests', '120s'],
  ]);
});

test('answer later when the counters do', async () => {
  const given: string[] = [];
  const counters: Pick<Counters, 'slideAll' | 'giveBack'> = {
    slideAll: async (windows) => windows.map(() => ({ allowed: true, remaining: 1, resetMs: 1, member: '1-a' })),
    giveBack: async (key, member) => {
      given.push(`${key} ${member}`);
    },
  };
  const place = await new ModelRequestLimits({ counters }).take({ userId: 9, group: 'g', options: optionsView(on) });
  allowed(place).finish('failure');
  assert.equal(given, ['rateLimit:MRRLS:9 1-a']);
});

test.run();
