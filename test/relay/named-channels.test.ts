/** Keys that name a channel behind them, which administrators alone may (relay.md 3.3, S14). Runs once: databases have no part in it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import type { GatewayHarness } from '../support/gateway-harness.ts';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';
import { chatRequest } from './wire.ts';

const test = suite<HarnessStarts>('relay: named channels');

startsHarnesses(test);

/** Status and code of a call whose key names a channel. */
async function named(harness: GatewayHarness, channel: string | number, model = 'gpt-4o') {
  const headers = { authorization: `Bearer sk-${harness.key}-${channel}` };
  const answer = await harness.post('/v1/chat/completions', { ...chatRequest, model }, { headers });
  const { error } = await answer.json();
  return [answer.status, error?.code];
}

test('refuses a normal user who names a channel', async ({ start }) => {
  assert.equal(await named(await start(), 1), [403, 'channel_pin_forbidden']);
});

test('sends an administrator to the named channel, and nowhere else', async ({ start, upstream }) => {
  const other = await startFakeUpstream(jsonAnswer({ error: { message: 'no' } }, 500));
  const harness = await start({
    user: { role: 10 },
    options: { RetryTimes: 3 },
    channels: [
      { id: 1, baseUrl: upstream.url, models: 'gpt-4o' },
      { id: 7, baseUrl: other.url, models: 'gpt-4o' },
      { id: 8, baseUrl: other.url, models: 'gpt-4o', status: 2 },
      { id: 9, baseUrl: other.url, models: 'another' },
    ],
  });
  assert.is((await named(harness, 7))[0], 500);
  assert.is(other.requests.length, 1);
  assert.is(upstream.requests.length, 0);
  assert.equal(await named(harness, 8), [403, 'channel_disabled']);
  assert.equal(await named(harness, 99), [400, 'channel_pin_invalid']);
  assert.equal(await named(harness, 'x'), [400, 'channel_pin_invalid']);
  assert.equal(await named(harness, 9), [503, 'no_channel_for_model']);
  await other.close();
});

test('holds an administrator who names a channel to the models of the key and to its group', async ({
  start,
  upstream,
}) => {
  const harness = await start({
    user: { role: 100 },
    token: { modelLimitsEnabled: true, modelLimits: 'gpt-4o' },
    channels: [
      { id: 1, baseUrl: upstream.url, models: 'gpt-4o,gpt-4o-mini' },
      { id: 7, baseUrl: upstream.url, models: 'gpt-4o,gpt-4o-mini', group: 'vip' },
    ],
  });
  assert.equal(await named(harness, 1), [200, undefined]);
  assert.equal(await named(harness, 1, 'gpt-4o-mini'), [403, 'model_not_allowed']);
  assert.equal(await named(harness, 7), [503, 'no_channel_for_model']);
  assert.is(upstream.requests.length, 1);
});

test.run();
