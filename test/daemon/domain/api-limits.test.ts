import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryCounters } from '../../../daemon/cluster/memory-counters.ts';
import type { RateClass } from '../../../daemon/contract/endpoint.ts';
import { ApiLimits, type RateRules } from '../../../daemon/domain/api-limits.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { startHttpHarness } from '../../support/http-harness.ts';
import { refusalOf } from '../../support/refusals.ts';

const limits = suite('rate classes');

const rule = (count: number, seconds = 60) => ({ enabled: true, count, seconds });
const wide: RateRules = {
  globalApi: rule(1000),
  globalWeb: rule(1000),
  critical: rule(1000),
  search: rule(1000),
  download: rule(1000),
  perUser: rule(1000),
};

function limitsWith(rules: Partial<RateRules>) {
  const clock = { ms: 0 };
  const counters = new MemoryCounters({ now: () => clock.ms });
  const api = new ApiLimits({ counters, rules: () => ({ ...wide, ...rules }) });
  const admits = async (
    rateClass: RateClass,
    clientAddress: string,
    userId?: number,
    machineTokenId?: number,
  ): Promise<number> => {
    try {
      await api.admit(rateClass, { clientAddress, userId, machineTokenId });
      return 0;
    } catch (error) {
      assert.ok(error instanceof TollgateError && error.code === 'too_many_requests');
      return error.retryAfterSeconds ?? -1;
    }
  };
  return { admits, clock, api };
}

limits('count strangers by address and users by themselves (D23)', async () => {
  const { admits, clock } = limitsWith({ globalApi: rule(2), perUser: rule(3) });
  assert.equal([await admits('standard', '1.1.1.1'), await admits('standard', '1.1.1.1')], [0, 0]);
  assert.is(await admits('standard', '1.1.1.1'), 60);
  assert.is(await admits('standard', '2.2.2.2'), 0);
  for (let call = 0; call < 3; call += 1) assert.is(await admits('standard', '1.1.1.1', 7), 0);
  assert.ok((await admits('standard', '9.9.9.9', 7)) > 0);
  assert.is(await admits('standard', '1.1.1.1', 8), 0);
  clock.ms += 60_000;
  assert.is(await admits('standard', '1.1.1.1'), 0);
});

limits('keep one critical bucket for each class and address (V69)', async () => {
  const { admits } = limitsWith({ critical: rule(1) });
  assert.is(await admits('critical', '1.1.1.1'), 0);
  assert.ok((await admits('critical', '1.1.1.1')) > 0);
  assert.is(await admits('critical-oauth', '1.1.1.1'), 0);
  assert.is(await admits('critical-mail', '1.1.1.1'), 0);
  assert.is(await admits('critical', '1.1.1.2'), 0);
});

limits('count searches of a user by themselves', async () => {
  const { admits } = limitsWith({ search: rule(2) });
  assert.equal([await admits('search', '1.1.1.1', 7), await admits('search', '2.2.2.2', 7)], [0, 0]);
  assert.ok((await admits('search', '3.3.3.3', 7)) > 0);
  assert.equal([await admits('search', '1.1.1.1', 8), await admits('standard', '1.1.1.1', 7)], [0, 0]);
});

limits('count redeeming by user, wherever that user is (management-api.md 3.13)', async () => {
  const { admits } = limitsWith({ critical: rule(1) });
  assert.is(await admits('critical-redeem', '1.1.1.1', 7), 0);
  assert.ok((await admits('critical-redeem', '2.2.2.2', 7)) > 0);
  assert.is(await admits('critical-redeem', '1.1.1.1', 8), 0);
  assert.is(await admits('critical-money', '1.1.1.1', 7), 0);
});

limits('count searches by machine token, and redeeming by its user, however many tokens guess', async () => {
  const { admits } = limitsWith({ search: rule(1), critical: rule(1) });
  assert.equal([await admits('search', '1.1.1.1', 7, 1), await admits('search', '1.1.1.1', 7, 2)], [0, 0]);
  assert.ok((await admits('search', '2.2.2.2', 7, 1)) > 0);
  assert.is(await admits('critical-redeem', '1.1.1.1', 7, 1), 0);
  assert.ok((await admits('critical-redeem', '1.1.1.1', 7, 2)) > 0);
});

limits('take nothing of a narrower limit for a call that the wider one refuses', async () => {
  const { admits, clock } = limitsWith({ perUser: rule(1, 10), search: rule(2, 60) });
  assert.is(await admits('search', '1.1.1.1', 7), 0);
  assert.is(await admits('search', '1.1.1.1', 7), 10);
  clock.ms += 10_000;
  assert.is(await admits('search', '1.1.1.1', 7), 0, 'the second of two searches a minute');
});

limits('take one IPv6 subscriber for one address', async () => {
  const { admits } = limitsWith({ globalApi: rule(1) });
  assert.is(await admits('standard', '2001:db8:1:2::1'), 0);
  assert.ok((await admits('standard', '2001:db8:1:2:ffff::9')) > 0);
  assert.is(await admits('standard', '2001:db8:1:3::1'), 0);
});

limits('exempt what is unlimited, and what is switched off', async () => {
  const { admits } = limitsWith({ globalApi: { enabled: false, count: 1, seconds: 60 } });
  for (let call = 0; call < 5; call += 1) assert.is(await admits('standard', '1.1.1.1'), 0);
  const closed = limitsWith({ globalApi: rule(1) });
  for (let call = 0; call < 5; call += 1) assert.is(await closed.admits('unlimited', '1.1.1.1'), 0);
});

limits('answer 429 with JSON and Retry-After, also on unknown paths and failed sign-ins (K21)', async () => {
  const harness = await startHttpHarness({ rules: { globalApi: rule(3), globalWeb: rule(2) } });
  try {
    for (const path of ['/api/status', '/api/nothing', '/api/user/self']) await harness.request(path);
    const response = await harness.request('/api/status', { headers: { 'Accept-Language': 'en' } });
    assert.is(response.status, 429);
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
    const { code, success, message } = await response.json();
    assert.equal([code, success], ['too_many_requests', false]);
    assert.match(message, /try again in \d+ s/);
    assert.is((await harness.request('/api/hello')).status, 200);
    assert.is((await harness.request('/healthz')).status, 200);
    const refusal = await refusalOf(harness.client().status.get());
    assert.ok((refusal.retryAfter ?? 0) > 0);
    await harness.request('/');
    await harness.request('/');
    assert.is((await harness.request('/')).status, 429);
    assert.is((await harness.request('/assets/x.js')).status, 404);
  } finally {
    await harness.close();
  }
});

limits('say on every answer how much room the tightest limit leaves, refused or not', async () => {
  const harness = await startHttpHarness({ rules: { perUser: rule(6), search: rule(3), globalApi: rule(2) } });
  try {
    const root = await harness.setup();
    const told = async (path: string, as?: typeof root) => {
      const { status, headers } = await harness.request(path, as === undefined ? {} : { as });
      return [status, ...['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}-requests`))];
    };
    assert.equal(await told('/api/user/self', root), [200, '6', '5']);
    assert.equal(await told('/api/user/search?keyword=x', root), [200, '3', '2']);
    assert.equal(await told('/api/user/self', root), [200, '6', '3']);
    assert.equal(await told('/api/user/search?keyword=x', root), [200, '3', '1']);
    assert.equal(await told('/api/user/search?keyword=x', root), [200, '3', '0']);
    assert.equal(await told('/api/user/self', root), [200, '6', '0']);
    assert.equal(await told('/api/user/self', root), [429, '6', '0']);
    const refused = await harness.request('/api/user/self', { as: root });
    assert.match(refused.headers.get('x-ratelimit-reset-requests') ?? '', /^[1-9]\d?s$/);
    assert.equal(await told('/api/hello'), [200, null, null]);
    assert.equal(await told('/healthz'), [200, null, null]);
    const stranger = await harness.request('/api/nothing');
    assert.match(stranger.headers.get('x-ratelimit-limit-requests') ?? '', /^2$/);
  } finally {
    await harness.close();
  }
});

limits.run();
